//! Behind the parts of a change: what may be wrong about them, and the command that follows.

use pdiff_analysis::classify::FindingCause;
use pdiff_analysis::{Comparison, Finding, FindingKind};
use pdiff_profile::PerSide;

use crate::document::{Block, CommandLine, Line, quoted};
use crate::findings::grid::{is_gone, is_new};

/// A part that is new and one that is gone cancel if less than this of the larger one is left.
const CANCELS: f64 = 0.3;

/// The parts that may be one function with two names, as far as stacks can show it: each ran on one side alone, below the same caller,
/// for about the same cost.
pub(super) fn maybe_renamed(list: &[Finding]) -> impl Iterator<Item = Block> {
    let size = |finding: &Finding| finding.delta_per_op().unwrap_or(finding.delta_pp());
    let is_same = move |new: &Finding, gone: &Finding| {
        let (grew, shrank) = (size(new), -size(gone));
        let has_caller = new.callers.first().is_some_and(|caller| gone.callers.first() == Some(caller));
        has_caller && new.object == gone.object && (grew - shrank).abs() < CANCELS * grew.max(shrank)
    };
    let of_kind = |is_it: fn(&Finding) -> bool| {
        list.iter().filter(move |finding| finding.kind == FindingKind::Region && is_it(finding))
    };
    of_kind(is_new).filter_map(move |new| {
        let mut same = of_kind(is_gone).filter(|gone| is_same(new, gone));
        // With several candidates none is likely.
        let gone = same.next().filter(|_| same.next().is_none())?;
        let text = format!(
            "parts {} and {} may be one function that was renamed: {} ran only after, {} only before, both below {}, and they cost \
             about the same; --causes, with both binaries, tells",
            new.rank, gone.rank, new.name, gone.name, new.callers.first()?
        );
        Some(Line::block("doubt", text))
    })
}

/// So many percent of the samples of a side without their last caller may give parts the name of a function above.
const MANY_MISSING_PCT: f64 = 10.0;

/// Says that stacks often lack the function that was called last: the parts have it, and what shows stacks as recorded does not.
pub(super) fn missing_callers(comparison: &Comparison) -> Option<Block> {
    let PerSide { before, after } = comparison.missing_callers?;
    let is_many = |before: f64, after: f64| before.max(after) >= MANY_MISSING_PCT;
    let mut text = Vec::new();
    if is_many(before.told_pct, after.told_pct) {
        text.push(format!(
            "{:.0} % of samples before and {:.0} % after lack the direct caller of what ran, because that had set up no frame. The parts \
             have it back where other samples show it, by the code at the return addresses; rows and plain flame graphs are as recorded",
            before.told_pct, after.told_pct
        ));
    }
    if is_many(before.unknown_pct, after.unknown_pct) {
        text.push(format!(
            "{:.0} % of samples before and {:.0} % after ran in a library below a call through a pointer: what was called is not known, and they \
             count for the function that made the call; recordings with --call-graph dwarf show it",
            before.unknown_pct, after.unknown_pct
        ));
    }
    (!text.is_empty()).then(|| Line::block("callers", text.join(". ")))
}

/// What the option adds that looks into the binaries: parts can be others with it.
const CAUSES: &str = "--causes, with both binaries: all causes, and callers that stacks lack";

/// What to do next.
pub(super) fn blocks(
    comparison: &Comparison,
    causes: &[FindingCause],
    explain: Option<&[String]>,
) -> Vec<Block> {
    let has_causes = !causes.is_empty();
    let list = &comparison.findings.list;
    let Some((at, first)) = list.iter().enumerate().find(|(_, finding)| finding.is_function()) else {
        return Vec::new();
    };
    let origin = causes.get(at).and_then(|of| of.origin.as_ref());
    let name = origin.map_or(first.function(), |origin| &origin.function);
    if let Some(explain) = explain {
        let named = ["--function".to_owned(), name.to_owned()];
        let words = explain.iter().cloned().chain(named).collect();
        let command = Block::Command(CommandLine { label: "next", words });
        let causes = (!has_causes).then(|| Line::block("", CAUSES));
        return std::iter::once(command).chain(causes).collect();
    }
    let explain =
        format!("pdiff explain --function {} (with this command's recordings and options)", quoted(name));
    let text = if has_causes {
        format!("all of part {}: {explain}", first.rank)
    } else {
        format!("why: {explain}; {CAUSES}")
    };
    vec![Line::block("next", text)]
}

#[cfg(test)]
mod tests {
    use pdiff_analysis::{Comparison, MissingCallers};
    use pdiff_profile::PerSide;

    use crate::compare::page::{markdown, table};
    use crate::compare::sample;
    use crate::document::options::TableOptions;

    #[test]
    fn callers_that_stacks_lack_are_told_if_they_are_many() {
        let with = |of: Option<[(f64, f64); 2]>| {
            let missing = |(told_pct, unknown_pct)| MissingCallers { told_pct, unknown_pct };
            let missing_callers = of.map(|[before, after]| PerSide::new(missing(before), missing(after)));
            super::missing_callers(&Comparison { missing_callers, ..sample::with_findings() })
        };
        assert!(with(None).is_none() && with(Some([(9.0, 9.9), (9.9, 0.0)])).is_none());
        let told = format!("{:?}", with(Some([(3.0, 9.0), (41.6, 9.0)])));
        assert!(
            told.contains("3 % of samples before and 42 % after lack") && !told.contains("pointer"),
            "{told}"
        );
        let unknown = format!("{:?}", with(Some([(3.0, 12.0), (4.0, 0.4)])));
        assert!(
            unknown.contains("12 % of samples before and 0 % after ran in a library")
                && !unknown.contains("lack")
        );
    }

    #[test]
    fn the_next_command_can_be_pasted() {
        let words = ["pdiff", "explain", "a b.perf", "b.perf", "--windows", "w.tsv"].map(str::to_owned);
        let options =
            |width| TableOptions { width: Some(width), explain: Some(words.to_vec()), ..sample::options() };
        let expected = "next     pdiff explain 'a b.perf' b.perf --windows w.tsv --function log_writer\n";
        assert!(table(&sample::with_findings(), &options(100)).contains(expected));
        let narrow = table(&sample::with_findings(), &options(40));
        let (_, command) = narrow.split_once("next     ").unwrap();
        let (command, _) = command.split_once("\n         --causes").unwrap();
        assert_eq!(
            command,
            "pdiff explain 'a b.perf' \\\n           b.perf --windows w.tsv \\\n           --function log_writer"
        );
        let page = markdown(&sample::with_findings(), &options(100));
        assert!(page.contains("- **next** `pdiff explain 'a b.perf' b.perf"), "{page}");
    }

    #[test]
    fn new_and_gone_code_of_one_caller_at_one_cost_may_be_a_rename() {
        let mut of = sample::with_findings();
        let doubts = |of: &Comparison| table(of, &sample::options()).matches("may be one function").count();
        assert_eq!(doubts(&of), 0);
        let list = &mut of.findings.list;
        let gone = list.len() - 1;
        list[gone].before = list[0].after;
        list[gone].after = list[0].before;
        list[gone].kind = list[0].kind;
        for part in [0, gone] {
            list[part].callers = vec!["start".to_owned()];
        }
        assert_eq!(doubts(&of), 1);
        // Of another caller, or at another cost, it is not.
        of.findings.list[gone].callers = vec!["other".to_owned()];
        assert_eq!(doubts(&of), 0);
    }
}
