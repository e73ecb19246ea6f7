//! The name of an event where the recording does not give it: as perf's `evsel__name` makes it.
//!
//! perf writes names at the end of a recording, so one that was cut off has none.

const HARDWARE: [&str; 10] = [
    "cycles",
    "instructions",
    "cache-references",
    "cache-misses",
    "branches",
    "branch-misses",
    "bus-cycles",
    "stalled-cycles-frontend",
    "stalled-cycles-backend",
    "ref-cycles",
];

const SOFTWARE: [&str; 12] = [
    "cpu-clock",
    "task-clock",
    "page-faults",
    "context-switches",
    "cpu-migrations",
    "minor-faults",
    "major-faults",
    "alignment-faults",
    "emulation-faults",
    "dummy",
    "bpf-output",
    "cgroup-switches",
];

const CACHES: [&str; 7] = ["L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node"];
const CACHE_OPERATIONS: [&str; 3] = ["load", "store", "prefetch"];

/// Which modes an event leaves out, and how near to the instruction its samples are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Modifiers {
    pub(super) exclude_user: bool,
    pub(super) exclude_kernel: bool,
    pub(super) exclude_hypervisor: bool,
    pub(super) exclude_host: bool,
    pub(super) exclude_guest: bool,
    /// 0 to 3.
    pub(super) precise: u8,
}

/// The name of an event of `kind` (`type` of its attribute).
pub(super) fn event_name(kind: u32, config: u64, modifiers: Modifiers) -> String {
    let name = match kind {
        0 => known(&HARDWARE, config & 0xff),
        1 => known(&SOFTWARE, config),
        2 => Some(format!("tracepoint-{config}")),
        3 => cache_name(config),
        5 => Some("mem-breakpoint".to_owned()),
        _ => None,
    };
    let name = name.unwrap_or_else(|| match kind {
        4 => format!("raw 0x{config:x}"),
        _ => format!("type-{kind}-config-0x{config:x}"),
    });
    name + &modifier_text(modifiers)
}

fn known(names: &[&str], config: u64) -> Option<String> {
    let name = names.get(usize::try_from(config).ok()?)?;
    Some((*name).to_owned())
}

/// `L1-dcache-load-misses` and similar: cache, operation and result are a byte each.
fn cache_name(config: u64) -> Option<String> {
    let byte = |shift: u32| usize::try_from(config >> shift & 0xff).ok();
    let (cache, operation) = (CACHES.get(byte(0)?)?, CACHE_OPERATIONS.get(byte(8)?)?);
    Some(match byte(16)? {
        0 => format!("{cache}-{operation}s"),
        _ => format!("{cache}-{operation}-misses"),
    })
}

/// `:u`, `:k`, `:ppp`: as perf writes them.
fn modifier_text(modifiers: Modifiers) -> String {
    let mut text = String::new();
    if modifiers.exclude_user || modifiers.exclude_kernel || modifiers.exclude_hypervisor {
        let modes = [
            ('k', modifiers.exclude_kernel),
            ('u', modifiers.exclude_user),
            ('h', modifiers.exclude_hypervisor),
        ];
        text.extend(modes.into_iter().filter(|(_, excluded)| !excluded).map(|(letter, _)| letter));
    }
    text.extend(std::iter::repeat_n('p', usize::from(modifiers.precise)));
    if modifiers.exclude_host && !modifiers.exclude_guest {
        text.push('G');
    }
    if text.is_empty() { text } else { format!(":{text}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_have_the_names_that_perf_gives_them() {
        let check = |kind, config, modifiers, expected: &str| {
            assert_eq!(event_name(kind, config, modifiers), expected);
        };
        let none = Modifiers::default();
        check(1, 0, none, "cpu-clock");
        check(0, 0, Modifiers { precise: 3, ..none }, "cycles:ppp");
        let user = Modifiers { exclude_kernel: true, exclude_hypervisor: true, ..none };
        check(0, 1, user, "instructions:u");
        check(3, 0x1_0000, none, "L1-dcache-load-misses");
        check(9, 0x12, none, "type-9-config-0x12");
        check(1, 99, none, "type-1-config-0x63");
    }
}
