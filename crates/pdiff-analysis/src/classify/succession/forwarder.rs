//! A function of both builds that only leads on to a new one: what it did itself is that function's now, however often each run
//! calls it.

use super::kinship::{INHERITED_PART, Kinship, SHRUNK_PART, share};
use crate::classify::cause::{InBuild, Judged};
use pdiff_profile::Side;

/// A function leads on to another one if this part of its total is below that one.
const NEARLY_ALL: f64 = 0.9;

impl Kinship<'_, '_> {
    /// The function of both builds that leads on to a row of side `with`, and does little of what it did in the other build beside that:
    /// its code is shorter, and half of its weight there is not in the rest of it here.
    pub(super) fn forwarder(&self, row: usize, with: Side) -> Option<usize> {
        let case = self.context.cases.get(row)?;
        let weight = share(Judged::Total, case.row, with);
        let leads_on = |caller: &usize| {
            let Some(of) = self.context.cases.get(*caller).filter(|_| *caller != row) else { return false };
            let total = |side: Side| {
                let factor = if side == Side::Before { self.context.common_shift.factor() } else { 1.0 };
                factor * share(Judged::Total, of.row, side)
            };
            let (here, there) = (total(with), total(with.other()));
            let below = self.called_pp(*caller, row, with);
            let (bytes_here, bytes_there) = (self.bytes(of, with), self.bytes(of, with.other()));
            of.held_by(with.other()) == InBuild::Yes
                && of.other_name.is_none()
                && below >= NEARLY_ALL * here
                && below >= INHERITED_PART * weight
                && here - below <= (1.0 - INHERITED_PART) * there
                && there > 0.0
                && bytes_here > 0.0
                && bytes_here <= SHRUNK_PART * bytes_there
        };
        self.callers(case, with).into_iter().find(leads_on)
    }
}
