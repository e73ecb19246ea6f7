//! Costs divided by a second event, for readers and as JSON: more instructions, or slower ones.

use pdiff_analysis::{Beside, BesideRow, Comparison, CostParts};

use crate::compare::json_shape::{BesideReport, BesideRowReport, CostPartsReport};
use crate::document::number::{CostUnit, fixed};
use crate::document::options::TableOptions;
use crate::document::visible_text::{cut_middle, visible};
use crate::document::{Align, Block, Grid, GridCell, GridColumn, Line};

/// Rows that are listed at most: those whose cost changed most.
const MOST_ROWS: usize = 10;

/// Longest name.
const NAME: usize = 50;

/// A section for each event: what all samples say, then the rows that changed most.
pub(crate) fn blocks(comparison: &Comparison, options: &TableOptions) -> Vec<Block> {
    let Some(cost) = &comparison.cost else { return Vec::new() };
    let unit = CostUnit::of(cost).for_parts();
    let of = |beside: &Beside| section(beside, unit, options.top.unwrap_or(MOST_ROWS).min(MOST_ROWS));
    comparison.beside.iter().flat_map(of).collect()
}

fn section(of: &Beside, unit: CostUnit, most: usize) -> Vec<Block> {
    let (event, beside) = (visible(&of.event), visible(&of.beside));
    let heading = match &of.whole {
        None => format!("{beside}: no samples on a side, so nothing is divided"),
        Some(whole) => {
            let (count, price) = (whole.count_ratio, whole.price_ratio);
            format!(
                "an operation takes {} times the {beside} ({}..{}), and each of them {} times the {event} ({}..{}): {}",
                fixed(count.value, 2),
                fixed(count.low, 2),
                fixed(count.high, 2),
                fixed(price.value, 2),
                fixed(price.low, 2),
                fixed(price.high, 2),
                whole.reason().as_str()
            )
        }
    };
    let mut rows: Vec<&BesideRow> = of.rows.iter().collect();
    let change = |row: &BesideRow| (row.parts.cost.after - row.parts.cost.before).abs();
    rows.sort_by(|a, b| change(b).total_cmp(&change(a)));
    rows.truncate(most);
    let mut blocks = vec![Line::block("beside", heading)];
    if !rows.is_empty() {
        blocks.push(Block::Grid(grid(&rows, unit, &beside)));
    }
    blocks
}

fn grid(rows: &[&BesideRow], unit: CostUnit, beside: &str) -> Grid {
    let column =
        |top: &str, bottom: &str, align| GridColumn { title: [top.to_owned(), bottom.to_owned()], align };
    let per_op = match unit.name {
        "" => "cost/op".to_owned(),
        name => format!("{name}/op"),
    };
    let columns = vec![
        column("cost", &per_op, Align::Right),
        column("by more", beside, Align::Right),
        column("by their", "price", Align::Right),
        column(beside, "ratio", Align::Right),
        column("price", "ratio", Align::Right),
        column("", "what", Align::Left),
        column("", "function", Align::Left),
    ];
    let cells = |row: &&BesideRow| {
        let parts = &row.parts;
        let plain = |text: String| GridCell::plain(text);
        vec![
            plain(unit.signed(parts.cost.after - parts.cost.before)),
            plain(unit.signed(parts.by_count)),
            plain(unit.signed(parts.by_price)),
            plain(fixed(parts.count_ratio.value, 2)),
            plain(fixed(parts.price_ratio.value, 2)),
            plain(parts.reason().as_str().to_owned()),
            GridCell::name(cut_middle(&visible(&row.name), NAME).into_owned()),
        ]
    };
    Grid { columns, rows: rows.iter().map(cells).collect(), sums: 0 }
}

/// The same as JSON, every row.
pub(crate) fn report(of: &Beside) -> BesideReport<'_> {
    BesideReport {
        event: &of.event,
        beside: &of.beside,
        whole: of.whole.as_ref().map(parts_report),
        functions: of.rows.iter().map(row_report).collect(),
    }
}

fn row_report(row: &BesideRow) -> BesideRowReport<'_> {
    BesideRowReport { name: &row.name, object: &row.object, parts: parts_report(&row.parts) }
}

fn parts_report(parts: &CostParts) -> CostPartsReport {
    let price = parts.price();
    CostPartsReport {
        per_op_before: parts.cost.before,
        per_op_after: parts.cost.after,
        count_per_op_before: parts.count.before,
        count_per_op_after: parts.count.after,
        price_before: price.before,
        price_after: price.after,
        by_count: parts.by_count,
        by_price: parts.by_price,
        count_ratio: parts.count_ratio.value,
        count_ratio_ci: [parts.count_ratio.low, parts.count_ratio.high],
        price_ratio: parts.price_ratio.value,
        price_ratio_ci: [parts.price_ratio.low, parts.price_ratio.high],
        price_is_own: parts.is_price_own,
        reason: parts.reason().as_str(),
    }
}
