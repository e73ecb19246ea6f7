//! Which object of one side is which object of the other.
//!
//! Objects are named by file name; versions after `.so` are dropped (`libstdc++.so.6.0.30` is `libstdc++.so`). Where the
//! heaviest program file of a side has no namesake on the other side, and the same applies the other way round, the two are
//! treated as two builds of one program (`tA` and `tB` become `tA -> tB`), and a note says so.

use pdiff_profile::{NoteKind, Notes, Object, ObjectKind, Profile, Side, Weight};
use rustc_hash::FxHashMap;

/// The labels that objects have in rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct ObjectLabels {
    paired: Option<Pair>,
}

#[derive(Clone, Debug)]
struct Pair {
    before: String,
    after: String,
}

impl ObjectLabels {
    /// Labels for the objects of both sides; `weights` gives each profile's own leaf weight by object index.
    pub(crate) fn new(before: &[ObjectWeights<'_>], after: &[ObjectWeights<'_>], notes: &mut Notes) -> Self {
        let (of_before, of_after) = (weights_by_label(before), weights_by_label(after));
        let heaviest = |own: &FxHashMap<String, u64>, other: &FxHashMap<String, u64>| {
            let (label, weight) = heaviest_program(own)?;
            (weight > 0 && !other.contains_key(label)).then(|| label.to_owned())
        };
        let pair = heaviest(&of_before, &of_after).zip(heaviest(&of_after, &of_before));
        let paired = pair.map(|(before, after)| Pair { before, after });
        if let Some(pair) = &paired {
            let weight = of_after.get(&pair.after).copied().unwrap_or(0);
            notes.add(NoteKind::PairedObjects, 1, Weight(weight), || {
                format!(
                    "{} before and {} after are treated as two builds of one program",
                    pair.before, pair.after
                )
            });
        }
        Self { paired }
    }

    /// The label of one object.
    pub(crate) fn label(&self, object: &Object, side: Side) -> String {
        let label = label_of(object);
        match &self.paired {
            Some(pair) if side == Side::Before && label == pair.before => pair.label(),
            Some(pair) if side == Side::After && label == pair.after => pair.label(),
            _ => label,
        }
    }
}

impl Pair {
    fn label(&self) -> String {
        format!("{} -> {}", self.before, self.after)
    }
}

/// A profile and its leaf weight by object.
pub(crate) struct ObjectWeights<'a> {
    pub(crate) profile: &'a Profile,
    pub(crate) leaf_weights: Vec<u64>,
}

/// Which object is the program: the file with the most samples of its own, libraries ignored.
pub(crate) fn heaviest_program(weights: &FxHashMap<String, u64>) -> Option<(&str, u64)> {
    let programs = weights.iter().filter(|(label, _)| !label.ends_with(".so"));
    let heaviest = programs.max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0)))?;
    Some((heaviest.0, *heaviest.1))
}

/// The names of a side's files in rows, with the weight of the samples in each.
pub(crate) fn weights_by_label(runs: &[ObjectWeights<'_>]) -> FxHashMap<String, u64> {
    let mut sums = FxHashMap::default();
    for run in runs {
        for (object, weight) in run.profile.objects.iter().zip(&run.leaf_weights) {
            if object.kind == ObjectKind::File {
                let sum: &mut u64 = sums.entry(label_of(object)).or_default();
                *sum = sum.saturating_add(*weight);
            }
        }
    }
    sums
}

fn label_of(object: &Object) -> String {
    let name = object.file_name();
    match object.kind {
        ObjectKind::File => match name.find(".so.") {
            Some(at) => name.get(..at + 3).unwrap_or(name).to_owned(),
            None => name.to_owned(),
        },
        ObjectKind::Kernel => "[kernel]".to_owned(),
        ObjectKind::Jit => "[jit]".to_owned(),
        ObjectKind::Anonymous => "[anonymous]".to_owned(),
        ObjectKind::Vdso => "[vdso]".to_owned(),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_forget_paths_and_library_versions() {
        let check = |text: &str, expected: &str| assert_eq!(label_of(&Object::from_text(text)), expected);
        check("/opt/mysql/8.0.33/bin/mysqld", "mysqld");
        check("/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30", "libstdc++.so");
        check("[kernel.kallsyms]", "[kernel]");
        check("[nf_conntrack]", "[nf_conntrack]");
        check("/tmp/perf-42.map", "[jit]");
        check("[unknown]", "[unknown]");
    }
}
