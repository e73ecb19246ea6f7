//! How the settings of two servers differ.
//!
//! In: the settings of both sides and what is known about them. Out: [`SettingsDiff`]: settings that differ, settings that
//! only one side has, and those folded away as noise. Renamed settings are joined; if a server keeps an old name beside the
//! new one, the setting is listed once. Important settings come first, in the order of the file of knowledge.

mod gate;
mod value;

use std::collections::{BTreeMap, BTreeSet};

use pdiff_profile::{PerSide, ServerSettings, SettingsScope, Side};

use crate::knowledge::SettingsKnowledge;
pub use gate::SettingGate;
pub(crate) use gate::is_off;
pub(crate) use value::same_value;
use value::{only_in_each, same_scaled};

/// A setting whose values differ.
#[derive(Clone, PartialEq, Debug)]
pub struct SettingChange {
    /// Its name on After's side.
    pub name: String,
    /// Its name on Before's side, where that is another one.
    pub before_name: Option<String>,
    /// Before's value, as spelled.
    pub before: String,
    /// After's value, as spelled.
    pub after: String,
    /// Why it matters, where that is known.
    pub why: Option<String>,
    /// On which sides the value is the default of the side's version; `None` where a default or version is not known.
    pub at_default: Option<AtDefault>,
}

impl SettingChange {
    /// The difference: of two lists only the members that one of them has.
    #[must_use]
    pub fn shown(&self) -> (String, String) {
        only_in_each(&self.before, &self.after)
    }
}

/// Which sides have the default of their version.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtDefault {
    /// Both: the default changed.
    Both,
    /// Before only: it was set for After.
    Before,
    /// After only: it was set for Before.
    After,
    /// Neither: both set it.
    Neither,
}

impl AtDefault {
    /// The stable text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::Before => "before",
            Self::After => "after",
            Self::Neither => "neither",
        }
    }
}

/// A setting that one side has only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OneSidedSetting {
    /// Its name.
    pub name: String,
    /// Its value, as spelled.
    pub value: String,
    /// Why it matters, where that is known.
    pub why: Option<String>,
    /// Whether the value is the default of the side's version, where that is known.
    pub at_default: Option<bool>,
}

/// Settings that differ between any two servers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoldedSettings {
    /// Their kind: paths, ports, ids.
    pub what: String,
    /// Their names.
    pub names: Vec<String>,
}

/// A value that does not do what it says: the option takes the name of a file, and is on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MisleadingSetting {
    /// On which side.
    pub side: Side,
    /// The setting.
    pub name: String,
    /// The value that the option file gives.
    pub value: String,
    /// The remark on it.
    pub why: String,
}

/// How the settings of two servers differ.
#[derive(Clone, PartialEq, Debug)]
pub struct SettingsDiff {
    /// Values that do not have the effect that they seem to have.
    pub misleading: Vec<MisleadingSetting>,
    /// Settings that differ, those that matter first.
    pub differs: Vec<SettingChange>,
    /// Settings that one side alone has.
    pub only: PerSide<Vec<OneSidedSetting>>,
    /// Differences that were folded away.
    pub folded: Vec<FoldedSettings>,
    /// How many settings are the same.
    pub same: usize,
    /// Number of names that are other names of listed settings.
    pub other_names: usize,
    /// Whether a side knows only what an option file sets.
    pub is_partial: PerSide<bool>,
    /// Versions of the servers, where they say so.
    pub versions: PerSide<Option<String>>,
}

/// A name of each side that represent one setting.
struct Joined<'a> {
    names: PerSide<&'a str>,
    factor: f64,
}

impl<'a> Joined<'a> {
    /// The value before, and the value after.
    fn values(&self, sides: PerSide<&'a ServerSettings>) -> (&'a str, &'a str) {
        let value = |side: Side| sides[side].get(self.names[side]).unwrap_or_default();
        (value(Side::Before), value(Side::After))
    }
}

/// Compares the settings of two servers.
///
/// ```
/// use pdiff_analysis::{SettingsKnowledge, settings_diff};
/// use pdiff_profile::{ServerSettings, SettingsScope};
///
/// let of = |value| {
///     let mut settings = ServerSettings::new(SettingsScope::All);
///     settings.insert("sync_binlog", value);
///     settings
/// };
/// let diff = settings_diff(&of("0"), &of("1"), &SettingsKnowledge::mysqld());
/// assert_eq!(diff.differs[0].name, "sync_binlog");
/// ```
#[must_use]
pub fn settings_diff(
    before: &ServerSettings,
    after: &ServerSettings,
    knowledge: &SettingsKnowledge,
) -> SettingsDiff {
    let (before, after) = (&mut before.clone(), &mut after.clone());
    let mut misleading = as_the_server_reads(before, Side::Before, knowledge);
    misleading.extend(as_the_server_reads(after, Side::After, knowledge));
    let sides = PerSide::new(&*before, &*after);
    let joined = join(sides, knowledge);
    let known: PerSide<BTreeSet<&str>> =
        PerSide::from_fn(|side| joined.iter().map(|joined| joined.names[side]).collect());
    let mut folded: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut is_noise = |name: &str| {
        let what = knowledge.noise(name);
        if let Some(what) = what {
            folded.entry(what.to_owned()).or_default().push(name.to_owned());
        }
        what.is_some()
    };
    let (mut differs, mut same, mut other_names) = (Vec::new(), 0, 0);
    for joined in &joined {
        let (from, to) = joined.values(sides);
        let is_same =
            if joined.factor == 1.0 { same_value(from, to) } else { same_scaled(from, joined.factor, to) };
        if is_same {
            same += 1;
        } else if !is_noise(joined.names.after) {
            differs.push(change(joined, sides, knowledge));
        }
    }
    let mut only = PerSide::from_fn(|side| {
        let mut rows = Vec::new();
        for (name, value) in sides[side].iter().filter(|(name, _)| !known[side].contains(name)) {
            if is_other_name(name, value, sides[side], knowledge) {
                other_names += 1;
            } else if !is_noise(name) {
                rows.push(one_sided(name, value, sides[side], knowledge));
            }
        }
        rows
    });
    differs.sort_by_key(|row: &SettingChange| (rank(knowledge, &row.name), row.name.clone()));
    for (_, rows) in only.iter_mut() {
        rows.sort_by_key(|row| (rank(knowledge, &row.name), row.name.clone()));
    }
    let folded = folded.into_iter().map(|(what, mut names)| {
        names.sort();
        names.dedup();
        FoldedSettings { what, names }
    });
    SettingsDiff {
        misleading,
        differs,
        only,
        folded: folded.collect(),
        same,
        other_names,
        is_partial: sides.map(|side| side.scope() == SettingsScope::Given),
        versions: sides.map(|side| side.get("version").map(str::to_owned)),
    }
}

