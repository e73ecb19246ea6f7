//! The names of each side's objects in rows.

use pdiff_profile::Side;

use super::input::Sides;
use crate::normalize::Keys;

/// An object of one side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SideObject {
    /// The side.
    pub side: Side,
    /// The path that the profile has.
    pub path: String,
    /// What rows call it.
    pub label: String,
}

/// The objects of both sides, base first.
pub(super) fn objects(keys: &Keys, sides: &Sides<'_>) -> Vec<SideObject> {
    let mut objects = Vec::new();
    for side in Side::BOTH {
        let mut of_side: Vec<SideObject> = sides
            .get(side)
            .runs
            .iter()
            .flat_map(|run| &run.profile.objects)
            .map(|object| SideObject { side, path: object.path.to_string(), label: keys.label(object, side) })
            .collect();
        of_side.sort_by(|a, b| (&a.label, &a.path).cmp(&(&b.label, &b.path)));
        of_side.dedup();
        objects.append(&mut of_side);
    }
    objects
}
