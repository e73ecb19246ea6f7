//! Where units are read from: one of the files of an object.

use gimli::UnitOffset;

use super::facts::Place;
use super::records::Target;
use crate::binary::dwarf::{Dwarf, Unit};
use crate::binary::reference::Reference;
use crate::binary::strings::StringHome;
use crate::binary::units::Units;

/// The units of one file.
#[derive(Clone, Copy)]
pub(super) struct Source<'r, 'a> {
    pub(super) dwarf: &'r Dwarf<'a>,
    pub(super) units: &'r Units<'a>,
    /// Which file it is.
    pub(super) home: StringHome,
}

impl<'a> Source<'_, 'a> {
    /// What a reference from one of the units leads to.
    pub(super) fn target(&self, reference: Reference) -> Target {
        match (reference, self.home) {
            (Reference::Unit(offset), _) => Target::Here(offset),
            (Reference::Info(offset), StringHome::Own | StringHome::Apart) => {
                Target::Elsewhere(Place::Own(offset))
            }
            (Reference::Info(offset), StringHome::Shared) | (Reference::Shared(offset), _) => {
                Target::Elsewhere(Place::Shared(offset))
            }
        }
    }

    /// The unit of this file that contains a place, and where in it that is.
    pub(super) fn unit_of(&self, place: Place) -> Option<usize> {
        let (Place::Own(offset) | Place::Shared(offset)) = place;
        self.units.holding(offset)
    }

    /// A place as an offset in a unit.
    pub(super) fn offset_in(&self, unit: &Unit<'a>, place: Place) -> Option<UnitOffset> {
        let (Place::Own(offset) | Place::Shared(offset)) = place;
        offset.to_unit_offset(&unit.header)
    }
}
