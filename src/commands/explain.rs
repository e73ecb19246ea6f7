//! `pdiff explain`: everything that is known about one function.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use pdiff::classify::{FunctionLookup, Verdict};
use pdiff::render::{self, ExplainView, ExplainedFinding};
use pdiff::{Comparison, RowFunction};

use crate::cli::{ExplainArgs, ExplainFormat};
use crate::settings::{Page, examined, most_rows};
use crate::source_text::{SourceRoots, lines_of, lines_of_code};
use crate::watching::Watching;

/// Functions named of those that a name represents.
const MOST_NAMED: usize = 8;

/// Compares, looks into the binaries, and writes the evidence on one function.
pub(crate) fn run(args: &ExplainArgs) -> Result<()> {
    let given = args.function.as_ref().or(args.named.as_ref());
    // An empty name is in all names.
    let Some(name) = given.filter(|name| !name.trim().is_empty()) else {
        bail!("no function is named; hint: give its name after the recordings, or with --function");
    };
    let roots = SourceRoots::new(&args.source)?;
    let page = Page::new(&args.file, &args.color)?;
    let (comparer, _) = examined(&args.examined, args.quiet)?;
    let prepared = comparer.watch(Watching::start(args.quiet).watch()).prepare()?;
    let evidence = prepared.verdicts_with(&[name])?;
    let whole = whole_names(name, &evidence.comparison);
    let name = match &whole[..] {
        [only] => only,
        _ => name,
    };
    let found = evidence.comparison.findings.named(name);
    let (comparison, classification) = (&evidence.comparison, evidence.classify());
    let explained = |finding| ExplainedFinding { comparison, classification, finding };
    let findings: Vec<ExplainedFinding<'_>> = found.iter().copied().map(explained).collect();
    if found.is_empty() && name.starts_with('#') {
        let count = evidence.comparison.findings.list.len();
        bail!("there is no part {name}: the comparison lists {count} parts; hint: pdiff compare lists them")
    }
    // What is not a function of the program has no verdict of its own.
    let of_parts = || found.iter().filter(|of| of.is_function()).map(|of| of.function().to_owned()).collect();
    let names = match evidence.look_up(name) {
        // A number is that of a part, and not the end of a function's name.
        _ if name.starts_with('#') => of_parts(),
        FunctionLookup::Found(names) => {
            tell_of_part(name, &names);
            names
        }
        FunctionLookup::Unknown(_) if whole.len() > 1 => whole.iter().take(MOST_NAMED).cloned().collect(),
        found_no_function if found.is_empty() => names(name, found_no_function)?,
        _ => of_parts(),
    };
    let (verdicts, facts) = evidence.explain(&names);
    let row = |of: &Verdict| RowFunction {
        name: of.function.clone(),
        object: of.object.clone(),
        file: of.file.clone(),
    };
    let functions: Vec<RowFunction> = verdicts.iter().map(row).collect();
    let lines = prepared.hot_lines(&functions);
    let most_lines = most_rows(args.lines).unwrap_or(usize::MAX);
    let is_json = args.format == ExplainFormat::Json;
    let code = match args.code {
        Some(_) => prepared.function_code(&evidence.comparison, &functions)?,
        None => Vec::new(),
    };
    let wanted = lines_of(&lines, if is_json { usize::MAX } else { most_lines });
    let (texts, missing) = roots.read(wanted.chain(lines_of_code(&code)));
    let view = ExplainView {
        name,
        findings: &findings,
        verdicts: &verdicts,
        facts: &facts,
        lines: &lines,
        code: &code,
        most_blocks: args.code.and_then(most_rows).unwrap_or(usize::MAX),
        texts: &texts,
        most_lines,
    };
    let rendered = match args.format {
        ExplainFormat::Text => render::explain_text(&view, &page.table(0)).into_bytes(),
        ExplainFormat::Markdown => render::explain_markdown(&view).into_bytes(),
        ExplainFormat::Json => render::explain_json(&view)?,
    };
    page.output.write(&rendered)?;
    for text in missing {
        crate::complain(&format!("pdiff: {text}"));
    }
    Ok(())
}

/// The functions that pages show under a name that is shortened: `<u8 as ConvertVec>::to_vec::<..>`. Of a part, the function after the
/// arrow.
fn whole_names(shown: &str, comparison: &Comparison) -> Vec<String> {
    let names = || comparison.rows.iter().map(|row| &*row.name);
    let is_whole = |name: &str| names().any(|of| of == name);
    if is_whole(shown) || comparison.findings.list.iter().any(|finding| finding.name == shown) {
        return Vec::new();
    }
    let shown = shown.rsplit(" -> ").next().unwrap_or(shown);
    if is_whole(shown) {
        return vec![shown.to_owned()];
    }
    let whole: BTreeSet<&str> = names().filter(|name| render::is_shown_as(name, shown)).collect();
    whole.into_iter().map(str::to_owned).collect()
}

/// Says so where a name is only a part of the last name of the one function that was found.
fn tell_of_part(name: &str, found: &[String]) {
    let is_plain = name.chars().all(|of| of.is_alphanumeric() || matches!(of, '_' | ':'));
    let [only] = found else { return };
    let last = only.rsplit("::").next().unwrap_or(only);
    let is_part = last.contains(name) && last.split(['<', '(']).next() != Some(name);
    if is_plain && is_part {
        crate::complain(&format!(
            "pdiff: no function is called '{name}'; this is {only}, whose name contains it"
        ));
    }
}

/// The functions that the user means.
fn names(name: &str, found: FunctionLookup) -> Result<Vec<String>> {
    match found {
        FunctionLookup::Found(names) => Ok(names),
        FunctionLookup::OnlyInBuilds(name) => Ok(vec![name]),
        FunctionLookup::TooMany(names) => {
            let some: Vec<&str> = names.iter().take(MOST_NAMED).map(String::as_str).collect();
            let count = names.len();
            bail!("'{name}' matches {count} functions; hint: name one of {}, ...", some.join(", "))
        }
        FunctionLookup::Unknown(close) => {
            let hint = match &close[..] {
                [] => "pdiff compare lists those that were sampled".to_owned(),
                _ => format!("these are close: {}", close.join(", ")),
            };
            bail!(
                "no function is called '{name}' in samples or in the binaries that were found; hint: {hint}"
            )
        }
    }
}
