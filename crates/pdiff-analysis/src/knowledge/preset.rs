//! The built-in knowledge about one program, and how that program is recognised.

use super::{Aliases, Architectural};

/// Built-in knowledge about one program. Subsystems, thread groups and busy waiting name the objects they apply to; renames
/// and costs of design do not, so they belong to a preset.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Preset {
    /// Nothing.
    #[default]
    Neutral,
    /// MySQL's server.
    Mysqld,
}

impl Preset {
    /// The preset of a program, by the name of its file.
    #[must_use]
    pub fn of_program(name: &str) -> Self {
        match name.strip_suffix("-debug").unwrap_or(name) {
            "mysqld" => Self::Mysqld,
            _ => Self::Neutral,
        }
    }

    /// The program that it knows.
    #[must_use]
    pub fn program(self) -> Option<&'static str> {
        match self {
            Self::Neutral => None,
            Self::Mysqld => Some("mysqld"),
        }
    }

    /// Known renames.
    #[must_use]
    pub fn aliases(self) -> Aliases {
        match self {
            Self::Neutral => Aliases::default(),
            Self::Mysqld => Aliases::mysqld(),
        }
    }

    /// Known costs of design.
    #[must_use]
    pub fn architectural(self) -> Architectural {
        match self {
            Self::Neutral => Architectural::default(),
            Self::Mysqld => Architectural::mysqld(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preset_goes_by_the_name_of_the_program() {
        let check = |name, expected| assert_eq!(Preset::of_program(name).program(), expected, "{name}");
        check("mysqld", Some("mysqld"));
        check("mysqld-debug", Some("mysqld"));
        check("postgres", None);
        check("mysqldump", None);
        check("", None);
    }
}
