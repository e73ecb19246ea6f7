//! Source files of two builds: whether two paths are one file, and whether code moved from a header to a source file.
//!
//! Builds lie in different directories, so paths are compared from their end: the name without extension, and the directory
//! it is in.

/// Extensions of files that are included.
const HEADERS: [&str; 10] = ["h", "hh", "hpp", "hxx", "h++", "ic", "inl", "ipp", "tpp", "tcc"];

/// Where a function's source went.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SourceMove {
    /// It stayed in its file: if its inlining changed, the compiler decided that.
    Stayed,
    /// From a header to a source file: the author decided that other files can no longer inline it.
    HeaderToSource,
    /// From a source file to a header.
    SourceToHeader,
    /// To another file of the same kind.
    OtherFile,
    /// A file is not known.
    Unknown,
}

impl SourceMove {
    /// The stable text, in kebab case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stayed => "same-file",
            Self::HeaderToSource => "header-to-source",
            Self::SourceToHeader => "source-to-header",
            Self::OtherFile => "other-file",
            Self::Unknown => "unknown",
        }
    }
}

/// Where a function went that was declared in `before` and is in `after`.
pub(crate) fn source_move(before: Option<&str>, after: Option<&str>) -> SourceMove {
    let (Some(before), Some(after)) = (before, after) else { return SourceMove::Unknown };
    match (is_header(before), is_header(after)) {
        (true, false) => SourceMove::HeaderToSource,
        (false, true) => SourceMove::SourceToHeader,
        _ if stem(before) == stem(after) => SourceMove::Stayed,
        _ => SourceMove::OtherFile,
    }
}

/// How alike two paths are: 2 for the same name in the same directory, 1 for the same name, 0 else.
pub(crate) fn likeness(before: Option<&str>, after: Option<&str>) -> u32 {
    let (Some(before), Some(after)) = (before, after) else { return 0 };
    match (stem(before) == stem(after), directory(before) == directory(after)) {
        (true, true) => 2,
        (true, false) => 1,
        _ => 0,
    }
}

/// Whether two paths of one build are one header: units write its directory differently, relative to where they were
/// compiled.
pub(crate) fn are_one_header(a: &str, b: &str) -> bool {
    let name = |path: &str| path.rsplit('/').next().map(str::to_owned);
    is_header(a) && name(a) == name(b)
}

fn is_header(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    // Headers of the C++ library have no extension.
    name.rsplit_once('.').is_none_or(|(_, extension)| HEADERS.contains(&extension))
}

/// The file's name without extension.
pub(crate) fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// The name of the directory that contains the file.
fn directory(path: &str) -> &str {
    path.rsplit('/').nth(1).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_told_by_extension_and_name() {
        let check = |before, after, expected| assert_eq!(source_move(Some(before), Some(after)), expected);
        check("/x/sql/item.cc", "y/sql/item.cc", SourceMove::Stayed);
        check("/x/sql/item.c", "y/sql/item.cc", SourceMove::Stayed);
        check("/x/sql/item.h", "y/sql/item.cc", SourceMove::HeaderToSource);
        check("/x/sql/item.cc", "y/include/item.ic", SourceMove::SourceToHeader);
        check("/x/sql/item.cc", "y/sql/sum.cc", SourceMove::OtherFile);
        check("/usr/include/c++/12/vector", "/usr/include/c++/4/vector", SourceMove::Stayed);
        assert_eq!(source_move(None, Some("a.c")), SourceMove::Unknown);
    }
}
