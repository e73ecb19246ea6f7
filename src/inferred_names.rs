//! Names for functions of a stripped build, inferred from the other build's file. They join rows as renames do, and are marked.

use std::collections::BTreeSet;

use pdiff_analysis::Aliases;
use pdiff_profile::{InlineFrame, Object, PerSide, Resolution, Side, is_unnamed};
use pdiff_symbolize::names_by_structure;

use crate::build::Build;
use crate::lookup::Lookup;
use crate::read::{FoundFile, ReadBuild};

/// The names of sampled functions without a symbol, where the other build has a file of the same name. What cannot be read
/// has none.
pub(crate) fn inferred_names(read: &PerSide<ReadBuild>, builds: &PerSide<Build>, lookup: &Lookup) -> Aliases {
    let mut names = Aliases::default();
    for side in Side::BOTH {
        let (stripped, named) = (&read[side], &read[side.other()]);
        let wanted = unnamed_functions(stripped);
        if wanted.is_empty() {
            continue;
        }
        let options = lookup.options(&[&*builds[side].binaries, &*builds[side.other()].binaries].concat());
        for file in stripped.files() {
            let object = object_name(file);
            let is_wanted = wanted.iter().any(|name| name.starts_with(&format!("{object}+")));
            let other = named.files().into_iter().find(|other| object_name(other) == object);
            let Some(other) = other.filter(|other| is_wanted && other.file != file.file) else { continue };
            let found = names_by_structure(&file.file, &other.file, &options).unwrap_or_default();
            for inferred in found {
                let unnamed = InlineFrame::unnamed(&object, "", inferred.offset).name;
                if wanted.contains(&*unnamed) {
                    names.insert(&unnamed, &inferred.name);
                }
            }
        }
    }
    names
}

fn object_name(file: &FoundFile) -> String {
    Object::from_text(&file.path).file_name().to_owned()
}

/// The sampled functions of a build that have no symbol.
fn unnamed_functions(build: &ReadBuild) -> BTreeSet<&str> {
    let resolutions = build.runs.iter().filter_map(|run| run.resolutions.as_ref());
    let all = resolutions.flat_map(|resolutions| resolutions.table());
    let names = all.filter_map(|resolution| match resolution {
        Resolution::Resolved(chain) => Some(&*chain.outermost().name),
        Resolution::Unresolved(_) => None,
    });
    names.filter(|name| is_unnamed(name)).collect()
}