/// Turns on what an option file switches on by naming a file; what looks as if it were switched off that way is returned.
fn as_the_server_reads(
    settings: &mut ServerSettings,
    side: Side,
    knowledge: &SettingsKnowledge,
) -> Vec<MisleadingSetting> {
    if settings.scope() != SettingsScope::Given {
        return Vec::new();
    }
    let mut misleading = Vec::new();
    for (name, why) in knowledge.names_of_files() {
        let Some(value) = settings.get(name).filter(|_| !settings.is_turned_off(name)).map(str::to_owned)
        else {
            continue;
        };
        if same_value(&value, "OFF") {
            misleading.push(MisleadingSetting { side, name: name.to_owned(), value, why: why.to_owned() });
        }
        settings.insert(name, "ON");
    }
    misleading
}

/// Settings of both sides: by name, then by known renames, one to one.
fn join<'a>(sides: PerSide<&'a ServerSettings>, knowledge: &SettingsKnowledge) -> Vec<Joined<'a>> {
    let PerSide { before, after } = sides;
    let is_same_name = |(name, _): &(&'a str, &str)| after.get(name).is_some();
    let mut joined: Vec<Joined<'a>> = before
        .iter()
        .filter(is_same_name)
        .map(|(name, _)| Joined { names: PerSide::new(name, name), factor: 1.0 })
        .collect();
    let mut taken: BTreeSet<&str> = BTreeSet::new();
    for (name, value) in before.iter().filter(|(name, _)| after.get(name).is_none()) {
        // A name that is another one's on its own side is told under that one.
        if is_other_name(name, value, before, knowledge) {
            continue;
        }
        let names = knowledge.other_names(name);
        let found = names.iter().find_map(|(other, factor)| {
            let (other, _) = after.iter().find(|(name, _)| name == other)?;
            (before.get(other).is_none() && !taken.contains(other)).then_some((other, *factor))
        });
        if let Some((other, factor)) = found {
            taken.insert(other);
            joined.push(Joined { names: PerSide::new(name, other), factor });
        }
    }
    joined
}

/// Whether a side has the setting under another name, too, with the same value.
fn is_other_name(name: &str, value: &str, side: &ServerSettings, knowledge: &SettingsKnowledge) -> bool {
    let names = knowledge.other_names(name);
    names
        .iter()
        .any(|(other, factor)| side.get(other).is_some_and(|other| same_scaled(value, *factor, other)))
}

fn rank(knowledge: &SettingsKnowledge, name: &str) -> usize {
    known_as(knowledge, name).map_or(usize::MAX, |(rank, _)| rank)
}

/// The knowledge about a setting under any of its names.
fn known_as<'k>(
    knowledge: &'k SettingsKnowledge,
    name: &str,
) -> Option<(usize, &'k crate::knowledge::KnownSetting)> {
    let others = || knowledge.other_names(name).into_iter().find_map(|(other, _)| knowledge.setting(&other));
    knowledge.setting(name).or_else(others)
}

fn change(
    joined: &Joined<'_>,
    sides: PerSide<&ServerSettings>,
    knowledge: &SettingsKnowledge,
) -> SettingChange {
    let (from, to) = joined.values(sides);
    let defaults = PerSide::from_fn(|side| is_default(joined.names[side], sides[side], knowledge));
    let PerSide { before: before_name, after: name } = joined.names.map(str::to_owned);
    SettingChange {
        why: known_as(knowledge, &name).map(|(_, setting)| setting.why().to_owned()),
        before_name: (before_name != name).then_some(before_name),
        name,
        before: from.to_owned(),
        after: to.to_owned(),
        at_default: defaults.both().map(|PerSide { before, after }| match (before, after) {
            (true, true) => AtDefault::Both,
            (true, false) => AtDefault::Before,
            (false, true) => AtDefault::After,
            (false, false) => AtDefault::Neither,
        }),
    }
}

fn one_sided(
    name: &str,
    value: &str,
    side: &ServerSettings,
    knowledge: &SettingsKnowledge,
) -> OneSidedSetting {
    OneSidedSetting {
        name: name.to_owned(),
        value: value.to_owned(),
        why: known_as(knowledge, name).map(|(_, setting)| setting.why().to_owned()),
        at_default: is_default(name, side, knowledge),
    }
}

/// Whether a side's value is the default of its version, where both are known.
fn is_default(name: &str, side: &ServerSettings, knowledge: &SettingsKnowledge) -> Option<bool> {
    let (_, setting) = known_as(knowledge, name)?;
    let default = setting.default_of(side.version()?)?;
    side.get(name).map(|value| same_value(value, default))
}

#[cfg(test)]
mod tests;
