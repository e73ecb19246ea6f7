//! Tests of the comparison of settings.

use super::*;

fn settings(values: &[(&str, &str)]) -> ServerSettings {
    let mut settings = ServerSettings::new(SettingsScope::All);
    for (name, value) in values {
        settings.insert(name, value);
    }
    settings
}

fn diff(before: &[(&str, &str)], after: &[(&str, &str)]) -> SettingsDiff {
    settings_diff(&settings(before), &settings(after), &SettingsKnowledge::mysqld())
}

fn names(rows: &[SettingChange]) -> Vec<&str> {
    rows.iter().map(|row| row.name.as_str()).collect()
}

#[test]
fn what_matters_stands_first_and_spelling_is_no_difference() {
    let before = [("a_limit", "1"), ("sync_binlog", "0"), ("x", "ON"), ("innodb_max_dirty_pages_pct", "75")];
    let after =
        [("a_limit", "2"), ("sync_binlog", "1"), ("x", "1"), ("innodb_max_dirty_pages_pct", "75.0000")];
    let found = diff(&before, &after);
    assert_eq!(names(&found.differs), ["sync_binlog", "a_limit"]);
    assert!(found.differs[0].why.is_some() && found.differs[1].why.is_none());
    assert_eq!((found.same, found.only.before.len(), found.only.after.len()), (2, 0, 0));
}

#[test]
fn renames_are_joined_and_a_name_kept_beside_a_later_one_is_told_once() {
    let before =
        [("tx_isolation", "READ-COMMITTED"), ("slave_parallel_workers", "0"), ("log_slave_updates", "OFF")];
    let after = [
        ("transaction_isolation", "REPEATABLE-READ"),
        ("slave_parallel_workers", "4"),
        ("replica_parallel_workers", "4"),
        ("log_replica_updates", "OFF"),
    ];
    let found = diff(&before, &after);
    assert_eq!(names(&found.differs), ["transaction_isolation", "slave_parallel_workers"]);
    assert_eq!(found.differs[0].before_name.as_deref(), Some("tx_isolation"));
    assert_eq!((found.same, found.other_names), (1, 1));
    assert!(found.only.before.is_empty() && found.only.after.is_empty());
}

#[test]
fn a_rename_with_another_unit_compares_by_its_factor() {
    let check = |days, seconds, expected: &[&str]| {
        let found = diff(&[("expire_logs_days", days)], &[("binlog_expire_logs_seconds", seconds)]);
        assert_eq!(names(&found.differs), expected);
    };
    check("30", "2592000", &[]);
    check("7", "2592000", &["binlog_expire_logs_seconds"]);
}

#[test]
fn noise_is_folded_away_and_counted() {
    let found = diff(
        &[("datadir", "/a"), ("port", "1"), ("server_uuid", "x"), ("ssl_ca", "")],
        &[
            ("datadir", "/b"),
            ("port", "2"),
            ("server_uuid", "y"),
            ("ssl_ca", "c"),
            ("innodb_doublewrite_dir", ""),
        ],
    );
    assert!(found.differs.is_empty() && found.only.after.is_empty());
    let folded: Vec<(&str, usize)> = found.folded.iter().map(|f| (f.what.as_str(), f.names.len())).collect();
    assert_eq!(folded, [("ids", 1), ("keys and certificates", 1), ("paths", 2), ("ports", 1)]);
    let all = settings_diff(
        &settings(&[("datadir", "/a")]),
        &settings(&[("datadir", "/b")]),
        &SettingsKnowledge::mysqld().without_noise(),
    );
    assert_eq!(names(&all.differs), ["datadir"]);
}

