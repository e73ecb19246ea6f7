//! Why a verdict, or the cause of a part, is not more certain, in words.

use pdiff_analysis::classify::{CodeLikeness, Limit, PartLimit};
use pdiff_analysis::matching::FoundBy;
use pdiff_profile::PerSide;

use crate::findings::inside::work_text;

/// What keeps a verdict from being more certain.
#[must_use]
pub fn limit_text(of: &Limit) -> String {
    match of {
        Limit::FewSamples(samples) => format!("only {samples} samples"),
        Limit::NoSample(side) => format!("no sample {side}"),
        Limit::SameNamed => "several functions have this name and cannot be separated".to_owned(),
        Limit::Found(level @ (FoundBy::Fuzzy | FoundBy::Unqualified)) => {
            format!("found on both sides by {level} name only")
        }
        Limit::Found(FoundBy::Structure) => {
            "one build has no name for it: the name is inferred from the code".to_owned()
        }
        Limit::Found(FoundBy::Code) => {
            "found by its code and calls, which are the same: the names are unlike".to_owned()
        }
        Limit::Found(level) => format!("found on both sides by {level} name"),
        Limit::Stripped(side) => {
            format!("the {side} build is stripped: an inlining change cannot be ruled out")
        }
        Limit::NoDebugInfo => {
            "no debug information on both sides: an inlining change cannot be ruled out".to_owned()
        }
        Limit::SidesIncomparable => "the sides cannot be compared, as the first lines say".to_owned(),
        Limit::NotVerified => {
            "identity not verified: nothing says that the binary is the one that ran (record build-ids)".to_owned()
        }
        Limit::OtherCompilers => "the builds come from different compilers".to_owned(),
        Limit::UnknownCompilers => "the compilers are not known".to_owned(),
        Limit::OtherOptimisation => {
            "the builds were optimised differently: its code may cost more for other reasons than inlining".to_owned()
        }
        Limit::SharedCallers => {
            "other functions were also inlined or called differently in its callers: how much of what these cost is by this one is an estimate".to_owned()
        }
        Limit::MoreCallsElsewhere(pp) => {
            format!("{pp:.2} points of its change are below functions that did not contain it: how often these call it may have changed")
        }
        Limit::NoSymbol => "no symbol covers these addresses".to_owned(),
        Limit::BuildShowsTooLittle(side) => format!(
            "the {side} build shows too little: give a file with symbols and debug information with --binary-{side}"
        ),
        Limit::InlinedWithoutInstance(side) => format!(
            "its work may count for its callers in the {side} build"
        ),
        Limit::NotExamined { object } => format!("the file of {object} was not examined"),
        Limit::Unseen(detectable_pp) => unseen(*detectable_pp),
        Limit::BodyTimes(times) => format!(
            "its body costs at least {times:.0} times what its copies did, and a call does not: it may run more, or for other data"
        ),
        Limit::LoopTimes(times) => format!(
            "its loops alone cost at least {times:.1} times what its copies did, and a call is made once: it may run more, or for other data"
        ),
        Limit::OtherNumber { caller } => {
            format!("a condition in {caller} compares with another number than before: it may call it more often")
        }
        Limit::LightCopies(pct) => format!("its copies in these callers had {pct:.2} % only"),
        Limit::OtherVersion => {
            "the inlining is certain; most other code differs too, so its cost may have other reasons".to_owned()
        }
        Limit::OwnLinesChanged(pp) => {
            format!("its own lines changed by {pp:+.2} points as well: inlining is not the only reason")
        }
        Limit::OnlyLinesChanged(pp) => format!(
            "its own lines changed by {pp:+.2} points, but its code as a whole not beyond noise: samples of a copy may count for the lines around it"
        ),
        Limit::LittleMoved(pct) => {
            format!("only {pct:.2} % is known to be that of these functions, inlined or called")
        }
        Limit::LostCaller => "the stacks do not show which of its callers called it".to_owned(),
        Limit::NamesakesElsewhere => {
            "several functions have this name, and most of its weight is not under these callers".to_owned()
        }
        Limit::NoNamedCaller => "no caller was found on both sides by its full name".to_owned(),
        Limit::LikeShare { twin, on } => {
            format!("{twin} has a similar share under the same caller {on}, and is gone {}", on.other())
        }
        Limit::NoTwinSearch(side) => format!("the {side} build shows too little to look for a renamed twin"),
        Limit::LocalName => {
            "a lambda or unnamed type: every compiler numbers and spells these differently".to_owned()
        }
        Limit::Library => {
            "library code: the other build may do the same work with other code".to_owned()
        }
        Limit::MayBeInlined(side) => {
            format!("not both builds show inlining: it may be inlined in its callers {side}")
        }
        Limit::SettingAlone => {
            "the setting differs, but something else may differ too: there are no call counts".to_owned()
        }
        Limit::NotEntered => "samples alone: no counts, no differing setting known".to_owned(),
        Limit::OthersInstead => "other functions may do its work where its caller does not call it".to_owned(),
        Limit::PathNotInCounts => {
            "only samples show it, and the counts given do not prove it; a patch that takes it back may".to_owned()
        }
        Limit::PathNotCounted => "only samples show it: counts of these calls may prove it, or a patch that takes it back".to_owned(),
        Limit::AtOneInstruction => {
            "nearly all samples of its code are at one instruction, which may wait longer for memory: its calls need not be more".to_owned()
        }
        Limit::CallsOrCost => "samples alone cannot separate more calls from more cost per call".to_owned(),
        Limit::MoreCallsInCode { caller, on } => format!(
            "same code, but {caller} has more calls to it in the {on} build, which the stacks may not show: it may be called more often"
        ),
        Limit::ChangedAbove { function } => format!(
            "same code, but {function} above it changed and may call it more or less often; else where the code is in memory, the data or other threads may be why"
        ),
        Limit::NothingChanged => {
            "its code is the same, and none that calls it is known to have changed: where the code is in memory, the data or other threads may be why"
                .to_owned()
        }
        Limit::SameCalls => {
            "its code is the same and is called from as many places: more calls, where the code is in memory, the data or other threads may be why"
                .to_owned()
        }
        Limit::Relaid => {
            "its code differs only as that of several other functions does, as if a record that they use had another layout; more calls, where the code is in memory, the data or other threads may be why"
                .to_owned()
        }
        Limit::SamePlaces => {
            "only inlined copies of it changed, not because there are more or fewer of them, and the functions that contain them did not change as they did: the lines that samples count for may be why"
                .to_owned()
        }
        Limit::MostlyElsewhere => {
            "the new functions have less than half of what the function that may have been split lost: other code may do the rest, or it is not done any more"
                .to_owned()
        }
        Limit::LinesOfCalls => {
            "it runs only inlined: only line numbers tell which calls of the code around it are its own, and a compiler that merges equal calls may keep the line of either"
                .to_owned()
        }
        Limit::UnclearCallees => "the change is in what it calls, and no cause of that is known".to_owned(),
        Limit::InCallees => "the change is in what it calls: see there".to_owned(),
        Limit::InCallers => "the change is in what calls it: see there".to_owned(),
        Limit::UnknownCallers => {
            "the library is the same file, and the stacks do not show which caller calls it differently".to_owned()
        }
        Limit::MemoryUsers(users) => {
            let places = |calls: &PerSide<u32>| match (calls.before, calls.after) {
                (1, 1) => "1 call".to_owned(),
                (before, after) if before == after => format!("{after} calls"),
                (before, after) => format!("{before} -> {after} calls"),
            };
            let named: Vec<String> =
                users.iter().map(|(function, calls)| format!("{function} ({})", places(calls))).collect();
            format!(
                "the stacks do not show for whom memory was got or given back; functions with other code that do so: {}",
                named.join(", ")
            )
        }
        Limit::LostChains(side) => {
            format!("call chains of the {side} run lack callers of what it calls: its total may be too low there")
        }
        Limit::ChainsCutMore(side) => {
            format!("many more call chains of the {side} run lack their outermost callers: totals are too low there")
        }
        Limit::BetweenUnknown => {
            "the stacks show it only between code without names, and hardly a sample is in it: the call chains may be wrong there"
                .to_owned()
        }
        Limit::FewFunctions => {
            "too few functions were sampled on both sides to tell what all have in common".to_owned()
        }
        Limit::InCommon => "a change that all functions share is not a cause of one of them".to_owned(),
        Limit::CostVaries => "the cost of an operation varies too much from run to run".to_owned(),
        Limit::NoOwnBody(side) => {
            format!("the {side} binary contains it only inlined: its code cannot be searched for in the other binary")
        }
        Limit::WithinPlaces(side) => {
            format!("{side} it is only inlined, and the functions that contain it did not change as it did: the lines that samples count for may be why")
        }
        Limit::CopiesAlone(side) => {
            format!("{side} it is only inlined: its samples may count for the functions that contain it")
        }
        Limit::SampledInCopies(side) => format!(
            "{side} all its samples are where it is inlined, and {} such samples may count for the function around",
            side.other()
        ),
        Limit::VanishedCopy { copy, in_build } => {
            format!("{copy}, inlined in its caller in the {in_build} binary alone, may be the same function")
        }
        Limit::LikeNamed { other, in_build } => {
            format!("{other}, in the same source file, is in the {in_build} binary alone: it may be the same function")
        }
        Limit::CallsMoreOf(callee) => format!(
            "its own time is less, but by the counts it calls {callee} more often, and what that costs is not in its own time"
        ),
        Limit::CopiesNotCounted => {
            "the change is where it is inlined, and counts do not tell how often that runs".to_owned()
        }
        Limit::CallersNotCounted => {
            "callers that contained it inlined before call it now, and the counts do not tell who calls it"
                .to_owned()
        }
        Limit::NoCallerSeen(side) => format!(
            "neither the stacks nor the code of the {side} binary show what calls it, so what it may have replaced could not be looked for"
        ),
        Limit::CalledInstead { other, in_build } => {
            format!("its callers called {other} in the {in_build} binary, which the other binary lacks: that may have become this function")
        }
        Limit::OtherInstance { other, in_build } => {
            format!("{other} is in the {in_build} binary alone: it may be the same with another name of a type")
        }
        Limit::KnownTemplate { other, in_build } => {
            format!("the {in_build} binary has another instance of its template, {other}: only a use of it is new or gone")
        }
        Limit::SameTotal => {
            "its total did not change so: what it calls on one side may be its own code on the other".to_owned()
        }
        Limit::ReplacedCallees => {
            "most of its weight is in callees that may have taken the place of others: see there".to_owned()
        }
        Limit::RewrittenModule(module) => {
            format!("{module} was rewritten: each build has functions of it that the other lacks")
        }
        Limit::MovedModule(module) => {
            format!("only one build holds {module}, and the other has functions of it in another module")
        }
        Limit::LosingKin => {
            "its neighbours in the source, or its callers, may have lost as much: a part of one may have become this function"
                .to_owned()
        }
        Limit::WorkMayBeOf(other) => {
            format!("{other} is new, and the same function leads to it: it may do this one's work")
        }
        Limit::MayDoWorkOf(other) => format!(
            "{other} has other code and costs much less itself, or was split: this function may do its work, for more data"
        ),
        Limit::ByPlace => "found by place in the source, callers and weight, not by name or code".to_owned(),
        Limit::RebuiltCallers => {
            "its own file is the same on both sides: its callers were compiled differently".to_owned()
        }
        Limit::SameLines => {
            "the lines of the source are the same; something else may differ".to_owned()
        }
        Limit::SameSourceHidden(side) => {
            format!("the source is the same: {side} it is inlined in its callers, or reached in another way")
        }
        Limit::LinesAlone => {
            "the compiler decides which source line, and so which inlined function, gets the samples of an instruction".to_owned()
        }
        Limit::SharesAlone => "only shares are known: give operations to get the cost per operation".to_owned(),
        Limit::UnknownMatch => "the match is not known".to_owned(),
        Limit::Matched { level, code } => {
            let code = match code {
                CodeLikeness::SameButShort => "the code is the same, but short enough to be so by chance",
                CodeLikeness::Differs => "the code differs",
                CodeLikeness::Unknown => "whether the code is the same is not known",
            };
            format!("matched by {level} name, {code}")
        }
    }
}

