//! The measure that a verdict is about, in words.

use pdiff_analysis::classify::Judged;

/// As sentences call it.
pub(crate) fn measure(of: Judged) -> &'static str {
    match of {
        Judged::OwnSelf => "self",
        Judged::Booked => "self by symbol",
        Judged::Total => "total",
    }
}

/// As the headings of tables call it.
pub(crate) fn column(of: Judged) -> &'static str {
    match of {
        Judged::Booked => "symbol",
        Judged::OwnSelf | Judged::Total => measure(of),
    }
}

#[cfg(test)]
mod tests {
    use pdiff_analysis::classify::Fact;
    use pdiff_profile::PerSide;

    use super::*;
    use crate::verdicts::words::fact_text;

    #[test]
    fn no_text_calls_self_by_symbol_as_json_does() {
        let fact = Fact::Measure {
            measure: Judged::Booked,
            pct: PerSide::new(1.0, 2.0),
            interval_pp: (0.5, 1.5),
            q_value: None,
            significant: true,
        };
        assert!(fact_text(&fact).starts_with("self by symbol 1.00 % to 2.00 %"));
        for of in [Judged::OwnSelf, Judged::Booked, Judged::Total] {
            assert!([measure(of), column(of)].iter().all(|word| !word.contains("booked")));
        }
    }
}
