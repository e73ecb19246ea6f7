//! What `pdiff flame` works with.

use anyhow::{Result, bail};
use pdiff::render::{FlameColor, FlameOptions, FlameTerms, FlameView};
use pdiff::{Align, By, Comparer, Share, TreeSettings};

use super::{Compared, parse};
use crate::cli::{AlignBy, ColorBy, FlameArgs, FlameFormat, PictureArgs, View};

/// Frames narrower than this cannot be seen: half a pixel of a usual window.
const LEAST_WIDTH_PCT: f64 = 0.05;

/// A picture higher than this many frames is not a picture.
pub(crate) const MAX_DRAWN_DEPTH: u32 = 500;

/// Everything that a picture is made of.
pub(crate) struct Drawn {
    pub(crate) comparer: Comparer,
    pub(crate) tree: TreeSettings,
    pub(crate) options: FlameOptions,
    /// Verdicts are to be asked for.
    pub(crate) verdicts: bool,
}

impl Drawn {
    /// Checks the arguments and reads the files of knowledge that they name.
    pub(crate) fn new(args: &FlameArgs) -> Result<Self> {
        let is_pair = check_sides(args)?;
        let picture = &args.picture;
        check_single(is_pair, picture)?;
        match args.format {
            FlameFormat::Pprof => {
                check_stacks(picture, "a pprof profile", "the stacks of one side, or the difference")?
            }
            FlameFormat::Firefox => {
                check_stacks(picture, "a Firefox profile", "the stacks of one side, or of both")?
            }
            FlameFormat::Svg | FlameFormat::Folded | FlameFormat::Json => {}
        }
        let compared = Compared::new(&args.inputs, &args.comparison, args.progress.quiet)?;
        if compared.by != By::Function {
            bail!("frames are functions; hint: --by-subsystem puts subsystems below them");
        }
        if compared.share == Share::ThreadGroup {
            bail!(
                "a frame can belong to several thread groups, so shares of thread groups cannot be drawn; hint: draw one group by --comm or --tid"
            );
        }
        let is_svg = args.format == FlameFormat::Svg;
        let tree = tree_settings(picture, args.format, is_pair)?;
        // Without the binaries of both builds names and samples alone tell why functions changed.
        let binaries = &args.comparison.debug_info;
        let is_whole = !binaries.binary_before.is_empty() && !binaries.binary_after.is_empty();
        let comparer = match is_whole {
            true => compared.comparer,
            false => compared.comparer.without_binary_facts(),
        };
        Ok(Self {
            options: options(picture, args.format, is_pair, tree.min_width_pct),
            tree,
            comparer,
            verdicts: (is_svg || args.format == FlameFormat::Firefox)
                && is_pair
                && compared.has_functions
                && !picture.no_verdicts,
        })
    }
}

/// Whether there are two sides.
fn check_sides(args: &FlameArgs) -> Result<bool> {
    let is_pair = args.inputs.after.is_some() || !args.inputs.after_runs.is_empty();
    if args.diff && !is_pair {
        bail!("--diff needs two recordings; hint: pdiff flame --diff BEFORE AFTER");
    }
    Ok(is_pair)
}

/// What makes no sense with one profile.
fn check_single(is_pair: bool, picture: &PictureArgs) -> Result<()> {
    if is_pair {
        return Ok(());
    }
    if picture.view.is_some() {
        bail!("--view: there is one recording; hint: pdiff flame --diff BEFORE AFTER");
    }
    if picture.align.is_some() {
        bail!("--align: there is one recording to draw; hint: pdiff flame --diff BEFORE AFTER");
    }
    if picture.operations {
        bail!(
            "--operations: there is one recording to draw, and no change; hint: pdiff flame --diff BEFORE AFTER"
        );
    }
    Ok(())
}

/// What other tools do with stacks themselves.
fn check_stacks(picture: &PictureArgs, form: &str, has: &str) -> Result<()> {
    if picture.view == Some(View::Gone) {
        bail!("--view gone: {form} has {has}; hint: --view before");
    }
    let unused = [
        ("--operations", picture.operations),
        ("--reverse", picture.reverse),
        ("--focus", picture.focus.is_some()),
        ("--by-subsystem", picture.by_subsystem),
        ("--min-width", picture.min_width.is_some()),
    ];
    match unused.iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) => bail!(
            "{name}: {form} has whole stacks; hint: leave {name} out, its readers have options of their own"
        ),
        None => Ok(()),
    }
}

fn tree_settings(picture: &PictureArgs, format: FlameFormat, is_pair: bool) -> Result<TreeSettings> {
    let is_svg = format == FlameFormat::Svg;
    let min_width_pct = picture.min_width.unwrap_or(if is_svg { LEAST_WIDTH_PCT } else { 0.0 });
    Ok(TreeSettings {
        align: align(picture, is_svg && is_pair),
        reverse: picture.reverse,
        focus: picture.focus.as_deref().map(|focus| parse("--focus", focus)).transpose()?,
        thread_group: None,
        by_subsystem: picture.by_subsystem,
        min_width_pct,
        max_depth: is_svg.then_some(MAX_DRAWN_DEPTH),
        judge: is_pair && !matches!(format, FlameFormat::Folded | FlameFormat::Pprof | FlameFormat::Firefox),
    })
}

/// What contains both sides together: pictures of two sides are aligned, unless they begin at the leaves; other tools get
/// stacks as they were recorded.
fn align(picture: &PictureArgs, is_picture: bool) -> Align {
    match picture.align {
        Some(AlignBy::Exact) => Align::Exact,
        Some(AlignBy::Anchors) => Align::Anchors,
        None if is_picture && !picture.reverse => Align::Anchors,
        None => Align::Exact,
    }
}

fn options(picture: &PictureArgs, format: FlameFormat, is_pair: bool, min_width_pct: f64) -> FlameOptions {
    let view = match (picture.view, format) {
        (Some(View::Before), _) => FlameView::Before,
        (Some(View::After), _) => FlameView::After,
        (Some(View::Gone), _) => FlameView::Gone,
        (Some(View::Both), _) => FlameView::Both,
        (None, _) if !is_pair => FlameView::Before,
        (None, FlameFormat::Folded | FlameFormat::Pprof | FlameFormat::Firefox) => FlameView::Both,
        (None, _) => FlameView::After,
    };
    let mut remarks = Vec::new();
    if let Some(focus) = &picture.focus {
        remarks.push(format!("only stacks with {focus}, from it on"));
    }
    if picture.reverse {
        remarks.push("leaf functions at the root, callers beyond them".to_owned());
    }
    if min_width_pct > 0.0 {
        let both = if is_pair { " on both sides" } else { "" };
        remarks.push(format!("frames under {min_width_pct} %{both} are drawn together as [pruned]"));
    }
    FlameOptions {
        view,
        color: match picture.color {
            ColorBy::OwnSelf => FlameColor::OwnSelf,
            ColorBy::Total => FlameColor::Total,
        },
        terms: if picture.operations { FlameTerms::PerOperation } else { FlameTerms::Share },
        inverted: picture.reverse,
        title: picture.title.clone(),
        remarks,
    }
}
