//! The reason for a verdict: [`Reason`], one variant per claim, with its numbers. Its words are in `pdiff-render`.

use pdiff_profile::{PerSide, Side};

use super::cause::Judged;
use super::fact::TimeOf;
use super::rules::FamilyCost;
use super::setting::SettingValues;
use crate::compare::CostChange;

/// Why a verdict is what it is.
#[derive(Clone, PartialEq, Debug)]
pub enum Reason {
    /// No measure changed by more than noise.
    WithinNoise {
        /// A change of self below this many points could not be seen; `None` where there are too few samples for a test.
        detectable_pp: Option<f64>,
        /// The change per operation in percent, where it is larger than that of the share and was not tested.
        untested_pct: Option<f64>,
    },
    /// Both sides ran the same file.
    SameBinary,
    /// The weight has no function.
    NoFunction,
    /// Samples on one side only, and the other build does not show whether it contains the function.
    NotVisible {
        /// The build that does not show it.
        hidden: Side,
    },
    /// Samples on one side only, and the other build's compiler inlined it and left no instance.
    InlinedWithoutInstance {
        /// That build.
        hidden: Side,
    },
    /// The same, and a setting switches it that is on where it ran, and off or unknown on the other side.
    SwitchedOn {
        /// The side that ran it.
        active: Side,
        /// The setting.
        setting: SettingValues,
    },
    /// One function under two names.
    Renamed {
        /// Its name before.
        before: String,
        /// Its name after.
        after: String,
        /// The pair's own change, in points.
        net_pp: f64,
    },
    /// One function under two names, by a list of renames; its share moved with the whole profile.
    KnownRename {
        /// Its name before.
        before: String,
        /// Its name after.
        after: String,
    },
    /// It is inlined on one side and called on the other.
    Flipped {
        /// The side that contains the copies.
        inlined_on: Side,
        /// A caller that flipped.
        caller: String,
        /// How many more did.
        more_callers: usize,
        /// Change of its self by symbol, in points.
        booked_pp: f64,
        /// Change of its own code wherever it stands, in points.
        body_pp: f64,
        /// The cost of the change, callers included.
        family: Option<FamilyCost>,
    },
    /// Functions that are in it on one side and are called from it on the other.
    CalleesFlipped {
        /// The functions.
        callees: Vec<String>,
        /// The side that contains the copies.
        inlined_on: Side,
        /// Change of its self by symbol, in points.
        booked_pp: f64,
    },
    /// A build does not have it.
    InNoForm {
        /// That build.
        without: Side,
        /// Its caller on the other side.
        caller: Option<String>,
        /// Whether no code of its build calls it: the stacks may lack the function that does.
        by_pointer: bool,
        /// What was found when it was looked for under another name.
        search: TwinSearch,
    },
    /// Functions that replaced others.
    Succession {
        /// Those that had the weight before.
        before: Vec<SetMember>,
        /// Those that have it after.
        after: Vec<SetMember>,
        /// Change of their totals together, each sample counted once, and without the common factor, in points.
        net_pp: f64,
    },
    /// Modules that replaced modules.
    ReplacedModules {
        /// Those that are gone, with their self in percent, heaviest first.
        before: Vec<(String, f64)>,
        /// Those that are new.
        after: Vec<(String, f64)>,
        /// Change of the totals of those inside no other, together and without the common factor, in points.
        net_pp: f64,
    },
    /// One run's stacks lead through it to what the other's reach without it, or more of them do.
    InBetween {
        /// The side whose stacks do.
        more: Side,
        /// The callees that it leads to, heaviest first.
        callees: Vec<String>,
        /// Change of its self, in points.
        self_pp: f64,
    },
    /// Both builds contain it and one run entered it.
    OneRunEntered {
        /// The side that did.
        active: Side,
        /// The largest share that zero samples on the other side can hide, in percent.
        bound_pct: f64,
        /// The reason, as far as it is known.
        why: EnteredBy,
    },
    /// It now also calls functions that the before run did not enter from it.
    GoesOn {
        /// The heaviest of them.
        callees: Vec<String>,
        /// Change of its total, in points.
        total_pp: f64,
        /// Change of its self, in points.
        self_pp: f64,
    },
    /// What its own code did, it calls another function for.
    OwnWorkCalled {
        /// That function.
        callee: String,
        /// Change of its self by symbol without the common factor, in points.
        own_pp: f64,
        /// The share of the callee under it after, in percent.
        called_pct: f64,
        /// Change of its total without the common factor, in points.
        net_pp: f64,
    },
    /// It does itself what it called another function for.
    DoesItself {
        /// That function.
        callee: String,
        /// Change of its self by symbol without the common factor, in points.
        own_pp: f64,
        /// The share of the callee under it before, in percent.
        called_pct: f64,
        /// Change of its total without the common factor, in points.
        net_pp: f64,
    },
    /// Its code lost conditions and has nothing new, and costs more.
    LessCode {
        /// Change of its self by symbol, in points.
        self_pp: f64,
        /// The length of its code.
        bytes: PerSide<u64>,
        /// What the conditions asked that are gone.
        asks: Vec<String>,
    },
    /// It calls a callee more than before.
    GoesOnMore {
        /// The callee.
        callee: String,
        /// Its share under the function on each side, in percent.
        pct: PerSide<f64>,
        /// Its calls in the function's code, if they are more.
        calls: Option<PerSide<u32>>,
        /// Change of the function's total, in points.
        total_pp: f64,
    },
    /// A caller now also calls it, which the before run did not.
    NewEdge {
        /// The caller.
        caller: String,
        /// Its share under the caller after, in percent.
        after_pct: f64,
        /// What is known of the caller's code.
        code: OtherCode,
    },
    /// A caller, whose code differs, calls it more than before.
    MoreOnEdge {
        /// The caller.
        caller: String,
        /// Its share under the caller on each side, in percent.
        pct: PerSide<f64>,
        /// Its calls in the caller's code, and its copies there.
        calls: PerSide<u32>,
        /// Whether some are copies.
        has_copies: bool,
        /// What is known of the caller's code.
        code: OtherCode,
        /// Whether it is proved that the caller goes on to it where it did not.
        is_proved: bool,
    },
    /// The code of a caller has more calls of it, which the stacks do not show.
    UnseenCalls {
        /// The caller.
        caller: String,
        /// Its calls in the caller's code.
        calls: PerSide<u32>,
        /// The growth of its total beyond the common factor, in points.
        grown_pp: f64,
    },
    /// Most of its growth is under a function that a caller now also calls.
    Below {
        /// That function; `None` if it is the row's own.
        function: Option<String>,
        /// Its caller.
        caller: String,
        /// The row's growth under it, in points.
        grown_pp: f64,
    },
    /// Variants of it for the common case are gone, and it does their work at more cost.
    QuickWayGone {
        /// The variants.
        gone: Vec<String>,
        /// The function that took the first of them, and calls it in both builds; `None` if it took them itself.
        caller: Option<String>,
        /// What it and they cost together on each side, in percent.
        pct: PerSide<f64>,
    },
    /// The same as [`Self::GoesOn`], where the chains lost it as the caller.
    GoesOnUnseen {
        /// The function it now also calls.
        callee: String,
        /// That function's share there after, in percent.
        after_pct: f64,
    },
    /// Called more often.
    MoreCalls {
        /// Calls per operation, after over before.
        calls: f64,
        /// Time, after over before.
        time: f64,
        /// What that is the time of.
        time_of: TimeOf,
        /// The caller that makes most of the calls that are more.
        caller: Option<String>,
    },
    /// A measure's cost per operation changed, and its share does not show that.
    CostChanged {
        /// The measure.
        judged: Judged,
        /// The change.
        change: CostChange,
        /// The change of the share, in points.
        share_pp: f64,
        /// Whether the share went the other way, beyond noise.
        other_way: bool,
    },
    /// The same, and it is the cost of what the function calls.
    CostOfCallees {
        /// The measure.
        judged: Judged,
        /// The change.
        change: CostChange,
        /// The callees that changed most.
        callees: Vec<String>,
    },
    /// The same, but too few functions show what all have in common.
    CostNotTold {
        /// The measure.
        judged: Judged,
        /// The change.
        change: CostChange,
    },
    /// A measure's share changed because others did, and its cost per operation may have changed the other way.
    CostAgainstShare {
        /// The measure.
        judged: Judged,
        /// The change of its cost.
        change: CostChange,
        /// The change of the share, in points.
        share_pp: f64,
    },
    /// A measure's cost per operation changed as that of all functions did.
    CostShared {
        /// The measure.
        judged: Judged,
        /// The change.
        change: CostChange,
    },
    /// The same source was compiled to other code.
    OtherCode {
        /// The measure.
        judged: Judged,
        /// What it changed, in points.
        delta_pp: f64,
    },
    /// Of the same source, one build does not show the function.
    HiddenInBuild {
        /// That build.
        hidden: Side,
    },
    /// Inlined on one side and called in another object on the other.
    CalledElsewhere {
        /// The side that contains the copies.
        inlined_on: Side,
    },
    /// Its share changed as that of every unchanged function.
    CommonShift {
        /// The measure.
        judged: Judged,
        /// What it changed, in points.
        delta_pp: f64,
        /// After's share over Before's of an unchanged function.
        factor: f64,
        /// Weight only went between the function and what is inlined into it.
        with_inlined: bool,
        /// The share changed less than that of an unchanged function: the rest of it went the other way.
        other_way: bool,
    },
    /// Its copies changed, and the functions that contain them did not: lines went from one to the other.
    WithinPlace {
        /// The function with the heaviest of them.
        place: String,
        /// Change of its self, in points.
        self_pp: f64,
    },
    /// Self changed.
    SelfChanged {
        /// By so many points.
        self_pp: f64,
        /// The comparison of the code.
        code: SelfChange,
        /// For the same code: the caller with other code that has most of the change under it, and how much, in points.
        under: Option<(String, f64)>,
    },
    /// Its own code is the same, and it is in another file of the source.
    OtherFile {
        /// The file before.
        before: String,
        /// The file after.
        after: String,
        /// Change of self without the common factor, in points.
        net_pp: f64,
    },
    /// Its code is the same: its callers call it differently.
    CallersChanged {
        /// The measure.
        judged: Judged,
        /// What it changed, in points.
        delta_pp: f64,
        /// The callers under which it changed most, with the change in points.
        callers: Vec<(String, f64)>,
    },
    /// The same code runs more or less under functions that have causes of their own.
    PartOf {
        /// The measure, which is total: callers are known by all that is under them.
        judged: Judged,
        /// Its change without the common factor, in points.
        own_pp: f64,
        /// These functions, with their parts of the change in points.
        functions: Vec<(String, f64)>,
    },
    /// Its callees, or the functions inlined into it, changed.
    CalleesChanged {
        /// The measure.
        judged: Judged,
        /// What it changed, in points.
        delta_pp: f64,
        /// Change of self, in points.
        self_pp: f64,
        /// The callees that changed most, with the change of their weight under it in points.
        callees: Vec<(String, f64)>,
    },
}

