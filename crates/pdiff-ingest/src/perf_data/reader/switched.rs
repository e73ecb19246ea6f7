//! Switches of threads: times between them are counted instead of samples.

use super::samples::Counting;
use super::{Reader, misc, widen};
use crate::perf_data::event_attr::sample_type;
use crate::perf_data::events::AttrIndex;
use crate::perf_data::fields::Fields;
use crate::perf_data::rounds::Record;
use crate::perf_data::sample::Sample;
use crate::perf_data::switches::Departure;
use crate::waits::Interval;

impl Reader<'_> {
    /// A sample where switches are counted.
    pub(super) fn switched(&mut self, record: Record<'_>, sample: &Sample<'_>, attr_index: AttrIndex) {
        let Some(mut switches) = self.switches.take() else { return };
        let of = self.events.attr(attr_index);
        let switch = of.and_then(|attr| switches.of_sample(sample, attr, attr_index, self.order));
        match switch.zip(sample.time_ns) {
            Some((switch, time_ns)) => {
                let ids = switches.ids(sample, switch.from);
                let departure =
                    Departure { ids, body: record.body.into(), misc: record.misc, attr: attr_index };
                let count = |departure: &Departure, interval| self.count_interval(departure, interval);
                switches.threads.left(switch.from, time_ns, switch.how, departure, count);
                let count = |departure: &Departure, interval| self.count_interval(departure, interval);
                switches.threads.entered(switch.to, time_ns, count);
            }
            // Other events do not say who waits.
            None => self.counts.samples += 1,
        }
        self.switches = Some(switches);
    }

    /// A thread got a CPU, as `perf record --switch-events` records it.
    pub(super) fn returned(&mut self, record: Record<'_>) -> Option<()> {
        if record.misc & misc::SWITCH_OUT != 0 {
            return Some(());
        }
        let mut switches = self.switches.take()?;
        let time = self.events.time_of(false, record.body, self.order);
        let has_tid = self.events.attr(0).is_some_and(|attr| attr.has(sample_type::TID));
        if let Some(time_ns) = time.filter(|_| has_tid)
            && let Some((_, tid)) = ids(self.fields(record))
        {
            switches.threads.entered(tid, time_ns, |departure, interval| {
                self.count_interval(departure, interval);
            });
        }
        self.switches = Some(switches);
        Some(())
    }

    /// What threads did until the recording's end.
    pub(super) fn finish_switches(&mut self) {
        let Some(mut switches) = self.switches.take() else { return };
        switches.threads.finish(|departure, interval| self.count_interval(departure, interval));
        if let Some((first_ns, last_ns)) = switches.threads.span().filter(|_| self.span.is_some()) {
            widen(&mut self.span, first_ns);
            widen(&mut self.span, last_ns);
        }
        self.switches = Some(switches);
    }

    fn count_interval(&mut self, departure: &Departure, interval: Interval) {
        let Some(attr) = self.events.attr(departure.attr) else { return };
        let Some(sample) = Sample::parse(&departure.body, attr, self.order) else { return };
        let (pid, tid) = departure.ids;
        let sample = Sample { pid, tid: Some(tid), time_ns: Some(interval.start_ns), ..sample };
        self.count(&sample, Counting::Time(interval.state), interval.ns, departure.misc);
    }
}

/// Process and thread.
fn ids(mut fields: Fields<'_>) -> Option<(u32, u32)> {
    Some((fields.number32()?, fields.number32()?))
}
