//! What each group of threads spends, before and after: the shortest account of where a change is.

use pdiff_analysis::CallTree;

use super::ReportInput;
use super::measure::Measure;
use super::text::escaped;

/// One group of threads, its weight in the page's measure.
struct Group<'a> {
    name: &'a str,
    before: f64,
    after: f64,
}

/// A table of the groups that have stacks of their own in the page, the largest change first; nothing where one group is
/// the whole.
pub(super) fn table(input: &ReportInput<'_>) -> String {
    let measure = Measure::of(input.comparison);
    let group = |name| move |tree| Group { name, before: side(input, tree).0, after: side(input, tree).1 };
    let mut groups: Vec<Group<'_>> = input
        .other_trees
        .iter()
        .filter_map(|other| other.thread_group.as_deref().map(|name| group(name)(&other.tree)))
        .collect();
    if groups.is_empty() {
        return String::new();
    }
    let change = |group: &Group<'_>| group.after - group.before;
    groups.sort_by(|a, b| change(b).abs().total_cmp(&change(a).abs()).then_with(|| a.name.cmp(b.name)));
    let mut out = format!(
        "<h3>By threads, in {}</h3>\n<div class=\"wide\"><table class=\"threads\"><thead><tr><th scope=\"col\">group of \
         threads</th><th scope=\"col\" class=\"number\">before</th><th scope=\"col\" class=\"number\">after</th>\
         <th scope=\"col\" class=\"number\">change</th></tr></thead>\n<tbody>\n",
        measure.unit()
    );
    for group in &groups {
        let name = escaped(group.name);
        out.push_str(&format!(
            "<tr><th scope=\"row\"><a href=\"#flame\" data-threads=\"{name}\">{name}</a></th><td class=\"number\">{}</td>\
             <td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
            measure.fixed(group.before),
            measure.fixed(group.after),
            measure.signed(change(group))
        ));
    }
    out.push_str("</tbody></table></div>\n");
    out
}

/// What a tree weighs on both sides: percent of the whole, or its part of the cost of an operation.
fn side(input: &ReportInput<'_>, tree: &CallTree) -> (f64, f64) {
    let Some(root) = tree.nodes.first() else { return (0.0, 0.0) };
    let whole = input.tree.side_weights;
    let part = |weight: u64, whole: u64| weight as f64 / whole.max(1) as f64;
    let (before, after) =
        (part(root.before.total_weight, whole.before), part(root.after.total_weight, whole.after));
    match &input.comparison.cost {
        Some(cost) => (before * cost.per_op.before, after * cost.per_op.after),
        None => (100.0 * before, 100.0 * after),
    }
}
