//! Settings that differ are told beside what they switch.

use pdiff_analysis::classify::{EnteredBy, EvidenceKind, Reason, Tag};
use pdiff_analysis::{SettingsDiff, SettingsKnowledge, settings_diff};
use pdiff_profile::{PerSide, ServerSettings, SettingsScope};

use crate::build::{Extra, Side, classified_with, said, seen, verdict};

fn differing(before: &str, after: &str) -> Option<SettingsDiff> {
    let side = |value: &str| {
        let mut settings = ServerSettings::new(SettingsScope::All);
        settings.insert("log_bin", value);
        settings
    };
    Some(settings_diff(&side(before), &side(after), &SettingsKnowledge::mysqld()))
}

fn is_by_setting(reason: &Reason) -> bool {
    matches!(reason, Reason::OneRunEntered { why: EnteredBy::Setting(_), .. })
}

const BUILD: &str = "main:50 work:50 commit:90 binlog_write:300 commit>binlog_write";
const OFF: &str = "main;work 600\nmain;commit 40";
const ON: &str = "main;work 600\nmain;commit 40\nmain;commit;binlog_write 60";

fn outcome(settings: Option<SettingsDiff>) -> pdiff_analysis::classify::Classification {
    let after = BUILD.replace("commit:90", "commit:95");
    classified_with(seen(OFF, BUILD), seen(ON, &after), &Extra { settings, ..Extra::default() })
}

#[test]
fn a_differing_setting_explains_what_only_one_run_entered() {
    let outcome = outcome(differing("OFF", "ON"));
    assert_eq!(said(&outcome, "binlog_write"), "newly-active likely R-newly-active");
    let found = verdict(&outcome, "binlog_write");
    assert!(found.tags.contains(&Tag::Settings));
    let Reason::OneRunEntered { why: EnteredBy::Setting(setting), .. } = &found.reason else {
        panic!("{:?}", found.reason)
    };
    assert_eq!(setting.name, "log_bin");
    assert_eq!(setting.values, PerSide::new("OFF", "ON").map(|value| Some(value.to_owned())));
    assert!(found.evidence.iter().any(|evidence| evidence.kind() == EvidenceKind::Settings));
    assert!(outcome.settings.is_some());
}

#[test]
fn settings_that_are_the_same_or_point_the_other_way_explain_nothing() {
    for settings in [None, differing("ON", "ON")] {
        let outcome = outcome(settings);
        let found = verdict(&outcome, "binlog_write");
        assert_eq!(said(&outcome, "binlog_write"), "newly-active likely R-newly-active");
        assert!(!found.tags.contains(&Tag::Settings) && !is_by_setting(&found.reason));
    }
    let outcome = outcome(differing("ON", "OFF"));
    assert!(!is_by_setting(&verdict(&outcome, "binlog_write").reason));
}

#[test]
fn noise_and_what_no_setting_switches_get_no_tag() {
    let outcome = outcome(differing("OFF", "ON"));
    for name in ["main", "work", "commit"] {
        assert!(!verdict(&outcome, name).tags.contains(&Tag::Settings), "{name}");
    }
}

#[test]
fn a_setting_that_one_server_alone_knows_tells_what_its_binary_hides() {
    let side = |names: &[(&str, &str)]| {
        let mut settings = ServerSettings::new(SettingsScope::All);
        names.iter().for_each(|(name, value)| settings.insert(name, value));
        settings
    };
    let threads = |value| [("innodb_log_writer_threads", value)];
    let said_of = |before: &[(&str, &str)], after: &[(&str, &str)], is_mirrored: bool| {
        let settings = settings_diff(&side(before), &side(after), &SettingsKnowledge::mysqld());
        let extra = Extra { settings: Some(settings), ..Extra::default() };
        let (idle, busy) = ("main;work 600", "main;work 600\nmain;log_writer 60");
        let of = |folded| Side { folded, build: None };
        let sides = if is_mirrored { (of(busy), of(idle)) } else { (of(idle), of(busy)) };
        said(&classified_with(sides.0, sides.1, &extra), "log_writer")
    };
    assert_eq!(said_of(&[], &threads("ON"), false), "new-overhead likely R-switched-on");
    assert_eq!(said_of(&threads("OFF"), &threads("ON"), false), "newly-active likely R-switched-on");
    assert_eq!(said_of(&threads("ON"), &[], true), "gone likely R-switched-off");
    assert_eq!(said_of(&[], &threads("OFF"), false), "unclear unclear R-not-visible");
    assert_eq!(said_of(&threads("ON"), &threads("ON"), false), "unclear unclear R-not-visible");
}
