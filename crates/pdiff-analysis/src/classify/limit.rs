//! Why a verdict is not more certain: [`Limit`], and why the cause of a part is not: [`PartLimit`]. Their words are in
//! `pdiff-render`.

use pdiff_profile::{PerSide, Side};

use crate::findings::KernelKind;
use crate::matching::FoundBy;

/// The reason why a verdict is not more certain.
#[derive(Clone, PartialEq, Debug)]
pub enum Limit {
    /// So few samples.
    FewSamples(u64),
    /// No sample on a side.
    NoSample(Side),
    /// Several functions of one name, which cannot be distinguished.
    SameNamed,
    /// How the function was found on both sides.
    Found(FoundBy),
    /// A side's build is stripped, so that a change of inlining cannot be ruled out.
    Stripped(Side),
    /// Not both builds have debug information, so that a change of inlining cannot be ruled out.
    NoDebugInfo,
    /// The sides cannot be compared.
    SidesIncomparable,
    /// Nothing says that the object's file is the one that ran.
    NotVerified,
    /// The builds come from different compilers.
    OtherCompilers,
    /// The compilers are not known.
    UnknownCompilers,
    /// The compilers were told to optimise in different ways.
    OtherOptimisation,
    /// Other functions left or entered the same callers: how much of what these cost is by which of them is an estimate.
    SharedCallers,
    /// So many points of the change are below callers that did not contain the function.
    MoreCallsElsewhere(f64),
    /// No symbol covers the addresses.
    NoSymbol,
    /// A side's build shows too little to say whether it contains the function.
    BuildShowsTooLittle(Side),
    /// A build's compiler inlined it and left no instance, so nothing shows where its work was done.
    InlinedWithoutInstance(Side),
    /// The file of an object was not examined.
    NotExamined {
        /// The object.
        object: String,
    },
    /// A change of self below this many points could not be seen; `None` where there are too few samples for a test.
    Unseen(Option<f64>),
    /// The copies in the callers that flipped had this share only, in percent.
    LightCopies(f64),
    /// Its body costs so many times as much where it is called: it may also run more.
    BodyTimes(f64),
    /// The loops of its body alone cost so many times as much as its copies did.
    LoopTimes(f64),
    /// A caller, with what it contains, compares with another number than before: it may reach the call more often, or for other data.
    OtherNumber {
        /// The caller.
        caller: String,
    },
    /// Most of the code differs between the builds, so that a change of cost may have other reasons as well.
    OtherVersion,
    /// Only this share, in percent, was seen in the functions whose inlining in it changed.
    LittleMoved(f64),
    /// The caller's own lines changed as well, by so many points: its inlining is not the only reason.
    OwnLinesChanged(f64),
    /// The caller's own lines changed by so many points, and its code as a whole did not: samples of copies may count for these lines.
    OnlyLinesChanged(f64),
    /// The stacks lost which of its callers called it.
    LostCaller,
    /// Several functions have its name, and the stacks show less than half of it under the callers that contained or contain it.
    NamesakesElsewhere,
    /// No caller was found on both sides by its full name.
    NoNamedCaller,
    /// A function of a like share under the same caller is there on one side only.
    LikeShare {
        /// That function.
        twin: String,
        /// The side that has it.
        on: Side,
    },
    /// A side's build shows too little to look for a renamed twin.
    NoTwinSearch(Side),
    /// A side's build contains it inlined only, so that its code cannot be looked for in the other build.
    NoOwnBody(Side),
    /// A side contains it inlined only, and the functions that contain it did not change as it did.
    WithinPlaces(Side),
    /// A function of a like name is inlined in its caller in the build that lacks it, and the other build has none.
    VanishedCopy {
        /// That function.
        copy: String,
        /// The build with the copy.
        in_build: Side,
    },
    /// A function of a like name, in its source file, is in the build that lacks it alone.
    LikeNamed {
        /// That function.
        other: String,
        /// The build that has it.
        in_build: Side,
    },
    /// Counts show that it calls this function more, whose time is not in its own.
    CallsMoreOf(String),
    /// It costs more or less in its inlined copies, whose calls counts do not tell.
    CopiesNotCounted,
    /// Callers that contained it before call it now, and counts do not tell who calls it.
    CallersNotCounted,
    /// Neither stacks nor code show what calls it.
    NoCallerSeen(Side),
    /// Most of its callers called a function of the build that lacks it, which the other build lacks: that may have become it.
    CalledInstead {
        /// That function.
        other: String,
        /// The build that has it.
        in_build: Side,
    },
    /// An instance of the same template is in the build that lacks it alone: it may be the same with another name of a type.
    OtherInstance {
        /// That instance.
        other: String,
        /// The build that has it.
        in_build: Side,
    },
    /// The build that lacks it has another instance of the same template, as the other build has: the code is not new.
    KnownTemplate {
        /// That instance.
        other: String,
        /// The build that lacks it.
        in_build: Side,
    },
    /// Its total is the same, or changed the other way: what it called may be its own code now, or the other way round.
    SameTotal,
    /// Most of its weight is that of callees that may have taken the place of others.
    ReplacedCallees,
    /// A lambda or unnamed type, whose names compilers choose.
    LocalName,
    /// Library code, which may have been written in another way.
    Library,
    /// Not both builds show inlining: the function may be in its callers on a side.
    MayBeInlined(Side),
    /// The side without samples has it only inlined: its lines may count for the functions that contain it.
    CopiesAlone(Side),
    /// All samples of a side are where it is inlined, and such lines may count for the code around.
    SampledInCopies(Side),
    /// That a setting differs is known, not that nothing else does.
    SettingAlone,
    /// Only samples say that one run did not enter it.
    NotEntered,
    /// A caller of one build has no call of it, but may call others for the same work.
    OthersInstead,
    /// Only samples say that a path was not taken.
    PathNotCounted,
    /// The same, where counts were given that do not prove it.
    PathNotInCounts,
    /// Nearly all samples of its code are at one instruction: it may wait longer there.
    AtOneInstruction,
    /// Samples cannot separate more calls from more cost per call.
    CallsOrCost,
    /// Its code is the same, and a function has more calls of it in its code on a side, whether stacks show them or not.
    MoreCallsInCode {
        /// That function.
        caller: String,
        /// That side.
        on: Side,
    },
    /// Its code is the same, and a function that calls it, or leads to it, has other code: it may do so more often.
    ChangedAbove {
        /// The nearest such function.
        function: String,
    },
    /// Its code is the same, and no changed code calls it: the place of the code, the data, memory or other threads may be why.
    NothingChanged,
    /// Its code is the same and is called from as many places: what calls it may do so more often, and the place of the code, the
    /// data, memory or other threads may be why as well.
    SameCalls,
    /// Its code differs as that of several functions does, as if a record that they use had another layout: what calls it may do so more often, and the
    /// place of the code, the data, memory or other threads may be why as well.
    Relaid,
    /// It runs only inlined, from as many copies, in functions whose code changed elsewhere, and these do not take more or less time
    /// as it does: samples may have gone from the lines around it to its own, or back.
    SamePlaces,
    /// What a function lost by a split is mostly not where it was split to.
    MostlyElsewhere,
    /// It runs only inlined: by which of the functions inlined in one code a call is, its lines tell, and a compiler may keep either of
    /// two equal calls.
    LinesOfCalls,
    /// The change is in its callees.
    InCallees,
    /// The change is in its callees, and what changed there is not known either.
    UnclearCallees,
    /// The change is in what calls it.
    InCallers,
    /// The change is in what calls it, and the stacks do not show under which caller.
    UnknownCallers,
    /// The same of a memory manager: these functions with other code get memory or give it back, at so many places in each build.
    MemoryUsers(Vec<(String, PerSide<u32>)>),
    /// A run's chains lost callers of its callees, so its total may be too low on that side.
    LostChains(Side),
    /// A run's chains lack their outermost callers much more often, so totals are too low on that side.
    ChainsCutMore(Side),
    /// The stacks show it between code without names only, and no sample is in it: the chains may be wrong there.
    BetweenUnknown,
    /// Too few functions to know what all functions have in common.
    FewFunctions,
    /// A change that all functions share is not a cause of one of them.
    InCommon,
    /// The cost of an operation varies too much from run to run.
    CostVaries,
    /// Functions at its place in the source, or that call it, may have lost as much as it has.
    LosingKin,
    /// This function has other code and costs much less, or was split: the new one may do its work.
    MayDoWorkOf(String),
    /// To this new function leads what led to one that is gone: it may do its work.
    WorkMayBeOf(String),
    /// The module of this name has functions of the other build only, too, with a similar weight, or kept few of its functions.
    RewrittenModule(String),
    /// The module of this name is in one build only, and functions of it are in another module of the other build.
    MovedModule(String),
    /// The functions of a set were found by their place in the source, their callers and their weight.
    ByPlace,
    /// Its own code is the same file: its callers were compiled differently.
    RebuiltCallers,
    /// That the source has the same lines is known, not that nothing else differs.
    SameLines,
    /// A build of the same source does not show the function: it is in its callers, or is reached differently.
    SameSourceHidden(Side),
    /// The lines that samples count for are the compiler's choice.
    LinesAlone,
    /// Only shares are known, so there is no cost per operation.
    SharesAlone,
    /// How the two functions were matched is not known.
    UnknownMatch,
    /// A pair matched by name, and whether its code is the same.
    Matched {
        /// How.
        level: FoundBy,
        /// The comparison of the code.
        code: CodeLikeness,
    },
}

