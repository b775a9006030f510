//! What start = state adds to a subscriber. Each connection begins with the state from a number on: the newest messages of
//! the types, in their order, up to a PING that has reached the head. Numbers 0 and 1 are for all of it.

use crate::wire::{Welcome, LAST_RESERVED};

/// Time after which a state that is not complete is told.
pub(crate) const LATE_AFTER_MS: u64 = 10_000;

/// Reason of a GAP for which newer messages of the same types come.
const SUPERSEDED: u16 = 4;

#[derive(Default)]
pub(crate) struct StateStart {
    /// Number of the last HELLO.
    asked: i64,
    /// Types were added while live: of these the stream came, and not what was before.
    is_widened: bool,
    /// Messages were passed over for newer ones, and not all of these may have come.
    has_passed_over: bool,
    /// Of what was passed over the newer ones may be gone: the next HELLO asks for all of the state.
    needs_whole: bool,
    /// Time of WELCOME; `None`: the state is complete, or there is none.
    began: Option<u64>,
    is_late: bool,
}

impl StateStart {
    /// The number for HELLO with these types, where `next` is the count, and the state of the known types came.
    pub(crate) fn begin(&mut self, next: i64, known: &[(i32, i32)], types: &[(i32, i32)]) -> i64 {
        let needs_whole = self.needs_whole || self.is_widened || !covers(known, types);
        self.asked = if needs_whole { 0 } else { next };
        self.asked
    }

    /// Takes note of a change of the known types to others.
    pub(crate) fn changed(&mut self, known: &[(i32, i32)], types: &[(i32, i32)]) {
        self.is_widened |= !covers(known, types);
    }

    /// Takes note of WELCOME. Whether what the user has is void, since all of the state follows.
    pub(crate) fn welcomed(&mut self, is_other: bool, now: u64) -> bool {
        self.began = Some(now);
        self.is_widened = false;
        self.is_late = false;
        let anew = is_other || self.asked <= 1;
        self.has_passed_over &= !anew;
        self.needs_whole &= !anew;
        anew
    }

    /// Takes note of a GAP with this reason.
    pub(crate) fn missed(&mut self, reason: u16) {
        self.has_passed_over |= reason == SUPERSEDED;
    }

    /// Whether all of the state is to be asked for over another connection: it was cut, and WELCOME is of a later life
    /// of the relay than this epoch. A newer message for which one was passed over may be gone, and the number does not
    /// tell.
    pub(crate) fn asks_again(&mut self, epoch: i64, welcome: &Welcome) -> bool {
        if !self.has_passed_over || self.needs_whole || welcome.epoch_changed() || welcome.epoch == epoch {
            return false;
        }
        self.needs_whole = true;
        true
    }

    /// Takes note of a PING that has reached the head. Whether it is the first one.
    pub(crate) fn completed(&mut self) -> bool {
        self.has_passed_over = false;
        self.began.take().is_some()
    }

    /// Takes note of the connection's end.
    pub(crate) fn ended(&mut self) {
        self.began = None;
    }

    /// Whether it is time to tell that the state is not complete.
    pub(crate) fn is_late_now(&mut self, now: u64) -> bool {
        let is_late = self.began.is_some_and(|began| now >= began + LATE_AFTER_MS);
        is_late && !std::mem::replace(&mut self.is_late, true)
    }
}

