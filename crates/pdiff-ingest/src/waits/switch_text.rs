//! The text of switches as ordinary `perf script` text, in which a sample's period is the time that a thread spent in one state.
//!
//! ```text
//! switch = header "sched:sched_switch:" fields newline chain      header and chain as in `perf_script`
//! fields = "prev_comm=" text " prev_pid=" tid " prev_prio=" number " prev_state=" state
//!          " ==> next_comm=" text " next_pid=" tid " next_prio=" number
//!        | text ":" tid " [" number "] " state " ==> " text ":" tid " [" number "]"        perf before 5.0
//! state  = "R" ["+"] | other letters
//! return = header "PERF_RECORD_SWITCH IN"                         `perf record --switch-events`, `--show-switch-events`
//! ```
//!
//! Real lines (perf 6.1.187, `perf record -a -e sched:sched_switch -g`, `perf script --no-inline`):
//!
//! ```text
//! worker 29375 [000]   498.515415: sched:sched_switch: prev_comm=worker prev_pid=29375 prev_prio=120 prev_state=S ==> next_comm=two_locks next_pid=29377 next_prio=120
//!         ffffffff821facd8 __schedule+0x618 ([kernel.kallsyms])
//! ```
//!
//! The time of a sample made here is that at which the interval began. Other events are left out. In memory are the text of each
//! thread's last departure, and one line.

use std::io::{self, BufRead, BufReader, Read, Write};

use super::{Interval, Left, Switches};
use crate::digits;
use crate::perf_script::{is_comment, parse_thread, split_time};
use crate::time_window::NS;

/// The most kept of one line; the rest of it is dropped.
const MAX_LINE_BYTES: usize = 1 << 20;

/// The most kept of one call chain, in bytes; chains that are longer lose their roots.
const MAX_CHAIN_BYTES: usize = 1 << 20;

const SWITCH: &[u8] = b"sched:sched_switch:";
const RETURN: &[u8] = b"PERF_RECORD_SWITCH IN";

/// A reader of the text that it makes.
pub(crate) struct SwitchText<R> {
    lines: BufReader<R>,
    line: Vec<u8>,
    switches: Switches<Departure>,
    open: Option<Open>,
    made: Vec<u8>,
    read: usize,
    is_at_end: bool,
}

/// The text of a thread that left the CPU.
#[derive(Debug, Default)]
struct Departure {
    /// Who, as the line has it.
    thread: Vec<u8>,
    chain: Vec<u8>,
}

/// A switch whose chain is being read.
struct Open {
    time_ns: u64,
    switch: Switch,
    departure: Departure,
}

/// The fields of a switch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Switch {
    from: u32,
    how: Left,
    to: u32,
}

impl<R: Read> SwitchText<R> {
    pub(crate) fn new(text: R) -> Self {
        Self {
            lines: BufReader::new(text),
            line: Vec::new(),
            switches: Switches::new(),
            open: None,
            made: Vec::new(),
            read: 0,
            is_at_end: false,
        }
    }

    /// The bookkeeping, once everything was read.
    pub(crate) fn switches(&self) -> &Switches<impl Sized> {
        &self.switches
    }

    /// Reads one line; what it completes is in `made` afterwards.
    fn advance(&mut self) -> io::Result<()> {
        if !read_line(&mut self.lines, &mut self.line)? {
            self.is_at_end = true;
            self.close();
            let made = &mut self.made;
            self.switches.finish(|departure, interval| write_sample(made, departure, interval));
            return Ok(());
        }
        let line = std::mem::take(&mut self.line);
        self.take_line(&line);
        self.line = line;
        Ok(())
    }

