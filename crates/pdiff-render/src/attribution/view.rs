//! What to show of an attribution, and words that all its formats share.

use pdiff_study::Setting;
use pdiff_study::ablation::{Attribution, Effect, Estimate, Foretold, Meeting, Scale, Sign};

use crate::document::number::{NONE, interval, signed};

/// An attribution, with profiles beside it where given.
#[derive(Clone, Copy, Debug)]
pub struct AttributionView<'a> {
    /// The result of the attribution.
    pub attribution: &'a Attribution,
    /// Factors beside subsystems.
    pub meeting: Option<&'a Meeting>,
    /// A plan's predictions beside the measurements.
    pub foretold: Option<&'a Foretold>,
    /// Whether the user chose base and target; else they are in natural order.
    pub chosen: bool,
}

impl AttributionView<'_> {
    /// A factor's name.
    pub(crate) fn name(&self, factor: usize) -> &str {
        self.attribution.factors.get(factor).map_or(NONE, |factor| factor.name.as_str())
    }

    /// A factor's name, with the build that alone has it.
    pub(crate) fn name_and_build(&self, factor: usize) -> String {
        let name = self.name(factor);
        match self.attribution.factors.get(factor) {
            Some(one) if !one.in_base => format!("{name} (in {} only)", self.attribution.target),
            Some(one) if !one.in_target => format!("{name} (in {} only)", self.attribution.base),
            _ => name.to_owned(),
        }
    }

    /// The factors that are changed, or `nothing else`.
    pub(crate) fn setting(&self, setting: Setting) -> String {
        let names: Vec<&str> = setting.factors().map(|factor| self.name(factor)).collect();
        if names.is_empty() { "nothing else".to_owned() } else { names.join(", ") }
    }

    /// Whether any interval is known.
    pub(crate) fn has_intervals(&self) -> bool {
        !matches!(self.attribution.noise, pdiff_study::ablation::NoiseSource::None)
    }
}

/// A change with its sign.
pub(crate) fn value(estimate: &Estimate, places: usize) -> String {
    signed(estimate.value, places)
}

/// The interval of a change; empty where none is known.
pub(crate) fn bounds(estimate: &Estimate, places: usize) -> String {
    estimate.interval.map_or_else(String::new, |bounds| interval(bounds, places))
}

/// What is said beside an effect.
pub(crate) fn noise_words(effect: &Effect) -> &'static str {
    if effect.log.is_within_noise() { "within noise" } else { "" }
}

/// What can be said of the sign over settings.
pub(crate) fn sign_words(sign: Sign) -> &'static str {
    match sign {
        Sign::Same => "",
        Sign::Depends => "sign depends on the other settings",
        Sign::NotSettled => "sign depends on the other settings in these runs, not beyond noise",
        Sign::DependsAsMeasured => "sign depends on the other settings (single runs)",
    }
}

/// What two factors do together. Never more than the scale supports.
pub(crate) fn together_words(effect: &Effect, scale: Scale) -> &'static str {
    match (scale, effect.log.is_within_noise(), effect.log.value > 0.0) {
        (Scale::Dependent, _, _) => "scale-dependent: signs differ in points and ratio",
        (Scale::Agrees, true, _) => "within noise",
        (Scale::Agrees, false, _) if effect.points.is_within_noise() => "beyond noise as a ratio only",
        (Scale::Agrees, false, true) => "together more than their sum",
        (Scale::Agrees, false, false) => "together less than their sum",
    }
}