/// Whether the ranges have all types of the others. None stands for every type.
fn covers(ranges: &[(i32, i32)], others: &[(i32, i32)]) -> bool {
    if ranges.is_empty() {
        return true;
    }
    let mut ranges = ranges.to_vec();
    ranges.sort_unstable();
    let every = [(LAST_RESERVED + 1, i32::MAX)];
    let others = if others.is_empty() { &every } else { others };
    others.iter().all(|&(from, to)| {
        // The first type of it that is not found yet.
        let mut first = i64::from(from);
        for &(low, high) in &ranges {
            if i64::from(low) <= first {
                first = first.max(i64::from(high) + 1);
            }
        }
        first > i64::from(to)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::link::Role;
    use crate::options::{Policy, Start, SubscriberOptions};
    use crate::subscriber::{SubscriberCore, Taken};
    use crate::wire::{self, HEADER};
    use crate::Event;

    fn put_longs(out: &mut Vec<u8>, control: u8, longs: &[i64], rest: &[u8]) {
        wire::put_control(out, control, |out| {
            for long in longs {
                out.extend_from_slice(&long.to_be_bytes());
            }
            out.extend_from_slice(rest);
        });
    }

    /// A WELCOME without EPOCHS, but where there are rows.
    fn put_welcome(out: &mut Vec<u8>, flags: u8, epoch: i64, next: i64, fork: i64, lives: &[(i64, i64)]) {
        let features = wire::SEQUENCES | wire::NARROWED | if lives.is_empty() { 0 } else { wire::EPOCHS };
        wire::put_control(out, wire::WELCOME, |out| {
            out.extend_from_slice(&[0, 1, 1, flags]);
            out.extend_from_slice(&features.to_be_bytes());
            for field in [epoch, next, 0] {
                out.extend_from_slice(&field.to_be_bytes());
            }
            for field in [1u32 << 20, 1000, 5000] {
                out.extend_from_slice(&field.to_be_bytes());
            }
            out.extend_from_slice(&[4, 0, 0, 0, 0, 0]);
            out.extend_from_slice(&fork.to_be_bytes());
            if !lives.is_empty() {
                out.extend_from_slice(&[0, lives.len() as u8, 0, 0]);
                for life in lives {
                    out.extend_from_slice(&life.0.to_be_bytes());
                    out.extend_from_slice(&life.1.to_be_bytes());
                }
            }
        });
    }

    fn put_message(out: &mut Vec<u8>, message_type: i32, body: &[u8]) {
        out.extend_from_slice(&message_type.to_be_bytes());
        out.extend_from_slice(&(body.len() as u32).to_be_bytes());
        out.extend_from_slice(body);
    }

    fn put_superseded(out: &mut Vec<u8>, from: i64, to: i64) {
        put_longs(out, wire::GAP, &[from, to], &[0, SUPERSEDED as u8, 0, 0, 0, 0, 0, 0]);
    }

    fn put_ping(out: &mut Vec<u8>, next: i64, head: i64) {
        put_longs(out, wire::PING, &[1, next, head], &[]);
    }

    fn put_subscribed(out: &mut Vec<u8>, request: u32, sequence: i64) {
        let mut body = request.to_be_bytes().to_vec();
        body.extend_from_slice(&[0; 4]);
        body.extend_from_slice(&sequence.to_be_bytes());
        put_longs(out, wire::SUBSCRIBED, &[], &body);
    }

    fn frames(put: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        let mut out = Vec::new();
        put(&mut out);
        out
    }

    fn core_of(start: Start, types: &[(i32, i32)]) -> SubscriberCore {
        let mut options = SubscriberOptions::new(["h:1"]);
        options.start = start;
        options.types = types.to_vec();
        SubscriberCore::new(options, 0, 1).unwrap()
    }

    #[derive(Debug, PartialEq)]
    enum Got {
        Message(i64, i32, Vec<u8>),
        Event(Event),
    }

    /// What comes of these bytes.
    fn feed(core: &mut SubscriberCore, mut bytes: &[u8]) -> Vec<Got> {
        let mut got = Vec::new();
        while !bytes.is_empty() {
            let room = core.link.room();
            let n = room.len().min(bytes.len());
            room[..n].copy_from_slice(&bytes[..n]);
            core.link.read(n);
            bytes = &bytes[n..];
            while let Some(taken) = core.take() {
                got.push(match taken {
                    Taken::Event(event) => Got::Event(event),
                    Taken::Message(frame, sequence) => {
                        Got::Message(sequence.unwrap(), frame.message_type, core.link.body(frame).to_vec())
                    }
                });
            }
        }
        got
    }

    fn texts(got: &[Got]) -> Vec<String> {
        got.iter()
            .map(|one| match one {
                Got::Message(sequence, message_type, body) => {
                    format!("{sequence} {message_type} {}", String::from_utf8_lossy(body))
                }
                Got::Event(Event::Connected { anew, .. }) => {
                    if *anew == Some(true) { "anew" } else { "goes on" }.into()
                }
                Got::Event(Event::Gap { from, to, reason }) => format!("gap {from} {to} {reason}"),
                Got::Event(Event::StateComplete { next }) => format!("complete {next}"),
                Got::Event(Event::RolledBack { from, to }) => format!("rolled back {from} {to}"),
                Got::Event(other) => format!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn the_state_comes_in_pieces_of_every_size() {
        let bytes = frames(|out| {
            put_welcome(out, 0, 7, 1, 0, &[]);
            put_ping(out, 1, 9);
            put_superseded(out, 1, 4);
            put_message(out, 3, b"c");
            put_superseded(out, 6, 6);
            put_message(out, 1, b"");
            put_superseded(out, 8, 9);
            put_ping(out, 10, 9);
            put_message(out, 2, b"b");
            put_ping(out, 11, 10);
        });
        let expected = [
            "anew",
            "gap 1 4 4",
            "5 3 c",
            "gap 6 6 4",
            "7 1 ",
            "gap 8 9 4",
            "complete 10",
            "10 2 b",
        ];
        for size in 1..=bytes.len() {
            let mut core = core_of(Start::State, &[]);
            core.begin(true).unwrap();
            let got: Vec<Got> = bytes.chunks(size).flat_map(|piece| feed(&mut core, piece)).collect();
            assert_eq!(texts(&got), expected, "pieces of {size}");
            assert_eq!(core.counters.next, 11);
        }
    }

    #[test]
    fn an_empty_stream_is_complete() {
        let mut core = core_of(Start::State, &[]);
        core.begin(true).unwrap();
        let bytes = frames(|out| {
            put_welcome(out, 0, 7, 1, 0, &[]);
            put_ping(out, 1, 0);
            put_ping(out, 1, 0);
        });
        assert_eq!(texts(&feed(&mut core, &bytes)), ["anew", "complete 1"]);
    }

    /// Makes the next connection, and returns its HELLO.
    fn connect(core: &mut SubscriberCore) -> Vec<u8> {
        core.begin(true).unwrap();
        let hello = core.output().to_vec();
        core.wrote(hello.len());
        hello
    }

    #[test]
    fn each_connection_asks_for_what_is_newer() {
        const LIVES: &[(i64, i64)] = &[(7, 5), (6, 1)];
        let mut core = core_of(Start::State, &[(1, 5)]);
        let mut step = |changes: &[&[(i32, i32)]], number, epoch, bytes: &[u8], expected: &[&str]| {
            for types in changes {
                let request = core.types(types.to_vec()).unwrap();
                if core.link.is_connected() {
                    let (sent, next) = (core.output().len(), core.counters.next);
                    core.wrote(sent);
                    feed(&mut core, &frames(|out| put_subscribed(out, request, next)));
                }
            }
            let hello = connect(&mut core);
            assert_eq!(hello[HEADER + 6], 4);
            assert_eq!(wire::get64(&hello, HEADER + 24), number);
            assert_eq!(wire::get64(&hello, HEADER + 16), epoch);
            assert_eq!(texts(&feed(&mut core, bytes)), expected);
        };
        let welcome = |next| frames(|out| put_welcome(out, 0, 7, next, 0, LIVES));
        let gap_and = |message_type| {
            frames(|out| {
                put_welcome(out, 0, 7, 1, 0, LIVES);
                put_superseded(out, 1, 11);
                put_message(out, message_type, b"");
            })
        };
        step(&[], 0, 0, &welcome(1), &["anew"]);
        step(&[], 1, 7, &gap_and(1), &["anew", "gap 1 11 4", "12 1 "]);
        step(&[], 13, 7, &welcome(13), &["goes on"]);
        step(&[&[(2, 3)]], 13, 7, &welcome(13), &["goes on"]);
        step(
            &[&[(2, 4)], &[(3, 3)]],
            0,
            7,
            &gap_and(3),
            &["anew", "gap 1 11 4", "12 3 "],
        );
        step(&[], 13, 7, &welcome(13), &["goes on"]);
        // An older backup: the state comes over this connection.
        let older = frames(|out| {
            put_welcome(out, 1, 8, 1, 0, &[(8, 5), (6, 1)]);
            put_superseded(out, 1, 2);
            put_message(out, 3, b"");
        });
        step(
            &[],
            13,
            7,
            &older,
            &["StreamChanged { lost_from: 13 }", "anew", "gap 1 2 4", "3 3 "],
        );
        // The count does not go on at the fork.
        let rolled_back = frames(|out| {
            put_welcome(out, 3, 9, 1, 2, &[]);
            put_message(out, 3, b"");
            put_ping(out, 2, 1);
        });
        step(
            &[],
            4,
            8,
            &rolled_back,
            &["rolled back 2 3", "anew", "1 3 ", "complete 2"],
        );
        step(&[], 2, 9, &welcome(2), &["goes on"]);
    }

    /// A change that no SUBSCRIBE carries, since HELLO does.
    #[test]
    fn types_that_a_hello_adds() {
        let mut core = core_of(Start::StateFrom { epoch: 7, sequence: 9 }, &[(1, 1)]);
        core.types(vec![(1, 2)]).unwrap();
        let hello = connect(&mut core);
        assert_eq!(
            (wire::get64(&hello, HEADER + 24), wire::get64(&hello, HEADER + 16)),
            (0, 7)
        );
        let welcome = frames(|out| put_welcome(out, 0, 7, 1, 0, &[]));
        let got = texts(&feed(&mut core, &welcome));
        assert_eq!(got, ["anew", "Types { request: 0, sequence: 1 }"]);
        assert_eq!(wire::get64(&connect(&mut core), HEADER + 24), 1);
    }

    #[test]
    fn a_state_that_was_kept() {
        for (sequence, expected) in [(50, "goes on"), (1, "anew"), (0, "anew")] {
            let mut core = core_of(Start::StateFrom { epoch: 7, sequence }, &[]);
            core.begin(true).unwrap();
            let welcome = frames(|out| put_welcome(out, 0, 7, sequence.max(1), 0, &[]));
            assert_eq!(texts(&feed(&mut core, &welcome)), [expected]);
        }
    }

    #[test]
    fn a_relay_that_is_older() {
        let refusal = frames(|out| {
            wire::put_control(out, wire::ERROR, |out| out.extend_from_slice(b"\0\x0cstart 4"));
        });
        for (start, policy, words) in [
            (
                Start::State,
                Policy::Default,
                "this relay is older than start = state: ",
            ),
            (
                Start::Live,
                Policy::Latest,
                "this relay is older than policy = latest: ",
            ),
            (
                Start::State,
                Policy::Latest,
                "this relay is older than start = state and policy = latest: ",
            ),
            (Start::Live, Policy::Replay, ""),
        ] {
            let mut options = SubscriberOptions::new(["h:1"]);
            (options.start, options.policy) = (start, policy);
            let mut core = SubscriberCore::new(options, 0, 1).unwrap();
            core.begin(true).unwrap();
            feed(&mut core, &refusal);
            assert_eq!(
                (core.link.error.kind(), core.link.error.code()),
                (crate::Kind::Fatal, 12)
            );
            let expected = format!("{words}MALFORMED_CONTROL (12): start 4");
            assert_eq!(core.link.error.to_string(), expected);
        }
        // Behind WELCOME it is about another frame.
        let mut core = core_of(Start::State, &[]);
        core.begin(true).unwrap();
        feed(&mut core, &frames(|out| put_welcome(out, 0, 7, 1, 0, &[])));
        feed(&mut core, &refusal);
        assert_eq!(core.link.error.to_string(), "MALFORMED_CONTROL (12): start 4");
    }

    #[test]
    fn a_cut_state_in_another_life_is_asked_for_anew() {
        for (end, is_complete) in [(None, false), (Some(4), false), (Some(2), true)] {
            let mut core = core_of(Start::State, &[]);
            let mut step = |number: i64, epoch: i64, bytes: &[u8]| {
                core.link.connecting();
                let hello = connect(&mut core);
                assert_eq!(wire::get64(&hello, HEADER + 16), epoch);
                assert_eq!(wire::get64(&hello, HEADER + 24), number);
                let got = texts(&feed(&mut core, bytes));
                (got, core.link.state, core.link.events.drain(..).count())
            };
            let cut = frames(|out| {
                put_welcome(out, 0, 7, 1, 0, &[]);
                put_superseded(out, 1, 1);
                put_message(out, 2, b"b");
                if let Some(head) = end {
                    put_ping(out, 3, head);
                }
            });
            step(0, 0, &cut);
            // In the same life the number is enough.
            let (got, ..) = step(3, 7, &frames(|out| put_welcome(out, 0, 7, 3, 0, &[])));
            assert_eq!(got.len(), 1);
            let other = frames(|out| {
                put_welcome(out, 0, 8, 3, 0, &[]);
                put_ping(out, 3, 2);
            });
            let (got, state, events) = step(3, 7, &other);
            if is_complete {
                assert_eq!(got.len(), 2);
                continue;
            }
            assert!(
                got.is_empty() && state == crate::link::State::Idle && events == 0,
                "{got:?}"
            );
            // The next connection brings no WELCOME.
            step(0, 7, &[]);
            let whole = frames(|out| {
                put_welcome(out, 0, 8, 1, 0, &[]);
                put_ping(out, 1, 0);
            });
            let (got, ..) = step(0, 7, &whole);
            assert_eq!(got.len(), 2, "{got:?}");
            // What was passed over before is forgotten.
            let (got, ..) = step(1, 8, &frames(|out| put_welcome(out, 0, 9, 1, 0, &[])));
            assert_eq!(got.len(), 1);
        }
    }

    #[test]
    fn late_is_told_behind_what_was_read() {
        let mut core = core_of(Start::State, &[]);
        core.begin(true).unwrap();
        core.link.now = 5;
        feed(&mut core, &frames(|out| put_welcome(out, 0, 7, 1, 0, &[])));
        core.link.now += LATE_AFTER_MS;
        let bytes = frames(|out| put_message(out, 1, b"a"));
        assert_eq!(texts(&feed(&mut core, &bytes)), ["1 1 a", "StateLate"]);
        assert_eq!(texts(&feed(&mut core, &bytes)), ["2 1 a"]);
    }

    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 8) as usize % bound
        }
    }

    const TYPES: i32 = 6;

    /// A relay with --state, without sockets: its stream, and the frames of one subscriber.
    #[derive(Default)]
    struct Relay {
        epoch: i64,
        stream: Vec<(i32, Vec<u8>)>,
        /// Of the earlier lives: the first number that is no more as it was.
        forks: BTreeMap<i64, i64>,
        /// Of the subscriber: the messages that it has passed, and whether the state is behind it.
        at: usize,
        is_live: bool,
        types: Vec<(i32, i32)>,
    }

    impl Relay {
        fn publish(&mut self, random: &mut Random) {
            let body = if random.below(4) == 0 {
                Vec::new()
            } else {
                format!("{} of {}", self.stream.len() + 1, self.epoch).into_bytes()
            };
            self.stream.push((random.below(TYPES as usize) as i32, body));
        }

        /// Begins anew with a part of the stream, or with none of it.
        fn restart(&mut self, random: &mut Random) {
            // Often only the newest are gone.
            let most = self.stream.len().min(4 + 96 * random.below(2));
            let mut kept = self.stream.len() - random.below(most + 1);
            let fork = kept as i64 + 1;
            self.forks.insert(self.epoch, fork);
            self.forks.values_mut().for_each(|one| *one = fork.min(*one));
            if random.below(2) == 0 {
                kept = 0;
                self.forks.clear();
            }
            self.stream.truncate(kept);
            self.epoch += 1;
        }

        fn put_welcome(&mut self, out: &mut Vec<u8>, hello: &[u8]) {
            let (epoch, mut number) = (wire::get64(hello, HEADER + 16), wire::get64(hello, HEADER + 24));
            let ranges = usize::from(wire::get16(hello, HEADER + 32));
            let range = |i| {
                (
                    wire::get32(hello, HEADER + 40 + 8 * i),
                    wire::get32(hello, HEADER + 44 + 8 * i),
                )
            };
            self.types = (0..ranges).map(range).collect();
            let fork = self.forks.get(&epoch).copied();
            let (flags, fork) = match fork {
                _ if epoch == 0 || epoch == self.epoch => (0, 0),
                Some(fork) if number <= fork => (0, 0),
                Some(fork) => (3, fork),
                None => (1, 0),
            };
            if flags != 0 {
                number = 0;
            }
            self.at = number.max(1) as usize - 1;
            self.is_live = false;
            put_welcome(out, flags, self.epoch, self.at as i64 + 1, fork, &[]);
        }

        /// The next frames of the state or of the stream.
        fn put_next(&mut self, out: &mut Vec<u8>) {
            let is_wanted = |n: usize| {
                let message_type = self.stream[n].0;
                let is_newest = || self.stream[n + 1..].iter().all(|later| later.0 != message_type);
                covers(&self.types, &[(message_type, message_type)]) && (self.is_live || is_newest())
            };
            let wanted = (self.at..self.stream.len()).find(|n| is_wanted(*n));
            let to = wanted.unwrap_or(self.stream.len());
            if to > self.at && self.is_live {
                put_longs(out, wire::SEQUENCE, &[to as i64 + 1], &[]);
            } else if to > self.at {
                put_superseded(out, self.at as i64 + 1, to as i64);
            }
            match wanted {
                Some(n) => {
                    put_message(out, self.stream[n].0, &self.stream[n].1);
                    self.at = n + 1;
                }
                None => {
                    self.at = to;
                    self.is_live = true;
                    put_ping(out, to as i64 + 1, to as i64);
                }
            }
        }
    }

    /// A view, as its user keeps it, and the types of which the whole state came.
    #[derive(Default)]
    struct View {
        bodies: BTreeMap<i32, Vec<u8>>,
        known: BTreeSet<i32>,
        types: Vec<(i32, i32)>,
        counts: BTreeMap<&'static str, u32>,
    }

    fn apply(bodies: &mut BTreeMap<i32, Vec<u8>>, message_type: i32, body: &[u8]) {
        if body.is_empty() {
            bodies.remove(&message_type);
        } else {
            bodies.insert(message_type, body.to_vec());
        }
    }

    impl View {
        fn chooses(&mut self, types: Vec<(i32, i32)>) {
            self.known.retain(|one| covers(&types, &[(*one, *one)]));
            self.types = types;
        }

        fn take(&mut self, got: &[Got], relay: &Relay, seed: u64) {
            for one in got {
                let name = match one {
                    Got::Message(_, message_type, body) => {
                        apply(&mut self.bodies, *message_type, body);
                        "message"
                    }
                    Got::Event(Event::Connected { anew: Some(true), .. }) => {
                        self.bodies.clear();
                        let types = &self.types;
                        self.known = (0..TYPES).filter(|one| covers(types, &[(*one, *one)])).collect();
                        "anew"
                    }
                    Got::Event(Event::StateComplete { next }) => {
                        let mut expected = BTreeMap::new();
                        for (message_type, body) in &relay.stream[..*next as usize - 1] {
                            apply(&mut expected, *message_type, body);
                        }
                        expected.retain(|one, _| self.known.contains(one));
                        let mut view = self.bodies.clone();
                        view.retain(|one, _| self.known.contains(one));
                        assert_eq!(view, expected, "seed {seed}, at {next}");
                        "complete"
                    }
                    Got::Event(Event::Gap { reason, .. }) => {
                        assert_eq!(*reason, SUPERSEDED, "seed {seed}");
                        "superseded"
                    }
                    Got::Event(Event::Types { .. }) => "types",
                    Got::Event(Event::RolledBack { .. }) => "rolled back",
                    Got::Event(Event::StreamChanged { .. }) => "changed",
                    Got::Event(Event::Connected { anew: Some(false), .. }) => "goes on",
                    Got::Event(other) => panic!("seed {seed}: {other:?}"),
                };
                *self.counts.entry(name).or_default() += 1;
            }
        }
    }

    /// Whatever happens to connections, types and lives of the stream: where the state is complete it is the stream's.
    #[test]
    fn the_state_is_that_of_the_stream() {
        let mut view = View::default();
        let seeds = if cfg!(miri) { 2 } else { 300 };
        for seed in 1..=seeds {
            let mut random = Random(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(seed));
            let mut relay = Relay {
                epoch: 1,
                ..Relay::default()
            };
            let mut core = core_of(Start::State, &[]);
            view = View {
                counts: view.counts,
                ..View::default()
            };
            for _ in 0..12 {
                core.link.connecting();
                let hello = connect(&mut core);
                let mut out = Vec::new();
                relay.put_welcome(&mut out, &hello);
                view.chooses(relay.types.clone());
                let mut asked = None;
                for _ in 0..random.below(60) {
                    for _ in 0..random.below(3) {
                        relay.publish(&mut random);
                    }
                    relay.put_next(&mut out);
                    if random.below(20) == 0 && core.link.state == crate::link::State::Open && asked.is_none() {
                        let mut types = vec![(0, random.below(TYPES as usize) as i32)];
                        if random.below(3) == 0 {
                            types.clear();
                        }
                        let request = core.types(types.clone()).unwrap();
                        let sent = core.output().len();
                        core.wrote(sent);
                        // Within the state, or behind it: the new types hold from the next number on.
                        put_subscribed(&mut out, request, relay.at as i64 + 1);
                        relay.types = types.clone();
                        asked = Some(types);
                    }
                    // What is left is lost with the connection.
                    let rest = out.split_off(random.below(out.len() + 1));
                    let got = feed(&mut core, &out);
                    if core.link.state == crate::link::State::Idle {
                        *view.counts.entry("asked again").or_default() += 1;
                        break;
                    }
                    out = rest;
                    if got.iter().any(|one| matches!(one, Got::Event(Event::Types { .. }))) {
                        if let Some(types) = asked.take() {
                            view.chooses(types);
                        }
                    }
                    view.take(&got, &relay, seed);
                }
                if random.below(4) == 0 {
                    relay.restart(&mut random);
                }
            }
        }
        if cfg!(miri) {
            return;
        }
        for what in [
            "anew",
            "goes on",
            "complete",
            "superseded",
            "types",
            "rolled back",
            "changed",
        ] {
            let count = view.counts.get(what).copied().unwrap_or(0);
            assert!(count >= 100, "{what}: {count} times");
        }
        let count = view.counts.get("asked again").copied().unwrap_or(0);
        assert!(count >= 10, "asked again: {count} times");
    }

    #[test]
    fn ranges_that_cover_others() {
        const LOWEST: i32 = LAST_RESERVED + 1;
        type Ranges = &'static [(i32, i32)];
        let table: [(Ranges, Ranges, bool); 11] = [
            (&[], &[], true),
            (&[], &[(1, 2)], true),
            (&[(1, 2)], &[], false),
            (&[(0, i32::MAX), (LOWEST, -1)], &[], true),
            (&[(1, i32::MAX), (LOWEST, -1)], &[], false),
            (&[(1, 9)], &[(2, 3), (1, 9), (9, 9)], true),
            (&[(1, 9)], &[(2, 10)], false),
            (&[(1, 9)], &[(0, 3)], false),
            (&[(5, 9), (1, 4)], &[(2, 8)], true),
            (&[(5, 9), (1, 3)], &[(2, 8)], false),
            (&[(1, 9), (2, 3)], &[(1, 9)], true),
        ];
        for (ranges, others, expected) in table {
            assert_eq!(covers(ranges, others), expected, "{ranges:?} {others:?}");
        }
    }

    #[test]
    fn late_is_told_once_for_a_connection() {
        let mut state = StateStart::default();
        assert!(!state.is_late_now(1 << 40));
        for now in [5, 1_000_000] {
            state.welcomed(false, now);
            assert!(!state.is_late_now(now + LATE_AFTER_MS - 1));
            assert!(state.is_late_now(now + LATE_AFTER_MS));
            assert!(!state.is_late_now(now + 2 * LATE_AFTER_MS));
            assert!(state.completed() && !state.completed());
        }
        state.welcomed(false, 0);
        assert!(state.completed() && !state.is_late_now(1 << 40));
        state.welcomed(false, 0);
        state.ended();
        assert!(!state.is_late_now(1 << 40));
    }
}
