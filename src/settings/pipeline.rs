//! What the environment of a build pipeline says.

use std::path::PathBuf;

use crate::cli::{Annotate, CiArgs};

/// Where a pipeline wants to be told.
pub(crate) struct Pipeline {
    /// File that step summaries are appended to.
    pub(crate) step_summary: Option<PathBuf>,
    /// Whether it takes annotations from standard output.
    pub(crate) annotates: bool,
    /// Directory of the sources.
    pub(crate) sources: Option<String>,
}

impl Pipeline {
    /// As the arguments say, else the environment.
    pub(crate) fn new(args: &CiArgs) -> Self {
        let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let workspace = || set("GITHUB_WORKSPACE").and_then(|path| path.into_string().ok());
        Self {
            step_summary: set("GITHUB_STEP_SUMMARY").map(PathBuf::from),
            annotates: match args.annotate {
                Annotate::Always => true,
                Annotate::Never => false,
                Annotate::Auto => set("GITHUB_ACTIONS").is_some_and(|value| value == "true"),
            },
            sources: args.source_prefix.clone().or_else(workspace),
        }
    }
}
