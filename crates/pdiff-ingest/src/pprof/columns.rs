//! The kinds of value of a profile as events.
//!
//! | profile of | sample types | events |
//! |---|---|---|
//! | Go, CPU | `samples/count`, `cpu/nanoseconds` | both; `cpu` has as many samples as `samples` says |
//! | Go, heap | `alloc_objects/count`, ..., `inuse_space/bytes` | all |
//! | perf_to_profile | `cycles_sample/count`, `cycles_event/count` | `cycles`, with as many samples as `cycles_sample` says |
//!
//! Where nothing says how many samples a value represents, it is one.

use pdiff_profile::{EventId, Profile, ProfileBuilder};

use super::error::{Damage, PprofError};
use super::tables::Tables;

/// The text that perf_to_profile appends to an event's name.
const SAMPLES_OF_EVENT: &str = "_sample";
const EVENT: &str = "_event";

/// One kind of value.
#[derive(Debug)]
struct Column {
    name: String,
    /// Given to events that have values.
    event: Option<EventId>,
    /// The column that says how many samples a value represents.
    samples: Option<usize>,
}

/// All kinds of value, in the order of the values.
#[derive(Debug)]
pub(super) struct Columns {
    columns: Vec<Column>,
    /// The column to compare, unless the user says otherwise.
    default: Option<usize>,
}

/// A value that counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Counted {
    pub(super) event: EventId,
    pub(super) samples: u32,
    pub(super) weight: u64,
}

impl Columns {
    /// Of a profile's sample types.
    pub(super) fn new(tables: &Tables<'_>) -> Result<Self, PprofError> {
        let text = |text| tables.text(text).map(|text| String::from_utf8_lossy(text).into_owned());
        let types = tables.sample_types.iter().map(|of| Ok((text(of.kind)?, text(of.unit)?)));
        let types: Vec<(String, String)> = types.collect::<Result<_, Damage>>()?;
        let mut columns: Vec<Column> = Vec::with_capacity(types.len());
        for (at, (kind, unit)) in types.iter().enumerate() {
            let name = event_name(&types, at);
            if columns.iter().any(|other| other.name == name) {
                return Err(Damage::SameSampleType.into());
            }
            columns.push(Column { name, event: None, samples: samples_of(&types, kind, unit) });
        }
        let wanted = text(tables.default_sample_type)?;
        Ok(Self { columns, default: default_column(&types, &wanted) })
    }

    /// How many values a sample has.
    pub(super) fn len(&self) -> usize {
        self.columns.len()
    }

    /// Calls a function with each value of a sample that is not zero.
    pub(super) fn count(
        &mut self,
        values: &[u64],
        builder: &mut ProfileBuilder,
        mut count: impl FnMut(&mut ProfileBuilder, Counted),
    ) -> Result<(), PprofError> {
        if values.len() != self.columns.len() {
            return Err(Damage::ValueCount.into());
        }
        if values.iter().any(|value| value.cast_signed() < 0) {
            return Err(PprofError::Negative);
        }
        for (at, (column, weight)) in self.columns.iter_mut().zip(values).enumerate() {
            if *weight == 0 {
                continue;
            }
            let event = *column.event.get_or_insert_with(|| {
                let event = builder.event(&column.name);
                if column.samples == Some(at) {
                    builder.without_period(event);
                }
                event
            });
            let samples = column.samples.and_then(|at| values.get(at)).copied().unwrap_or(1).max(1);
            let samples = u32::try_from(samples).unwrap_or(u32::MAX);
            count(builder, Counted { event, samples, weight: *weight });
        }
        Ok(())
    }

    /// Says which event to compare unless the user says otherwise.
    pub(super) fn name_default(&self, builder: &mut ProfileBuilder) {
        let default =
            self.default.and_then(|at| self.columns.get(at)).filter(|column| column.event.is_some());
        if let Some(column) = default {
            builder.header.push((Profile::DEFAULT_EVENT.into(), column.name.as_str().into()));
        }
    }
}

/// The name of a column's event: its type, with the unit if the type alone is ambiguous.
fn event_name(types: &[(String, String)], at: usize) -> String {
    let Some((kind, unit)) = types.get(at) else { return String::new() };
    let of_perf = kind.strip_suffix(EVENT).filter(|event| {
        !event.is_empty()
            && types.iter().any(|(other, _)| other.strip_suffix(SAMPLES_OF_EVENT) == Some(event))
    });
    let is_shared = types.iter().filter(|(other, _)| other == kind).count() > 1;
    match of_perf {
        Some(event) if !is_shared => event.to_owned(),
        // An event called `cpu` is time in nanoseconds.
        _ if is_shared || kind == "cpu" && unit != "nanoseconds" => format!("{kind}:{unit}"),
        _ => kind.clone(),
    }
}

/// The column that counts the samples behind the column of a value.
fn samples_of(types: &[(String, String)], kind: &str, unit: &str) -> Option<usize> {
    let of_perf = kind.strip_suffix(EVENT).map(|event| format!("{event}{SAMPLES_OF_EVENT}"));
    let find = |name: &str| types.iter().position(|(kind, unit)| kind == name && unit == "count");
    if kind.ends_with(SAMPLES_OF_EVENT) && unit == "count" {
        return find(kind);
    }
    of_perf.and_then(|name| find(&name)).or_else(|| find("samples"))
}

/// The column that the profile names, else time on the CPU, else the last. Events of perf are chosen as those of its own
/// recordings are.
fn default_column(types: &[(String, String)], wanted: &str) -> Option<usize> {
    let named = types.iter().position(|(kind, _)| !wanted.is_empty() && kind == wanted);
    let cpu = || types.iter().position(|(kind, unit)| kind == "cpu" && unit == "nanoseconds");
    let is_of_perf = types.iter().any(|(kind, _)| kind.ends_with(SAMPLES_OF_EVENT));
    named.or_else(cpu).or_else(|| types.len().checked_sub(1).filter(|_| !is_of_perf))
}
