//! Verdicts for tests: small, by hand.

use pdiff_analysis::classify::{
    BuildDistance, Cause, Classification, Confidence, Evidence, Fact, InBuild, Judged, Limit, Missing,
    MissingPart, Reason, Tag, Verdict, VerdictFamily,
};
use pdiff_profile::{Presence, Side};

use crate::compare::sample::row;

/// A verdict on a function with these shares.
pub(crate) fn verdict(function: &str, cause: Cause, shares: (f64, f64)) -> Verdict {
    let row = row(function, shares);
    Verdict {
        function: function.to_owned(),
        object: "mysqld".to_owned(),
        file: Some("sql/x.cc".to_owned()),
        is_by_file: false,
        rule_id: "R-test",
        cause,
        confidence: Confidence::Likely,
        limited_by: Some(Limit::FewSamples(3)),
        reason: Reason::Renamed { before: function.to_owned(), after: "heir".to_owned(), net_pp: 0.5 },
        judged: Judged::OwnSelf,
        before: row.before.clone(),
        after: row.after.clone(),
        ci_low_pp: row.ci_low_pp,
        ci_high_pp: row.ci_high_pp,
        q_value: Some(0.01),
        cost_change: None,
        net_new_per_op_ns: None,
        family: None,
        callers: vec!["caller_a".to_owned(), "caller_b".to_owned()],
        tags: Vec::new(),
        presence: Presence::Both,
        in_before: InBuild::Yes,
        in_after: InBuild::NotVisible,
        other_name: Some((Side::Before, "slower_too".to_owned())),
        evidence: vec![Evidence { side: None, fact: Fact::GrownCode { before: 6, after: 12 } }],
    }
}

/// One verdict of several causes, noise among them, and a family.
pub(crate) fn classification() -> Classification {
    let mut slower = verdict("slower", Cause::Heavier, (1.0, 3.0));
    slower.tags = vec![Tag::SpinWait, Tag::CompilerChange];
    let mut pointing = verdict("pointing", Cause::Heavier, (1.0, 9.0));
    pointing.rule_id = "R-callees";
    pointing.judged = Judged::Total;
    let mut leaf = verdict("leaf", Cause::InlineRegression, (0.0, 2.0));
    leaf.family = Some(0);
    Classification {
        verdicts: vec![
            verdict("steady", Cause::Noise, (1.0, 1.01)),
            pointing,
            slower,
            verdict("slow\u{1b}[31m", Cause::Heavier, (1.0, 2.0)),
            leaf,
        ],
        distance: Some(BuildDistance { is_of_sampled: true, compared: 40, same: 31, is_patch: Some(true) }),
        families: vec![VerdictFamily {
            id: 0,
            members: vec!["leaf".to_owned(), "scan".to_owned()],
            booked_delta_pp: 0.5,
            moved_pp: 1.5,
            body_pp: 0.375,
            call_overhead_pp: 0.125,
        }],
        missing: vec![Missing { side: Side::Before, what: MissingPart::Symbols }],
        rebuilt: Vec::new(),
        settings: None,
    }
}
