//! The vocabulary of pdiff: profiles, stacks, objects, symbols and names. No IO.

#![forbid(unsafe_code)]

mod address;
mod builder;
pub mod census;
mod code_change;
pub mod codec;
mod counted_calls;
mod frame_calls;
mod id;
mod inline_remark;
mod interner;
mod kernel_image;
mod lookups;
mod machine_code;
pub mod names;
mod notes;
mod object;
mod per_side;
mod plain_text;
mod polling;
mod profile;
mod resolution;
mod resolutions;
mod server_settings;
mod side;
mod stack;
mod thread_state;
mod uncovered;
mod unwind;
mod weight;

pub use address::{FileOffset, ObjectAddr, RawAddr, RuntimeAddr};
pub use builder::{BuildError, ProfileBuilder};
pub use code_change::{CodeChange, NumberUse, OtherNumber};
pub use counted_calls::{CallSource, Calls, CountedCalls, NamedBranch};
pub use frame_calls::{Call, FrameCalls};
pub use id::{EventId, FrameId, ObjectIndex, StackId, StringId, ThreadId};
pub use inline_remark::{InlineRemark, RemarkName, RemarkPlace};
pub use kernel_image::{KernelFunction, KernelImage, KernelImages, WantedKernel};
pub use lookups::{Lookup, Lookups};
pub use machine_code::{CodePlace, Instruction, MachineCode, NoCode};
pub use notes::{Note, NoteKind, Notes};
pub use object::{BuildId, Object, ObjectId, ObjectKind};
pub use per_side::PerSide;
pub use plain_text::is_printable_ascii;
pub use polling::PollingFrames;
pub use profile::{Cell, Event, Frame, Mapping, Profile, Span, TakenBranch, TakenSample, Thread};
pub use resolution::{InlineChain, InlineFrame, Reason, Resolution, is_unnamed};
pub use resolutions::Resolutions;
pub use server_settings::{ServerSettings, SettingsScope};
pub use side::{Presence, RunMeasures, Side};
pub use stack::StackTable;
pub use thread_state::ThreadState;
pub use uncovered::Uncovered;
pub use unwind::{MappedCode, Processor, RecordedStack, Unwinder, UnwoundStack};
pub use weight::Weight;
