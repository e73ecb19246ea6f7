//! Settings of a server, in the forms in which people keep them.
//!
//! ```text
//! sync_binlog<TAB>1                      mysql -N -B -e 'SHOW GLOBAL VARIABLES'     (5.6 to 9.x)
//! | sync_binlog | 1     |                mysql -t, or copied from a terminal
//! Variable_name: sync_binlog             mysql -E, or \G
//!         Value: 1
//! sync_binlog = 1                        an option file (my.cnf); `[mysqld]` and `[server]` groups are read
//! ```
//!
//! A value that holds line breaks continues over lines in the second and third form. Heading lines, borders, prompts,
//! warnings and row counts are passed over. Anything else is refused with its line: half of a file is worse than none.

use pdiff_profile::{ServerSettings, SettingsScope};

/// An error in a file of settings.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// A line of no known form.
    #[error(
        "line {line}: '{text}' is not a setting; hint: give what `mysql -B -e 'SHOW GLOBAL VARIABLES'` prints, or a my.cnf"
    )]
    NotASetting {
        /// Line, from 1.
        line: usize,
        /// What is there, cut.
        text: Box<str>,
    },
    /// An option file that takes in others.
    #[error(
        "line {line}: {text} is not followed; hint: give what `mysql -B -e 'SHOW GLOBAL VARIABLES'` prints, or one file with all settings"
    )]
    Include {
        /// Line, from 1.
        line: usize,
        /// What is there, cut.
        text: Box<str>,
    },
    /// Nothing in it.
    #[error("it has no settings; hint: give what `mysql -B -e 'SHOW GLOBAL VARIABLES'` prints, or a my.cnf")]
    Empty,
}

/// The groups of an option file that a server reads.
const SERVER_GROUPS: [&str; 2] = ["mysqld", "server"];

/// Settings that begin with `skip_` of themselves: elsewhere it turns off what follows.
const OWN_SKIPS: [&str; 6] = [
    "skip_external_locking",
    "skip_name_resolve",
    "skip_networking",
    "skip_show_database",
    "skip_slave_start",
    "skip_replica_start",
];

/// Characters of a line that an error shows.
const SHOWN: usize = 40;

/// Reads settings.
///
/// ```
/// let settings = pdiff_ingest::parse_settings("sync_binlog\t1\n")?;
/// assert_eq!(settings.get("sync_binlog"), Some("1"));
/// # Ok::<(), pdiff_ingest::SettingsError>(())
/// ```
///
/// # Errors
/// [`SettingsError`] with the line that is wrong.
pub fn parse_settings(text: &str) -> Result<ServerSettings, SettingsError> {
    let text = text.trim_start_matches('\u{feff}');
    let parse: fn(&str) -> Result<ServerSettings, SettingsError> = match form(text) {
        Form::Table => parse_table,
        Form::Vertical => parse_vertical,
        Form::Tabbed => parse_tabbed,
        Form::Options => parse_options,
    };
    let settings = parse(text)?;
    if settings.is_empty() { Err(SettingsError::Empty) } else { Ok(settings) }
}

enum Form {
    Table,
    Vertical,
    Tabbed,
    Options,
}

/// The form, by the first line that tells.
fn form(text: &str) -> Form {
    let Some(line) = text.lines().find(|line| !is_chatter(line)) else { return Form::Options };
    match line {
        _ if line.starts_with('|') || line.starts_with("+--") => Form::Table,
        _ if line.starts_with("***") || field(line, "variable_name").is_some() => Form::Vertical,
        _ if line.starts_with(['#', '[', ';', '!']) => Form::Options,
        _ if is_name(tabbed(line).0) => Form::Tabbed,
        _ => Form::Options,
    }
}

/// Lines that clients print around a result.
fn is_chatter(line: &str) -> bool {
    let line = line.trim();
    let is_count = || {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.len() < line.len() && (rest.starts_with(" rows in set") || rest.starts_with(" row in set"))
    };
    line.is_empty()
        || ["mysql>", "mysql: [Warning]", "Warning: Using a password"]
            .iter()
            .any(|head| line.starts_with(head))
        || is_count()
}

fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    !text.is_empty() && text.chars().all(is_part)
}

/// The two columns of a line; a line without a tab has no second one.
fn tabbed(line: &str) -> (&str, Option<&str>) {
    line.split_once('\t').map_or((line, None), |(name, value)| (name, Some(value)))
}

fn is_heading(name: &str) -> bool {
    name.trim().eq_ignore_ascii_case("variable_name")
}

fn not_a_setting(index: usize, line: &str) -> SettingsError {
    SettingsError::NotASetting { line: index + 1, text: line.trim().chars().take(SHOWN).collect() }
}

