//! A comparison of inlining as JSON: schema version 1. `docs/inlines.md` describes every key.
//!
//! Rows are written one by one: two large servers have hundreds of megabytes of them.

use std::io::Write;

use pdiff_analysis::inlines::{Flip, FunctionComparison, InlineReason};
use pdiff_profile::census::{Census, Function, FunctionId, Visibility};
use pdiff_profile::{Note, RemarkPlace, Side};
use serde::{Serialize, Serializer};

use crate::compare::json_shape::SCHEMA_VERSION;
use crate::error::Error;
use crate::files::written_bytes::write_json_line;
use crate::inlines::view::{FlippedCall, InlinesView};

/// `pdiff inlines --format json`.
#[derive(Serialize)]
struct InlinesReport<'a> {
    schema_version: u32,
    before: BuildReport<'a>,
    after: BuildReport<'a>,
    /// Both builds come from the same compilers.
    same_compiler: Option<bool>,
    functions: Rows<'a>,
    notes: Vec<NoteReport<'a>>,
}

/// One build.
#[derive(Serialize)]
struct BuildReport<'a> {
    path: &'a str,
    object_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    build_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    debug_path: Option<&'a str>,
    /// `debug-info`, `symbols` or `dynamic-symbols`.
    visibility: &'static str,
    /// Compilers and their flags, most units first.
    producers: Vec<&'a str>,
}

/// One imperfection.
#[derive(Serialize)]
struct NoteReport<'a> {
    kind: &'static str,
    count: u64,
    examples: Vec<&'a str>,
}

/// The rows of a view.
struct Rows<'a>(&'a InlinesView<'a>);

/// One function.
#[derive(Serialize)]
struct RowReport<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    linkage_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    /// Its name on Before's side, where it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    before_name: Option<&'a str>,
    /// `null` where one side has none.
    match_level: Option<&'static str>,
    /// How alike the two are, of 1, where they were paired by similarity.
    #[serde(skip_serializing_if = "Option::is_none")]
    match_score: Option<f64>,
    /// Others would have done as well.
    ambiguous: bool,
    /// `same-file`, `header-to-source`, `source-to-header`, `other-file` or `unknown`.
    source: &'static str,
    /// `null` where that side does not have it, or does not show it.
    before: Option<FormReport<'a>>,
    after: Option<FormReport<'a>>,
    confirmed_lost: Vec<FlipReport<'a>>,
    confirmed_gained: Vec<FlipReport<'a>>,
    change: &'static str,
}

/// A function in one build.
#[derive(Serialize)]
struct FormReport<'a> {
    /// Its name there, where it differs from that of the row.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    out_of_line: usize,
    inlined_instances: u64,
    inlined_into: Vec<CallerReport<'a>>,
    code_bytes: u64,
}

/// A caller whose code holds instances.
#[derive(Serialize)]
struct CallerReport<'a> {
    caller: &'a str,
    sites: u64,
}

/// A caller for which a change is confirmed.
#[derive(Serialize)]
struct FlipReport<'a> {
    caller_before: &'a str,
    caller_after: &'a str,
    sites: u64,
    /// Why the side that calls does not inline, in its compiler's words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<ReasonReport>,
}

/// One reason of the compiler.
#[derive(Serialize)]
struct ReasonReport {
    words: Box<str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    threshold: Option<i64>,
    /// The calls it was given for.
    places: Vec<PlaceReport>,
}

/// A place in the source.
#[derive(Serialize)]
struct PlaceReport {
    file: Box<str>,
    line: u32,
    column: u32,
}

/// Writes the comparison as one line of JSON, schema version 1.
///
/// # Errors
/// If `out` does not take it.
pub fn write_inlines_json(view: &InlinesView<'_>, out: impl Write) -> Result<(), Error> {
    let report = InlinesReport {
        schema_version: SCHEMA_VERSION,
        before: build(view, Side::Before),
        after: build(view, Side::After),
        same_compiler: view.comparison.same_compiler(),
        functions: Rows(view),
        notes: view.notes.iter().map(note).collect(),
    };
    write_json_line(&report, out)
}