/// A function of a set on one side.
#[derive(Clone, PartialEq, Debug)]
pub struct SetMember {
    /// Its name.
    pub name: String,
    /// Its total, in percent.
    pub total_pct: f64,
    /// What of that is under no other function of the set on that side, in percent.
    pub outer_pct: f64,
    /// Whether most of it is under other functions of the set.
    pub is_inside: bool,
}

/// What was found when a function was looked for in the other build under another name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TwinSearch {
    /// Nothing.
    Nothing,
    /// It could not be looked for: it has no code of its own.
    NotDone,
    /// A function of the same file and with a like name that only the other build has.
    LikeNamed(String),
}

/// The reason why a function that one run alone entered.
#[derive(Clone, PartialEq, Debug)]
pub enum EnteredBy {
    /// A setting that switches it, and differs.
    Setting(SettingValues),
    /// Nothing that is known; its caller was sampled on both sides.
    Caller {
        /// The caller.
        name: String,
        /// Whether the caller's code is the same in both builds; `None` where that cannot be said.
        same_code: Option<bool>,
        /// Whether the caller is code without a name.
        is_unnamed: bool,
    },
    /// The stacks show it under a function whose code does not call it: they lack its caller.
    LostCaller {
        /// The only function that calls it in the code and whose code differs, if there is one alone, and its calls in each build.
        changed: Option<(String, PerSide<u32>)>,
    },
    /// The code of its caller calls it, or contains a copy of it, in the build whose run entered it alone.
    CallOfOneBuild {
        /// The caller.
        name: String,
    },
}

/// The comparison of the code of a function whose self changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SelfChange {
    /// It is the same in both builds.
    SameCode,
    /// One side has no sample of it.
    OneSided,
    /// Nothing but that both builds contain it.
    InBoth,
}

/// The code of a caller that may have changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OtherCode {
    /// It differs between the builds.
    Differs,
    /// This side's build only contains the caller inlined, so that its code cannot be compared.
    InlinedOnly(Side),
}