fn parse_tabbed(text: &str) -> Result<ServerSettings, SettingsError> {
    let mut settings = ServerSettings::new(SettingsScope::All);
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !is_chatter(line)) {
        match tabbed(line) {
            (name, Some(_)) if is_heading(name) => {}
            (name, Some(value)) if is_name(name) => settings.insert(name, value.trim()),
            _ => return Err(not_a_setting(index, line)),
        }
    }
    Ok(settings)
}

fn parse_table(text: &str) -> Result<ServerSettings, SettingsError> {
    let mut settings = ServerSettings::new(SettingsScope::All);
    let (mut last, mut is_closed): (Option<&str>, bool) = (None, true);
    for (index, line) in text.lines().enumerate() {
        let is_border = line.starts_with("+--");
        match line.strip_prefix('|').and_then(|line| line.split_once('|')) {
            _ if is_border => (last, is_closed) = (None, true),
            Some((name, _)) if is_heading(name) => {}
            Some((name, value)) if is_name(name.trim()) => {
                settings.insert(name, closed(value).trim());
                (last, is_closed) = (Some(name), has_bar(value));
            }
            // Behind a row that is closed a client may speak; a value that is open may contain the same words.
            _ if is_closed && is_chatter(line) => {}
            _ => {
                let name = last.ok_or_else(|| not_a_setting(index, line))?;
                settings.append_line(name, closed(line).trim());
                is_closed = has_bar(line);
            }
        }
    }
    Ok(settings)
}

fn has_bar(cell: &str) -> bool {
    cell.trim_end().ends_with('|')
}

/// A cell without its closing bar.
fn closed(cell: &str) -> &str {
    let cell = cell.trim_end();
    cell.strip_suffix('|').unwrap_or(cell)
}

/// The text after a label of the vertical form.
fn field<'a>(line: &'a str, label: &str) -> Option<&'a str> {
    let line = line.trim_start();
    let (head, rest) = line.split_at_checked(label.len())?;
    rest.strip_prefix(':').filter(|_| head.eq_ignore_ascii_case(label)).map(str::trim)
}

fn parse_vertical(text: &str) -> Result<ServerSettings, SettingsError> {
    let mut settings = ServerSettings::new(SettingsScope::All);
    let (mut name, mut has_value): (Option<String>, bool) = (None, false);
    for (index, line) in text.lines().enumerate() {
        let value = field(line, "value").or_else(|| field(line, "variable_value"));
        if line.starts_with("***") {
            (name, has_value) = (None, false);
        } else if let (Some(found), None) = (field(line, "variable_name"), &name) {
            name = Some(found.to_owned());
        } else if let (Some(name), Some(value), false) = (&name, value, has_value) {
            settings.insert(name, value);
            has_value = true;
        } else if is_chatter(line) {
        } else if let (Some(name), true) = (&name, has_value) {
            settings.append_line(name, line.trim());
        } else {
            return Err(not_a_setting(index, line));
        }
    }
    Ok(settings)
}

fn parse_options(text: &str) -> Result<ServerSettings, SettingsError> {
    let mut settings = ServerSettings::new(SettingsScope::Given);
    let mut is_for_server = true;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if line.starts_with('!') {
            return Err(SettingsError::Include { line: index + 1, text: line.chars().take(SHOWN).collect() });
        }
        if let Some(group) = line.strip_prefix('[').and_then(|line| line.split_once(']')) {
            is_for_server = is_server_group(group.0);
        } else if is_for_server {
            let (name, value) = option(line);
            if !is_name(&name) {
                return Err(not_a_setting(index, line));
            }
            match value {
                Some(value) => settings.insert(&name, &value),
                None => settings.turn_off(&name),
            }
        }
    }
    Ok(settings)
}

/// `mysqld`, `server`, or `mysqld-8.0`.
fn is_server_group(group: &str) -> bool {
    let group = group.trim();
    SERVER_GROUPS.contains(&group) || group.starts_with("mysqld-")
}

/// One line of an option file: what it sets and to what; `None` where the option's name turns it off.
fn option(line: &str) -> (String, Option<String>) {
    let line = without_comment(line).trim();
    let (name, value) = line.split_once('=').map_or((line, None), |(name, value)| (name, Some(value.trim())));
    let name = name.trim().to_ascii_lowercase().replace('-', "_");
    let name = name.trim_start_matches('_');
    let name = name.strip_prefix("loose_").unwrap_or(name);
    let unquoted = value.map(|value| unquote(value).to_owned());
    let turned_off = ["skip_", "disable_"].iter().find_map(|head| name.strip_prefix(head));
    match (unquoted, turned_off) {
        (Some(value), _) => (name.to_owned(), Some(value)),
        (None, Some(off)) if !OWN_SKIPS.contains(&name) => (off.to_owned(), None),
        (None, _) => (name.strip_prefix("enable_").unwrap_or(name).to_owned(), Some("ON".to_owned())),
    }
}