fn build<'a>(view: &InlinesView<'a>, side: Side) -> BuildReport<'a> {
    let (file, census) = (view.file(side), view.census(side));
    BuildReport {
        path: &file.path,
        object_id: &file.object_id,
        build_id: file.build_id.as_deref(),
        debug_path: file.debug_path.as_deref(),
        visibility: match census.visibility() {
            Visibility::DebugInfo => "debug-info",
            Visibility::Symbols => "symbols",
            Visibility::DynamicSymbols => "dynamic-symbols",
        },
        producers: census.producers().iter().map(|producer| &*producer.text).collect(),
    }
}

fn note(of: &Note) -> NoteReport<'_> {
    let examples = of.examples.iter().map(|example| &**example).collect();
    NoteReport { kind: of.kind.as_str(), count: of.count, examples }
}

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.rows().map(|of| row(self.0, of)))
    }
}

fn row<'a>(view: &InlinesView<'a>, of: &FunctionComparison) -> RowReport<'a> {
    let comparison = view.comparison;
    let named = comparison.named(of);
    let name = named.map_or("", Function::name);
    let form = |side| {
        let function = comparison.function(of, side);
        function.map(|function| form_of(view.census(side), function, name))
    };
    let before_name = comparison.function(of, Side::Before).map(Function::name);
    let flips =
        |flips: &[Flip], called_on| flips.iter().map(|flip| flip_of(view, of, flip, called_on)).collect();
    RowReport {
        name,
        signature: named.and_then(Function::signature),
        linkage_name: named.and_then(Function::linkage_name),
        file: named.and_then(Function::file),
        before_name: before_name.filter(|before| *before != name),
        match_level: of.matched.map(|found| found.level.as_str()),
        match_score: of.matched.and_then(|found| found.score),
        ambiguous: of.matched.is_some_and(|found| found.is_ambiguous),
        source: of.source.as_str(),
        before: form(Side::Before),
        after: form(Side::After),
        confirmed_lost: flips(&of.confirmed_lost, Side::After),
        confirmed_gained: flips(&of.confirmed_gained, Side::Before),
        change: of.change.as_str(),
    }
}

fn form_of<'a>(census: &'a Census, function: Function<'a>, name: &str) -> FormReport<'a> {
    let caller = |id| census.function(id).map_or("", Function::name);
    let into = census.inlined_into(function.target());
    FormReport {
        name: Some(function.name()).filter(|own| *own != name),
        out_of_line: function.out_of_line(),
        inlined_instances: function.inlined_instances(),
        inlined_into: into
            .map(|into| CallerReport { caller: caller(into.caller), sites: into.sites })
            .collect(),
        code_bytes: function.code_bytes(),
    }
}

fn flip_of<'a>(
    view: &InlinesView<'a>,
    row: &FunctionComparison,
    flip: &Flip,
    called_on: Side,
) -> FlipReport<'a> {
    let name = |side, id: FunctionId| view.census(side).function(id).map_or("", Function::name);
    let call = FlippedCall::of(row, flip, called_on);
    FlipReport {
        caller_before: name(Side::Before, flip.caller_before),
        caller_after: name(Side::After, flip.caller_after),
        sites: flip.sites,
        reasons: call.map_or_else(Vec::new, |call| view.reasons_of(call)).into_iter().map(reason).collect(),
    }
}

fn reason(of: InlineReason) -> ReasonReport {
    let place = |place: RemarkPlace| PlaceReport { file: place.file, line: place.line, column: place.column };
    let places = of.places.into_iter().map(place).collect();
    ReasonReport { words: of.words, cost: of.cost, threshold: of.threshold, places }
}

#[cfg(test)]
mod tests;