#[test]
fn a_changed_default_is_told_from_a_choice() {
    let check = |before, after, expected| {
        let found = diff(
            &[("version", "5.7.22"), ("innodb_flush_neighbors", before)],
            &[("version", "8.0.33"), ("innodb_flush_neighbors", after)],
        );
        assert_eq!(found.differs[0].at_default, Some(expected));
    };
    check("1", "0", AtDefault::Both);
    check("1", "2", AtDefault::Before);
    check("2", "0", AtDefault::After);
    check("0", "1", AtDefault::Neither);
    let unknown = diff(&[("innodb_flush_neighbors", "1")], &[("innodb_flush_neighbors", "0")]);
    assert_eq!(unknown.differs[0].at_default, None);
}

#[test]
fn swapped_sides_give_swapped_rows() {
    let before = settings(&[("tx_isolation", "A"), ("sync_binlog", "0"), ("query_cache_size", "5")]);
    let after =
        settings(&[("transaction_isolation", "B"), ("sync_binlog", "1"), ("innodb_ddl_threads", "4")]);
    let knowledge = SettingsKnowledge::mysqld();
    let (there, back) =
        (settings_diff(&before, &after, &knowledge), settings_diff(&after, &before, &knowledge));
    assert_eq!((&there.only.before, &there.only.after), (&back.only.after, &back.only.before));
    let values = |diff: &SettingsDiff| -> BTreeSet<(String, String)> {
        diff.differs.iter().map(|row| (row.before.clone(), row.after.clone())).collect()
    };
    let swapped: BTreeSet<_> = values(&back).into_iter().map(|(a, b)| (b, a)).collect();
    assert_eq!(values(&there), swapped);
}

#[test]
fn a_side_against_itself_has_no_difference() {
    let side = settings(&[
        ("tx_isolation", "A"),
        ("transaction_isolation", "A"),
        ("slave_x", "1"),
        ("replica_x", "1"),
    ]);
    let found = settings_diff(&side, &side, &SettingsKnowledge::mysqld());
    assert_eq!(
        (found.differs.len(), found.only.before.len(), found.only.after.len(), found.same),
        (0, 0, 0, 4)
    );
}

#[test]
fn gates_name_the_differing_setting_and_why() {
    let found = diff(&[("log_bin", "OFF"), ("sync_binlog", "1")], &[("log_bin", "ON"), ("sync_binlog", "1")]);
    let knowledge = SettingsKnowledge::mysqld();
    let gates = found.gates(&knowledge, "MYSQL_BIN_LOG::ordered_commit", Some("binlog"));
    assert_eq!(gates.len(), 1);
    assert_eq!(gates[0].name, "log_bin");
    assert_eq!(gates[0].values, PerSide::new("OFF", "ON").map(|value| Some(value.to_owned())));
    assert!(gates[0].admits(Side::After) && !gates[0].admits(Side::Before));
    assert!(found.gates(&knowledge, "parse_sql", Some("parser and lexer")).is_empty());
}

#[test]
fn log_bin_off_in_an_option_file_names_the_log_and_leaves_it_on() {
    let of = |set: fn(&mut ServerSettings)| {
        let mut settings = ServerSettings::new(SettingsScope::Given);
        set(&mut settings);
        settings_diff(&settings, &self::settings(&[("log_bin", "OFF")]), &SettingsKnowledge::mysqld())
    };
    for set in [
        |s: &mut ServerSettings| s.insert("log-bin", "OFF"),
        |s: &mut ServerSettings| s.insert("log_bin", "0"),
    ] {
        let found = of(set);
        assert_eq!(found.differs[0].before, "ON");
        let [told] = &found.misleading[..] else { panic!("{:?}", found.misleading) };
        assert_eq!((told.side, told.name.as_str()), (Side::Before, "log_bin"));
        assert!(told.why.contains("skip-log-bin"));
    }
    let found = of(|s| s.turn_off("log_bin"));
    assert!(found.differs.is_empty() && found.misleading.is_empty());
    let found = of(|s| s.insert("log_bin", "mysql-bin"));
    assert!(found.differs[0].before == "ON" && found.misleading.is_empty());
}
