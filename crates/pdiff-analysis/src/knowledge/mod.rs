//! Built-in and user knowledge about a program, as data: subsystems, thread groups, busy waiting, renames, costs of design.
//!
//! The built-in files are in `presets/`; users bring their own in the same form. No code depends on a particular program.

mod aliases;
mod architectural;
mod error;
mod preset;
mod requests;
mod server_settings;
mod spin;
mod subsystems;
mod thread_groups;
mod waits;

pub use aliases::Aliases;
pub use architectural::{Architectural, ArchitecturalRule};
pub use error::KnowledgeError;
pub use preset::Preset;
pub use requests::Requests;
pub use server_settings::{KnownSetting, SettingsKnowledge};
pub use spin::SpinList;
pub(crate) use subsystems::ObjectSubsystems;
pub use subsystems::{FunctionPlace, Subsystem, Subsystems};
pub use thread_groups::ThreadGroups;
pub use waits::WaitList;
