//! Which event a record is of, and what events are called.

use pdiff_profile::{EventId, ProfileBuilder};
use rustc_hash::FxHashMap;

use super::event_attr::{EventAttr, EventKey, sample_type};
use super::features::NamedEvent;
use super::fields::{ByteOrder, Fields};

/// The number of an attribute of the recording.
pub(super) type AttrIndex = usize;

/// One attribute.
#[derive(Debug)]
struct Known {
    attr: EventAttr,
    name: Option<Box<str>>,
    /// The first attribute of the same event.
    same_as: AttrIndex,
}

/// The events of a recording.
#[derive(Debug, Default)]
pub(super) struct Events {
    known: Vec<Known>,
    by_id: FxHashMap<u64, AttrIndex>,
    /// The first attribute of each event.
    by_key: FxHashMap<EventKey, AttrIndex>,
    /// Where samples have their identifier, if all have it at one place.
    id_place: Option<usize>,
    /// Attributes of the profile's events, in their order.
    in_profile: Vec<AttrIndex>,
    event_ids: FxHashMap<AttrIndex, EventId>,
}

impl Events {
    /// Adds an attribute with its identifiers.
    pub(super) fn add(&mut self, attr: EventAttr, ids: Vec<u64>) {
        let index = self.known.len();
        let same_as = *self.by_key.entry(attr.key()).or_insert(index);
        self.by_id.extend(ids.into_iter().map(|id| (id, index)));
        let place = id_place(&attr);
        self.id_place = if index == 0 { place } else { self.id_place.filter(|known| Some(*known) == place) };
        self.known.push(Known { attr, name: None, same_as });
    }

    /// The names at the end of a recording.
    pub(super) fn name_all(&mut self, named: &[NamedEvent]) {
        for (place, named) in named.iter().enumerate() {
            let by_id = named.ids.first().and_then(|id| self.by_id.get(id)).copied();
            let at_place =
                || self.known.get(place).filter(|known| known.attr.key() == named.attr.key()).map(|_| place);
            if let Some(known) = by_id.or_else(at_place).and_then(|at| self.known.get_mut(at)) {
                known.name = Some(named.name.clone());
            }
            // A stream has its identifiers here only, where it has them at all.
            let at = by_id.or(self.known.get(place).map(|_| place));
            for (id, at) in named.ids.iter().zip(at.into_iter().cycle()) {
                self.by_id.entry(*id).or_insert(at);
            }
        }
    }

    /// A name for the event of an identifier.
    pub(super) fn name(&mut self, id: u64, name: &str) {
        if let Some(known) = self.by_id.get(&id).and_then(|at| self.known.get_mut(*at)) {
            known.name = Some(name.into());
        }
    }

    pub(super) fn attr(&self, index: AttrIndex) -> Option<&EventAttr> {
        self.known.get(index).map(|known| &known.attr)
    }

    /// The name of an attribute's event, where the recording says it.
    pub(super) fn name_of(&self, index: AttrIndex) -> Option<&str> {
        self.known.get(index)?.name.as_deref()
    }

    /// All attributes.
    pub(super) fn attrs(&self) -> impl Iterator<Item = &EventAttr> {
        self.known.iter().map(|known| &known.attr)
    }

    /// The attribute of an identifier.
    pub(super) fn by_id(&self, id: u64) -> Option<AttrIndex> {
        self.by_id.get(&id).copied()
    }

    /// The attribute that a sample is of; `None` if its identifier is none of the recording's.
    #[inline]
    pub(super) fn of_sample(&self, body: &[u8], order: ByteOrder) -> Option<AttrIndex> {
        if self.known.len() == 1 {
            return Some(0);
        }
        let bytes = body.get(self.id_place?..)?;
        match Fields::new(bytes, order).number64()? {
            0 => Some(0),
            id => self.by_id(id),
        }
    }

    /// When a record was written; `None` if it does not say.
    #[inline]
    pub(super) fn time_of(&self, is_sample: bool, body: &[u8], order: ByteOrder) -> Option<u64> {
        let place = if is_sample {
            let attr = self.attr(self.of_sample(body, order)?)?;
            attr.has(sample_type::TIME).then(|| {
                let before = sample_type::IDENTIFIER | sample_type::IP | sample_type::TID;
                8 * (attr.sample_type & before).count_ones() as usize
            })?
        } else {
            let attr = self.attr(0)?;
            let from_end = (attr.sample_id_all && attr.has(sample_type::TIME)).then(|| {
                let from = sample_type::TIME
                    | sample_type::ID
                    | sample_type::STREAM_ID
                    | sample_type::CPU
                    | sample_type::IDENTIFIER;
                8 * (attr.sample_type & from).count_ones() as usize
            })?;
            body.len().checked_sub(from_end)?
        };
        Fields::new(body.get(place..)?, order).number64()
    }

    /// The profile's number of an attribute's event.
    #[inline]
    pub(super) fn event_id(&mut self, index: AttrIndex, builder: &mut ProfileBuilder) -> EventId {
        let same_as = self.known.get(index).map_or(index, |known| known.same_as);
        *self.event_ids.entry(same_as).or_insert_with(|| {
            self.in_profile.push(same_as);
            // The names come at the end of a recording.
            builder.event(&same_as.to_string())
        })
    }

    /// The names of the profile's events, in their order.
    pub(super) fn names(&self) -> impl Iterator<Item = Box<str>> {
        self.in_profile.iter().filter_map(|at| {
            let known = self.known.get(*at)?;
            let made = || known.attr.made_name().into();
            Some(known.name.clone().unwrap_or_else(made))
        })
    }

    /// The names of all events.
    pub(super) fn all_names(&self) -> impl Iterator<Item = Box<str>> {
        let first = self.known.iter().enumerate().filter(|(at, known)| *at == known.same_as);
        first.map(|(_, known)| known.name.clone().unwrap_or_else(|| known.attr.made_name().into()))
    }
}

/// Where a sample of the event has its identifier.
fn id_place(attr: &EventAttr) -> Option<usize> {
    if attr.has(sample_type::IDENTIFIER) {
        return Some(0);
    }
    let before = sample_type::IP | sample_type::TID | sample_type::TIME | sample_type::ADDR;
    attr.has(sample_type::ID).then(|| 8 * (attr.sample_type & before).count_ones() as usize)
}
