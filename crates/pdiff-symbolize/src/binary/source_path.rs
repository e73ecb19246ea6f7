//! Source paths as text: joined and normalised, whichever machine the compiler ran on.

/// Joins parts, of which an absolute one (Unix or Windows) drops those before, and folds `.` and `..`.
pub(crate) fn join_path<'a>(parts: impl Iterator<Item = &'a str>) -> String {
    let mut joined = String::new();
    for part in parts.filter(|part| !part.is_empty()) {
        if is_absolute(part) {
            joined.clear();
        } else if !joined.is_empty() && !joined.ends_with('/') {
            joined.push('/');
        }
        joined.push_str(part);
    }
    fold(&joined)
}

fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '\\']) || path.as_bytes().get(1) == Some(&b':')
}

/// Takes out `.` and empty parts, and `..` with the part before it; a leading `..` stays where nothing is before it.
fn fold(path: &str) -> String {
    let is_rooted = path.starts_with('/');
    let mut kept: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if kept.last().is_some_and(|last| *last != "..") => {
                kept.pop();
            }
            ".." if is_rooted => {}
            _ => kept.push(part),
        }
    }
    let rest = kept.join("/");
    if is_rooted { format!("/{rest}") } else { rest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined_and_folded() {
        let check = |parts: &[&str], expected| assert_eq!(join_path(parts.iter().copied()), expected);
        check(&["/build", "sql", "item.cc"], "/build/sql/item.cc");
        check(&["/build", "/usr/include", "c++/../x.h"], "/usr/include/x.h");
        check(&["/build", "./a/./b", "../c.cc"], "/build/a/c.cc");
        check(&["../x", "../y.cc"], "../y.cc");
        check(&["..", "..", "y.cc"], "../../y.cc");
        check(&["/", "..", "y.cc"], "/y.cc");
        check(&["/a", "../../../b.c"], "/b.c");
        check(&["./obj/sql", "../../mysql-8.0.33/sql/mysqld.cc"], "mysql-8.0.33/sql/mysqld.cc");
        check(&["C:/src", "a.c"], "C:/src/a.c");
        check(&["/build", "C:\\src\\a.c"], "C:\\src\\a.c");
        check(&[], "");
    }
}
