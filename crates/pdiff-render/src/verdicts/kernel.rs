//! Verdicts on functions of the kernel in few lines: the kernel's work that changed, and the functions that caused it.

use pdiff_analysis::classify::{Cause, Verdict};
use pdiff_analysis::{Comparison, KernelKind, KernelWork, is_kernel_object};

use crate::document::number::{fixed, signed};
use crate::document::options::TableOptions;
use crate::document::short_name::shorten;
use crate::document::visible_text::visible;
use crate::document::{Align, Block, Grid, GridCell, GridColumn, Line, Tone};

/// Columns of a name where the width is limited.
const NAME_WIDTH: usize = 40;

/// Whether a verdict is on a function of the kernel.
pub(super) fn is_of_kernel(verdict: &Verdict) -> bool {
    is_kernel_object(&verdict.object)
}

/// The work of the kernel that changed beyond noise, in the place of verdicts on its functions.
pub(super) fn blocks(
    comparison: &Comparison,
    verdicts: &[Verdict],
    options: &TableOptions,
    width: Option<usize>,
) -> Vec<Block> {
    let changed = verdicts.iter().filter(|of| is_of_kernel(of) && of.cause != Cause::Noise).count();
    let least = options.min_delta_pp.unwrap_or(0.0);
    let is_told = |work: &&KernelWork| work.significant && work.delta_pp().abs() >= least;
    let works: Vec<&KernelWork> = comparison.findings.kernel.iter().filter(is_told).collect();
    if changed == 0 && works.is_empty() {
        return Vec::new();
    }
    let text = match (changed, works.is_empty()) {
        (0, _) => "work of the kernel that changed, by the function that entered it".to_owned(),
        (_, true) => format!("{} changed, but for no caller beyond noise", functions(changed)),
        (_, false) => format!("{} changed; by the function that entered the kernel:", functions(changed)),
    };
    let mut blocks = vec![Line::toned("kernel", text, Tone::Strong)];
    if works.is_empty() {
        return blocks;
    }
    let shown = options.top.unwrap_or(usize::MAX).min(works.len());
    blocks.push(Block::Grid(grid(&works[..shown], width)));
    if shown < works.len() {
        let left = works.len() - shown;
        blocks.push(Line::toned("more", format!("{left} more; --top 0 shows all"), Tone::Dim));
    }
    blocks
}

fn functions(count: usize) -> String {
    if count == 1 {
        "1 function of the kernel".to_owned()
    } else {
        format!("{count} functions of the kernel")
    }
}

fn grid(works: &[&KernelWork], width: Option<usize>) -> Grid {
    let titles = [
        ("entered by", Align::Left),
        ("before %", Align::Right),
        ("after %", Align::Right),
        ("change", Align::Right),
        ("rows", Align::Right),
        ("for", Align::Left),
    ];
    let column =
        |(title, align): (&str, Align)| GridColumn { title: [String::new(), title.to_owned()], align };
    let cells = |work: &&KernelWork| {
        let change = work.delta_pp();
        let tone = if change > 0.0 { Tone::Worse } else { Tone::Better };
        vec![
            caller(work, width),
            GridCell::plain(fixed(work.before.pct, 2)),
            GridCell::plain(fixed(work.after.pct, 2)),
            GridCell::toned(signed(change, 2), tone),
            GridCell::plain(work.functions.to_string()),
            GridCell::plain(kind_text(work.kind)),
        ]
    };
    Grid {
        columns: titles.into_iter().map(column).collect(),
        rows: works.iter().map(cells).collect(),
        sums: 0,
    }
}

fn caller(work: &KernelWork, width: Option<usize>) -> GridCell {
    let Some(caller) = &work.caller else {
        let text = if work.kind == KernelKind::Interrupts { "(any)" } else { "(no caller)" };
        return GridCell::toned(text, Tone::Dim);
    };
    let name = visible(caller);
    GridCell::name(width.map_or_else(|| name.to_string(), |_| shorten(&name, NAME_WIDTH).into_owned()))
}

fn kind_text(kind: KernelKind) -> &'static str {
    match kind {
        KernelKind::PageFaults => "page faults",
        KernelKind::Futex => "futex",
        KernelKind::ReadWrite => "read and write",
        KernelKind::Network => "network",
        KernelKind::MemoryMapping => "memory mapping",
        KernelKind::Scheduling => "scheduling",
        KernelKind::Interrupts => "interrupts",
        KernelKind::Other => "other work",
    }
}
