//! Experiments that would tell causes.

use pdiff_analysis::{Comparison, Plan, PlanError, PlanSettings};

use crate::prepared::Prepared;

impl Prepared {
    /// Plans experiments of the findings of a comparison that this made, with what the profile expects of them.
    ///
    /// # Errors
    /// If a factor is not known, or there is none.
    pub fn plan(&self, comparison: &Comparison, wanted: &PlanSettings) -> Result<Plan, PlanError> {
        let given = self.given();
        let settings = (given.evidence.settings.as_ref(), &given.evidence.settings_knowledge);
        self.normal().plan(&self.sides(), comparison, given.settings.noise, settings, wanted)
    }
}