    fn take_line(&mut self, line: &[u8]) {
        if is_comment(line) {
            self.made.extend_from_slice(line);
            self.made.push(b'\n');
            return;
        }
        if line.starts_with(b"\t") || line.starts_with(b"  ") && split_time(line).is_none() {
            if let Some(open) = &mut self.open
                && open.departure.chain.len() + line.len() < MAX_CHAIN_BYTES
            {
                open.departure.chain.extend_from_slice(line);
                open.departure.chain.push(b'\n');
            }
            return;
        }
        self.close();
        let Some((thread, time_ns, after)) = split_time(line) else { return };
        let made = &mut self.made;
        if let Some(fields) = after_event(after, SWITCH) {
            if let Some(switch) = parse_switch(fields) {
                // A thread that ends has lost its number and name.
                let last = self.switches.last_departure(switch.from).filter(|_| is_nobody(thread));
                let thread = last.map_or(thread.trim_ascii_end(), |last| &last.thread).to_vec();
                let departure = Departure { thread, chain: Vec::new() };
                self.open = Some(Open { time_ns, switch, departure });
            }
        } else if after.trim_ascii().starts_with(RETURN)
            && let Some(tid) = parse_thread(thread).tid
        {
            self.switches
                .entered(tid, time_ns, |departure, interval| write_sample(made, departure, interval));
        }
    }

    /// The switch whose chain was read is complete.
    fn close(&mut self) {
        let Some(Open { time_ns, switch, departure }) = self.open.take() else { return };
        let made = &mut self.made;
        let mut count = |departure: &Departure, interval: Interval| write_sample(made, departure, interval);
        self.switches.left(switch.from, time_ns, switch.how, departure, &mut count);
        self.switches.entered(switch.to, time_ns, &mut count);
    }
}

impl<R: Read> Read for SwitchText<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.read == self.made.len() && !self.is_at_end {
            self.made.clear();
            self.read = 0;
            self.advance()?;
        }
        let rest = self.made.get(self.read..).unwrap_or(&[]);
        let len = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..len), rest.get(..len)) {
            to.copy_from_slice(from);
        }
        self.read += len;
        Ok(len)
    }
}

/// One line without its end; false at the end of the text.
fn read_line(lines: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let mut has_read = false;
    loop {
        let buffer = lines.fill_buf()?;
        let (len, is_end) = match memchr::memchr(b'\n', buffer) {
            Some(end) => (end + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        has_read |= len > 0;
        let room = MAX_LINE_BYTES.saturating_sub(line.len());
        line.extend_from_slice(buffer.get(..len.min(room)).unwrap_or(buffer));
        lines.consume(len);
        if is_end {
            line.truncate(line.trim_ascii_end().len());
            return Ok(has_read);
        }
    }
}

fn write_sample(made: &mut Vec<u8>, departure: &Departure, interval: Interval) {
    let Interval { state, start_ns, ns } = interval;
    made.extend_from_slice(&departure.thread);
    // Bytes in memory take what is written.
    let _always_ok = writeln!(made, " {}.{:09}: {ns:>10} {}: ", start_ns / NS, start_ns % NS, state.event());
    made.extend_from_slice(&departure.chain);
    made.push(b'\n');
}

/// The text after an event's name, where that is what follows the time; a period may be before it.
fn after_event<'l>(after_time: &'l [u8], event: &[u8]) -> Option<&'l [u8]> {
    let text = after_time.trim_ascii_start();
    let period = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    text.get(period..)?.trim_ascii_start().strip_prefix(event)
}

fn parse_switch(fields: &[u8]) -> Option<Switch> {
    const ARROW: &[u8] = b" ==> ";
    // A thread's name may look like anything, so fields are looked for from the end.
    let at = memchr::memmem::rfind(fields, ARROW)?;
    let (from, to) = (fields.get(..at)?, fields.get(at + ARROW.len()..)?);
    let named = |text: &[u8], name: &[u8]| {
        let at = memchr::memmem::rfind(text, name)?;
        let value = text.get(at + name.len()..)?;
        value.split(|byte| *byte == b' ').next().map(<[u8]>::to_vec)
    };
    if let Some(pid) = named(from, b" prev_pid=") {
        return Some(Switch {
            from: number(&pid)?,
            how: how(&named(from, b" prev_state=")?)?,
            to: number(&named(to, b" next_pid=")?)?,
        });
    }
    // "mysqld:123 [120] S"
    let of_plain = |text: &[u8]| {
        let bracket = memchr::memmem::rfind(text, b" [")?;
        let colon = memchr::memrchr(b':', text.get(..bracket)?)?;
        number(text.get(colon + 1..bracket)?)
    };
    let state = from.rsplit(|byte| *byte == b' ').next()?;
    Some(Switch { from: of_plain(from)?, how: how(state)?, to: of_plain(to)? })
}