/// The reason why the cause of a finding is not more certain.
#[derive(Clone, PartialEq, Debug)]
pub enum PartLimit {
    /// A setting controls it that only one side has.
    SettingOfOneSide,
    /// The base run has samples of its function elsewhere.
    SampledElsewhere,
    /// The function costs more elsewhere, and more as a whole.
    MoreElsewhere,
    /// The base run has samples of it, too.
    SampledBefore,
    /// The verdict on the function that it is named by is no more certain, and why.
    FunctionDoubted(Option<Box<Limit>>),
    /// A binary cannot show whether it contains the code.
    CodeNotShown,
    /// The code has no names: the other side may have the same code under its names.
    NoNames,
    /// It is proved of functions inside, not of the one that the part is named by.
    ProvedInside,
    /// No cause explains half of the change.
    NoMainCause,
    /// Half of the change or more is that of a function which, by its verdict, may have changed no more than all functions.
    MainIsNoise,
    /// Most of the change is in a function inside, which has a cause of its own.
    CauseInside,
    /// Half of the change or more is work of the kernel for one reason.
    KernelWork(KernelKind),
    /// The lines of the source are the same, and the compiler or its options differ.
    SameSource,
}

/// The comparison of the code of a pair of functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CodeLikeness {
    /// It is the same, but so short that it may be by chance.
    SameButShort,
    /// It differs.
    Differs,
    /// It cannot be said.
    Unknown,
}
