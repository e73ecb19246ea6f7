//! Instances of the program's templates in each build. A type that got another name gives its instances another one, too; and an
//! instance for another type has the code that the template had.

use pdiff_profile::census::Function;
use pdiff_profile::names::{SymbolWords, loose_name};
use pdiff_profile::{PerSide, Side};
use rustc_hash::FxHashMap;

use super::builds::Builds;
use super::case::Case;
use super::cause::InBuild;
use super::library::{is_library, is_of_library};

/// An instance of a template.
pub(super) struct Instance {
    pub(super) name: String,
    /// Whether the other build lacks it.
    pub(super) is_of_one: bool,
}

/// An instance in each build of each template, by the name without template arguments: one that the other build lacks, if any.
pub(super) struct Instances(PerSide<FxHashMap<String, Instance>>);

impl Instances {
    /// Of the templates that some of the functions that one build alone has are instances of.
    pub(super) fn new(builds: &Builds<'_>, cases: &[Case<'_>]) -> Self {
        let is_of_one = |case: &&Case<'_>| Side::BOTH.iter().any(|side| case.held_by(*side) == InBuild::No);
        let of_one = cases.iter().filter(is_of_one).filter(|case| !is_library(case));
        let names = of_one.map(|case| &*case.row.name);
        let asked: Vec<String> = names.filter(|name| name.contains('<')).filter_map(loose_name).collect();
        // To demangle the names of all functions takes longer than all other judging.
        let words = SymbolWords::of_templates(asked.iter().map(String::as_str));
        let may_be_asked = |function: &Function<'_>| {
            !function.is_mangled() || function.linkage_name().is_some_and(|symbol| words.may_be_of(symbol))
        };
        Self(PerSide::from_fn(|side| {
            let census = builds.census(side).filter(|_| !asked.is_empty());
            let functions = census.into_iter().flat_map(|census| census.functions()).filter(may_be_asked);
            let own = functions.filter(|function| {
                function.name().contains('<')
                    && function.is_present()
                    && !is_of_library(function.name(), function.file())
            });
            let mut instances: FxHashMap<String, Instance> = FxHashMap::default();
            for function in own {
                let Some(loose) = loose_name(function.name()) else { continue };
                let is_of_one = builds.matches(side, &[function.id()]).is_empty();
                if is_of_one || !instances.contains_key(&loose) {
                    instances.insert(loose, Instance { name: function.name().to_owned(), is_of_one });
                }
            }
            instances
        }))
    }

    /// An instance in a side's build of the template of `name`.
    pub(super) fn of_template(&self, name: &str, side: Side) -> Option<&Instance> {
        let loose = Some(name).filter(|name| name.contains('<')).and_then(loose_name)?;
        self.0[side].get(&loose)
    }
}