/// A line up to the first `#` that stands outside of quotes; a backslash keeps a quote from ending.
fn without_comment(line: &str) -> &str {
    let (mut quote, mut is_escaped) = (None, false);
    let comment = line.find(|c: char| {
        let is_comment = c == '#' && quote.is_none();
        if matches!(c, '"' | '\'') && !is_escaped {
            quote = match quote {
                None => Some(c),
                Some(open) => Some(open).filter(|open| *open != c),
            };
        }
        is_escaped = c == '\\' && quote.is_some() && !is_escaped;
        is_comment
    });
    line.get(..comment.unwrap_or(line.len())).unwrap_or(line)
}

fn unquote(value: &str) -> &str {
    let quoted = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    quoted('"').or_else(|| quoted('\'')).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, &str)]) {
        let settings = parse_settings(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(settings.iter().collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn all_forms_of_one_listing_say_the_same() {
        let expected = [("datadir", "/x y/"), ("init_connect", ""), ("sync_binlog", "1")];
        check("datadir\t/x y/\ninit_connect\t\nsync_binlog\t1\n", &expected);
        check("Variable_name\tValue\r\ndatadir\t/x y/\r\ninit_connect\t\r\nsync_binlog\t1\r\n", &expected);
        check(
            "mysql> show global variables;\n+-------+-----+\n| Variable_name | Value |\n+-------+-----+\n\
             | datadir      | /x y/ |\n| init_connect |       |\n| sync_binlog  | 1     |\n+-----+----+\n\
             3 rows in set (0.00 sec)\n",
            &expected,
        );
        check(
            "*************** 1. row ***************\nVariable_name: datadir\n        Value: /x y/\n\
             *** 2. row ***\nVariable_name: init_connect\n        Value: \n*** 3. row ***\nVariable_name: sync_binlog\n\
             \x20       Value: 1\n3 rows in set (0.00 sec)\n",
            &expected,
        );
        check("[mysqld]\ndatadir = \"/x y/\"\ninit-connect =\nsync_binlog=1 # safe\n", &expected);
    }

    #[test]
    fn a_value_may_hold_bars_labels_and_line_breaks() {
        check("| a | x|y |\n| b | 1\n2 |\n", &[("a", "x|y"), ("b", "1\n2")]);
        check("| a | 1 |\n| b | x\n\ny |\n\nmysql> exit\n", &[("a", "1"), ("b", "x\n\ny")]);
        check(
            "*** 1. row ***\nVariable_name: a\nValue: x\ny: Value: z\n*** 2. row ***\nVariable_name: b\nValue: Value: 1\n",
            &[("a", "x\ny: Value: z"), ("b", "Value: 1")],
        );
    }

    #[test]
    fn an_option_file_is_read_as_a_server_reads_it() {
        let text = "# x\n[client]\nport=1\n[mysqld]\nskip-log-bin\nskip-name-resolve\nloose-innodb-x = 'a'\nlog-slow\n[mysqldump]\nquick\n";
        check(
            text,
            &[("innodb_x", "a"), ("log_bin", "OFF"), ("log_slow", "ON"), ("skip_name_resolve", "ON")],
        );
        check(
            "[mysqld]\na = 1\t# x\nb = 2# x\nc = \"x # 'y\" # z\nd = 'x\\' # y'\n",
            &[("a", "1"), ("b", "2"), ("c", "x # 'y"), ("d", "x\\' # y")],
        );
        assert_eq!(parse_settings(text).map(|settings| settings.scope()), Ok(SettingsScope::Given));
        assert_eq!(parse_settings(text).map(|settings| settings.is_turned_off("log-bin")), Ok(true));
        let later = parse_settings("[mysqld]\ndisable-log-bin\nlog-bin=OFF\n");
        assert_eq!(later.map(|settings| settings.is_turned_off("log_bin")), Ok(false));
        assert_eq!(parse_settings("a\t1").map(|settings| settings.scope()), Ok(SettingsScope::All));
    }

    #[test]
    fn what_is_no_setting_is_refused_with_its_line() {
        let check = |text: &str, expected: &str| {
            let error = parse_settings(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        };
        check("", "it has no settings");
        check("[client]\nport=1\n", "it has no settings");
        check("a\t1\nb c\t2\n", "line 2: 'b c");
        check("a\t1\nb\n", "line 2: 'b'");
        check("mysqld 1234 [000] 12.5: 1 cycles:\n", "line 1: 'mysqld 1234");
        check("[mysqld]\n!includedir /etc/x\n", "line 2: !includedir /etc/x is not followed");
        check("*** 1. row ***\nhost: x\n", "line 2: 'host: x'");
        check("+---+---+\nx\n", "line 2: 'x'");
    }
}
