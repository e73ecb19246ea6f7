//! Instances of the program's templates that one build alone has. A type that got another name gives its instances another one, too.

use pdiff_profile::names::loose_name;
use pdiff_profile::{PerSide, Side};
use rustc_hash::FxHashMap;

use super::builds::Builds;
use super::library::is_of_library;

/// Names of functions of each build that the other build lacks, by their names without template arguments.
#[derive(Default)]
pub(super) struct Instances(PerSide<FxHashMap<String, String>>);

impl Instances {
    pub(super) fn new(builds: &Builds<'_>) -> Self {
        Self(PerSide::from_fn(|side| {
            let functions = builds.census(side).into_iter().flat_map(|census| census.functions());
            let own = functions.filter(|function| {
                function.name().contains('<')
                    && function.is_present()
                    && !is_of_library(function.name(), function.file())
                    && builds.matches(side, &[function.id()]).is_empty()
            });
            own.filter_map(|function| Some((loose_name(function.name())?, function.name().to_owned())))
                .collect()
        }))
    }

    /// An instance of the template of `name` that a side's build alone has.
    pub(super) fn of_template(&self, name: &str, side: Side) -> Option<&str> {
        let loose = Some(name).filter(|name| name.contains('<')).and_then(loose_name)?;
        self.0[side].get(&loose).map(String::as_str)
    }
}