/// Whether a line's thread is one that is gone: `:-1 -1`.
fn is_nobody(thread: &[u8]) -> bool {
    thread.trim_ascii_start().starts_with(b":-1 ")
}

fn number(text: &[u8]) -> Option<u32> {
    digits::decimal(text.trim_ascii()).and_then(|number| u32::try_from(number).ok())
}

fn how(state: &[u8]) -> Option<Left> {
    match state {
        [b'R', ..] => Some(Left::Runnable),
        [b'X' | b'Z' | b'x', ..] => Some(Left::Ended),
        [letter, ..] if letter.is_ascii_alphabetic() => Some(Left::Asleep),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str) -> String {
        let mut made = String::new();
        SwitchText::new(text.as_bytes()).read_to_string(&mut made).unwrap();
        made
    }

    const TEXT: &str = "# hostname : vm\n\
        a b 7 [000] 1.000001000: sched:sched_switch: prev_comm=a b prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=c next_pid=8 next_prio=120\n\
        \tffff schedule+0x1 ([kernel.kallsyms])\n\
        \t12 f+0x2 (/bin/x)\n\
        \n\
        c 8 [000] 1.000003000: 55 cpu-clock: \n\
        \t12 g+0x2 (/bin/x)\n\
        \n\
        c 8 [000] 1.000004: sched:sched_switch: c:8 [120] R+ ==> a b:7 [120]\n\
        \t13 g+0x2 (/bin/x)\n\
        \n\
        :-1 -1 [000] 1.000009: sched:sched_switch: prev_comm= prev_pid=1 prev_pid=7 prev_prio=120 prev_state=X ==> next_comm=swapper/0 next_pid=0 next_prio=120\n";

    #[test]
    fn a_sample_is_a_time_in_one_state() {
        let expected = "# hostname : vm\n\
            c 8 [000] 1.000001000:       3000 on-cpu: \n\t13 g+0x2 (/bin/x)\n\n\
            a b 7 [000] 1.000001000:       3000 blocked: \n\
            \tffff schedule+0x1 ([kernel.kallsyms])\n\t12 f+0x2 (/bin/x)\n\n\
            a b 7 [000] 1.000004000:       5000 on-cpu: \n\n\
            c 8 [000] 1.000004000:       5000 runnable: \n\t13 g+0x2 (/bin/x)\n\n";
        assert_eq!(made(TEXT), expected);
    }

    #[test]
    fn returns_are_known_from_records_of_switches() {
        let text = "x 5/6 [001] 2.000000: sched:sched_switch: prev_comm=x prev_pid=6 prev_prio=1 prev_state=D ==> next_comm=y next_pid=9 next_prio=1\n\
            \t12 f+0x2 (/bin/x)\n\n\
            x 5/6 [001] 2.000010: PERF_RECORD_SWITCH IN\n";
        assert_eq!(made(text), "x 5/6 [001] 2.000000000:      10000 blocked: \n\t12 f+0x2 (/bin/x)\n\n");
    }

    #[test]
    fn what_is_no_switch_is_left_out() {
        assert_eq!(made("hello\n\n a 1.0: \n\t\n"), "");
        let cut = "x 6 1.000000: sched:sched_switch: prev_comm=x prev_pid=6 prev_prio=1 prev_state";
        assert_eq!(made(cut), "");
        let mut text = SwitchText::new(cut.as_bytes());
        text.read_to_end(&mut Vec::new()).unwrap();
        assert!(text.switches().is_empty());
    }
}
