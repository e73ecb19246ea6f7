//! Tests of this part of the verdicts' forms.

use pdiff_analysis::classify::Fact;
use pdiff_analysis::{HotLine, RowFunction, SideLines, SourceLine};
use pdiff_profile::{PerSide, Side, Weight};

use super::*;
use crate::compare::sample::options as usual_options;
use crate::verdicts::sample::classification;

fn at(file: &str, line: u32) -> SourceLine {
    SourceLine { file: file.to_owned(), line }
}

fn lines() -> FunctionLines {
    let hot = HotLine {
        at: at("/build/x/include/leaf.h", 3),
        inlined: Some("leaf".to_owned()),
        called_at: Some(at("/build/x/sql/x.cc", 40)),
        weight: Weight(30),
        samples: 30,
    };
    let own = HotLine {
        at: at("/build/x/sql/x.cc", 7),
        inlined: None,
        called_at: None,
        weight: Weight(10),
        samples: 10,
    };
    let after = SideLines { lines: vec![hot, own], weight: Weight(50), without_line: Weight(10) };
    FunctionLines {
        of: RowFunction {
            name: "slower".to_owned(),
            object: "mysqld".to_owned(),
            file: Some("sql/x.cc".to_owned()),
        },
        sides: PerSide::new(SideLines::default(), after),
    }
}

fn no_binary() -> Evidence {
    Evidence { side: Some(Side::Before), fact: Fact::NoBinary }
}

fn text(most_lines: usize, width: usize) -> String {
    let classification = classification();
    let mut texts = SourceTexts::default();
    texts.insert(Side::After, at("/build/x/sql/x.cc", 7), "return 0; // \u{1b}[31m");
    let (lines, facts) = ([lines()], [no_binary()]);
    let view = ExplainView {
        name: "x",
        findings: &[],
        verdicts: &classification.verdicts[2..3],
        facts: &facts,
        lines: &lines,
        code: &[],
        most_blocks: 5,
        texts: &texts,
        most_lines,
    };
    let options = TableOptions { width: Some(width), ..usual_options() };
    explain_text(&view, &options)
}

#[test]
fn the_verdict_its_facts_and_its_lines_stand_together() {
    let text = text(10, 120);
    for part in [
        "function slower (mysqld)",
        "verdict  heavier, likely (R-test)",
        "limited  only 3 samples",
        "tags     spin-wait, compiler-change",
        "in build before: yes, as slower_too, after: not-visible",
        "before   no sample in its code",
        "after    hot lines, 2 of 2; 20.0 % of its samples have no line",
        "include/leaf.h:3",
        "leaf at sql/x.cc:40",
        "return 0;",
        "x: no samples of its own in either run",
        "missing  before: no binary of this build was read",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.find("60.0").unwrap() < text.find("20.0  ").unwrap_or(usize::MAX));
}

#[test]
fn widths_are_kept_and_lines_cut() {
    for width in [40, 51, 52, 56, 80] {
        let text = text(1, width);
        assert!(text.contains("hot lines, 1 of 2") && !text.contains('\u{1b}'), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= width), "{width}: {text}");
    }
}

#[test]
fn a_part_stands_before_its_functions_with_its_setting_and_members() {
    let mut comparison = crate::compare::sample::with_findings();
    let classification = classification();
    let mut member = pdiff_analysis::FindingMember {
        name: classification.verdicts[2].function.clone(),
        object: classification.verdicts[2].object.clone(),
        before: pdiff_analysis::FindingSide::default(),
        after: comparison.findings.list[0].after,
    };
    member.before.per_op = Some(0.0);
    comparison.findings.list[0].members = vec![member];
    let finding = comparison.findings.named("#1")[0];
    assert_eq!(comparison.findings.named("log_writer"), [finding]);
    assert_eq!(comparison.findings.named("execute"), comparison.findings.named("#2"));
    assert!(comparison.findings.named("#9").is_empty());
    let findings = [ExplainedFinding { comparison: &comparison, classification: &classification, finding }];
    let view = ExplainView {
        name: "log_writer",
        findings: &findings,
        verdicts: &classification.verdicts[2..3],
        facts: &[],
        lines: &[],
        code: &[],
        most_blocks: 5,
        texts: &SourceTexts::default(),
        most_lines: 1,
    };
    let options = TableOptions { width: Some(120), ..usual_options() };
    let text = explain_text(&view, &options);
    for part in [
        "part     1 of 3: log_writer (mysqld), new, polling",
        "cause    new-overhead, likely",
        "polling  0.0 % of it before, 97.9 % after",
        "setting  innodb_log_writer_threads = ON, a setting that Before does not have",
        "inside   +26.40 us in slower itself: heavier, likely",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.find("part ") < text.find("function slower"), "{text}");
}
