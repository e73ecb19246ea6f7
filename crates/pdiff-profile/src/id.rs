//! Places of things in the tables of one profile.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);

        impl $name {
            /// The place in its table.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// A string of a profile.
    StringId
);
id!(
    /// An object of a profile.
    ObjectIndex
);
id!(
    /// A recorded frame of a profile.
    FrameId
);
id!(
    /// A stack of a profile.
    StackId
);
id!(
    /// A thread of a profile.
    ThreadId
);
id!(
    /// An event of a profile.
    EventId
);
