//! What the commands that give verdicts work with.

use anyhow::{Result, bail};
use pdiff_analysis::classify::{CallCounts, Demands};
use pdiff_analysis::{Architectural, GroupBy, Inlines, SettingsKnowledge, Share};
use pdiff_profile::names::MatchLevel;

use super::{Compared, KNOWLEDGE, LIST, Servers, read_file};
use crate::cli::ExamineArgs;

/// Everything that verdicts are made of.
pub(crate) struct Classified {
    pub(crate) compared: Compared,
    pub(crate) architectural: Architectural,
    pub(crate) counts: Option<CallCounts>,
    pub(crate) demands: Demands,
    pub(crate) servers: Servers,
}

impl Classified {
    /// With nothing known but the comparison itself.
    pub(crate) fn by_default(compared: Compared) -> Self {
        Self {
            compared,
            architectural: Architectural::mysqld(),
            counts: None,
            servers: Servers { diff: None, knowledge: SettingsKnowledge::mysqld() },
            demands: Demands::Any,
        }
    }

    /// Checks the arguments and reads the files of knowledge that they name.
    pub(crate) fn new(args: &ExamineArgs, quiet: bool) -> Result<Self> {
        let compared = Compared::new(&args.inputs.recordings, &args.comparison, quiet)?;
        let settings = &compared.settings;
        let is_by_function = settings.group_by == GroupBy::Function && settings.share != Share::ThreadGroup;
        let is_expanded = settings.policy.inlines == Inlines::Expand;
        if !is_by_function || !is_expanded || settings.policy.match_level != MatchLevel::Qualified {
            bail!(
                "verdicts are on functions by their qualified names, with inlines expanded; \
                 hint: leave out --by, --match, --inlines and --denominator thread-group"
            );
        }
        let evidence = &args.evidence;
        let servers = Servers::new(&args.servers, &compared.inputs)?;
        Ok(Self {
            compared,
            architectural: match &evidence.architectural {
                Some(path) => read_file(path, KNOWLEDGE, Architectural::parse)?,
                None => Architectural::mysqld(),
            },
            counts: evidence
                .counts
                .as_deref()
                .map(|path| read_file(path, LIST, CallCounts::parse))
                .transpose()?,
            servers,
            demands: if evidence.inline_check { Demands::InlineProof } else { Demands::Any },
        })
    }
}