/// What keeps the cause of a part from being more certain.
#[must_use]
pub fn part_limit_text(of: &PartLimit) -> String {
    let text = match of {
        PartLimit::SettingOfOneSide => "controlled by a setting that only one side has",
        PartLimit::MoreElsewhere => "it costs more elsewhere, and as a whole: its calls may have moved there",
        PartLimit::SampledElsewhere => "the base run has samples of it elsewhere",
        PartLimit::SampledBefore => "the base run has samples of it, too",
        PartLimit::FunctionDoubted(Some(why)) => return limit_text(why),
        PartLimit::FunctionDoubted(None) => "the verdict on the function itself is no more certain",
        PartLimit::CodeNotShown => {
            "nothing ran here on the other side; whether its binary contains the code is not known"
        }
        PartLimit::NoNames => "this code has no names; the other side may have the same code under its names",
        PartLimit::ProvedInside => {
            "the cause is proved for functions inside this part, but not for the function that it is named after"
        }
        PartLimit::NoMainCause => "no single cause explains half of this part",
        PartLimit::MainIsNoise => {
            "most of it is one function's, which alone may have changed no more than the typical function"
        }
        PartLimit::SameSource => {
            "the lines of the source are the same, and the compiler or its options differ; something else may differ, too"
        }
        PartLimit::CauseInside => "most of it is in a function inside it, and the cause is that function's",
        PartLimit::KernelWork(kind) => return format!("most of it is in the kernel: {}", work_text(*kind)),
    };
    text.to_owned()
}

/// What could not be seen for lack of samples.
pub(super) fn unseen(detectable_pp: Option<f64>) -> String {
    detectable_pp.map_or_else(
        || "these runs could not have shown a change of it".to_owned(),
        |pp| format!("a change of self below {pp:.2} points is not detectable"),
    )
}
