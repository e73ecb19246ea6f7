//! The vocabulary of pdiff: what a profile, a stack, an object, a symbol and a name are. No IO.

#![forbid(unsafe_code)]

mod address;
mod builder;
pub mod census;
pub mod codec;
mod interner;
pub mod names;
mod notes;
mod object;
mod per_side;
mod profile;
mod resolution;
mod resolutions;
mod server_settings;
mod side;
mod stack;

pub use address::{FileOffset, ObjectAddr, RawAddr, RuntimeAddr};
pub use builder::{BuildError, ProfileBuilder};
pub use notes::{Note, NoteKind, Notes};
pub use object::{BuildId, Object, ObjectId, ObjectKind};
pub use per_side::PerSide;
pub use profile::{
    Cell, Event, EventId, Frame, FrameId, Mapping, ObjectIndex, Profile, Span, StackId, StringId, Thread,
    ThreadId, Weight,
};
pub use resolution::{InlineChain, InlineFrame, Reason, Resolution};
pub use resolutions::{Lookup, Lookups, Resolutions};
pub use server_settings::{ServerSettings, SettingsScope};
pub use side::{Presence, RunMeasures, Side};
pub use stack::StackTable;
