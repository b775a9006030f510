//! A subscriber without I/O: bytes in, messages and events out.

use std::collections::VecDeque;

use crate::error::{Error, Failure};
use crate::link::{put_ranges, unexpected, Control, Frame, Link, Role, State};
use crate::options::{check_ranges, Policy, Start, SubscriberOptions};
use crate::state::StateStart;
use crate::wire::{self, Welcome, FARTHEST, HEADER};
use crate::Event;

const MAX_CHANGES: usize = 64;

struct Change {
    request: u32,
    types: Vec<(i32, i32)>,
}

/// Numbers of a subscriber.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SubscriberCounters {
    /// Messages handed over.
    pub messages: u64,
    /// Bytes of these messages, headers included.
    pub bytes: u64,
    /// Epoch of the stream; 0: not known yet.
    pub epoch: i64,
    /// Sequence of the next message that can come; 0: not known yet.
    pub next: i64,
    /// Newest sequence of the stream, from the relay's last PING; 0: not known.
    pub head: i64,
}

/// What comes next: a message in the buffer, or an event.
pub(crate) enum Taken {
    Message(Frame, Option<i64>),
    Event(Event),
}

enum Step {
    Nothing,
    Control,
    Message(Frame, Option<i64>),
}

pub(crate) struct SubscriberCore {
    pub(crate) link: Link,
    start: Start,
    state: StateStart,
    policy: Policy,
    /// 0: none.
    interval_ms: u32,
    pub(crate) counters: SubscriberCounters,
    doubted: i64,
    filtered: bool,
    numbered: bool,
    narrowed: bool,
    greeted_all: bool,
    was_connected: bool,
    max_ranges: usize,
    /// Noticed and not told yet.
    pending: VecDeque<Event>,
    holding: Vec<(i32, i32)>,
    sent: VecDeque<Change>,
    waiting: VecDeque<Change>,
    requests: u32,
}

impl SubscriberCore {
    pub(crate) fn new(options: SubscriberOptions, now: u64, seed: u64) -> Result<SubscriberCore, Error> {
        options.check()?;
        let mut counters = SubscriberCounters::default();
        if let Start::Sequence { epoch, sequence } | Start::StateFrom { epoch, sequence } = options.start {
            counters.epoch = epoch;
            counters.next = sequence;
        }
        let mut link = Link::new(options.connection, false, options.buffer, now, seed);
        let policy = options.interval.map_or(options.policy, |_| Policy::Latest);
        link.newer = match (options.start.is_state(), policy == Policy::Latest) {
            (true, true) => "start = state and policy = latest",
            (true, false) => "start = state",
            (false, true) => "policy = latest",
            (false, false) => "",
        }
        .into();
        Ok(SubscriberCore {
            link,
            start: options.start,
            state: StateStart::default(),
            policy,
            interval_ms: options.interval.map_or(0, |time| time.as_millis() as u32),
            counters,
            doubted: 0,
            filtered: false,
            numbered: true,
            narrowed: false,
            greeted_all: true,
            was_connected: false,
            max_ranges: 0,
            pending: VecDeque::new(),
            holding: options.types,
            sent: VecDeque::new(),
            waiting: VecDeque::new(),
            requests: 0,
        })
    }

    pub(crate) fn types(&mut self, types: Vec<(i32, i32)>) -> Result<u32, Error> {
        if self.link.state == State::Ended {
            return Err(self.link.error.clone());
        }
        if self.link.options.plain {
            return Err(Error::yours(0, "the plain mode knows no types"));
        }
        check_ranges(&types)?;
        if self.link.state == State::Open && types.len() > self.max_ranges {
            let text = format!(
                "{} ranges of types, the limit of the relay is {}",
                types.len(),
                self.max_ranges
            );
            return Err(Error::yours(0, text));
        }
        if self.sent.len() + self.waiting.len() >= MAX_CHANGES {
            let text = format!("{MAX_CHANGES} changes of types wait for the relay already");
            return Err(Error::yours(0, text));
        }
        let request = self.requests;
        self.requests = self.requests.wrapping_add(1);
        self.waiting.push_back(Change { request, types });
        self.send_changes();
        Ok(request)
    }

    fn send_changes(&mut self) {
        while self.link.state == State::Open {
            let Some(change) = self.waiting.pop_front() else {
                return;
            };
            if change.types.len() > self.max_ranges {
                self.pending.push_back(Event::TypesRefused {
                    request: change.request,
                });
                continue;
            }
            wire::put_control(&mut self.link.out, wire::SUBSCRIBE, |out| {
                out.extend_from_slice(&change.request.to_be_bytes());
                out.extend_from_slice(&(change.types.len() as u16).to_be_bytes());
                out.extend_from_slice(&[0, 0]);
                put_ranges(out, &change.types);
            });
            self.sent.push_back(change);
        }
    }

    /// The next message or event in stream order; `None`: there is none yet.
    pub(crate) fn take(&mut self) -> Option<Taken> {
        loop {
            if let Some(event) = self.pending.pop_front() {
                self.link.events.push(event.clone());
                return Some(Taken::Event(event));
            }
            match self.step() {
                Ok(Step::Nothing) => return None,
                Ok(Step::Message(frame, sequence)) => return Some(Taken::Message(frame, sequence)),
                Ok(Step::Control) => {}
                Err(failure) => self.fail(failure),
            }
        }
    }

    /// The next message, where it is there and no event comes before it.
    #[inline]
    pub(crate) fn take_message(&mut self) -> Option<(Frame, Option<i64>)> {
        if !self.pending.is_empty() {
            return None;
        }
        let frame = self.link.next_message()?;
        Some((frame, self.count(frame)))
    }

    /// Takes the frames up to WELCOME; those behind it are for [`SubscriberCore::take`]. Events that wait stay few: the
    /// first WELCOME without a fault is the last, a connection given up takes an epoch of those that are known, and faults
    /// are borne a few times.
    pub(crate) fn greet(&mut self) {
        while self.link.state == State::Greeting {
            match self.step() {
                Ok(Step::Nothing) => return,
                Ok(_) => {}
                Err(failure) => self.fail(failure),
            }
        }
    }

    /// Counts a message and returns its number.
    fn count(&mut self, frame: Frame) -> Option<i64> {
        self.link.alive = true;
        self.counters.messages += 1;
        self.counters.bytes += (HEADER + frame.length) as u64;
        if self.link.options.plain || (self.filtered && !self.numbered) {
            return None;
        }
        self.counters.next += 1;
        Some(self.counters.next - 1)
    }

    /// Takes one frame.
    fn step(&mut self) -> Result<Step, Failure> {
        let Some(frame) = self.link.next_frame()? else {
            if !self.state.is_late_now(self.link.now) {
                return Ok(Step::Nothing);
            }
            self.pending.push_back(Event::StateLate);
            return Ok(Step::Control);
        };
        if !wire::is_reserved(frame.message_type) {
            return Ok(Step::Message(frame, self.count(frame)));
        }
        match self.link.control(frame)? {
            Control::Done | Control::Pong(_) => {}
            Control::Welcome(welcome) => self.welcomed(&welcome)?,
            Control::Other(control) => self.other(control, frame)?,
        }
        Ok(Step::Control)
    }

    fn welcomed(&mut self, welcome: &Welcome) -> Result<(), Failure> {
        let is_state = self.start.is_state();
        // With start = state another epoch brings all of the state, over this connection.
        let retreat = if is_state { None } else { self.link.retreat(welcome) };
        if let Some((epoch, changed)) = retreat {
            let next = self.counters.next;
            self.counters.epoch = epoch;
            self.counters.head = 0;
            if next > changed {
                self.pending.push_back(Event::RolledBack {
                    from: changed,
                    to: next - 1,
                });
                self.counters.next = changed;
            }
            return Ok(());
        }
        if is_state && self.state.asks_again(self.counters.epoch, welcome) {
            self.link.ask_again();
            return Ok(());
        }
        self.max_ranges = welcome.max_ranges;
        let next = self.counters.next;
        let other = self.counters.epoch != 0 && welcome.epoch_changed();
        let anew = is_state.then(|| self.state.welcomed(other, self.link.now));
        let connected = self.link.accept(welcome, anew);
        if !is_state {
            self.link.events.push(connected.clone());
        }
        if other {
            self.pending.push_back(if welcome.rolled_back() {
                Event::RolledBack {
                    from: welcome.fork,
                    to: next - 1,
                }
            } else {
                Event::StreamChanged { lost_from: next }
            });
            self.counters.head = 0;
        }
        if is_state {
            self.pending.push_back(connected);
        }
        self.narrowed = welcome.grants(wire::NARROWED);
        self.numbered = welcome.grants(wire::SEQUENCES);
        self.filtered = self.narrowed || !self.greeted_all;
        self.counters.epoch = welcome.epoch;
        if anew == Some(true) {
            self.counters.next = 1;
        } else if next == 0 || other {
            self.counters.next = welcome.next;
        }
        self.left_out(wire::WELCOME, welcome.next, false)?;
        while let Some(change) = self.sent.pop_front() {
            self.holds(change);
        }
        self.send_changes();
        Ok(())
    }

    /// The change holds from the next message on.
    fn holds(&mut self, change: Change) {
        self.pending.push_back(Event::Types {
            request: change.request,
            sequence: self.counters.next,
        });
        self.holding = change.types;
    }

    fn other(&mut self, control: u8, frame: Frame) -> Result<(), Failure> {
        let body = self.link.body(frame);
        match control {
            wire::PING => {
                let ping = wire::decode_ping(body)?;
                self.counters.head = ping.head;
                // Next 0: the PING says nothing about the stream.
                if ping.next > 0 {
                    self.left_out(control, ping.next, self.filtered)?;
                    if ping.next - 1 == ping.head && self.state.completed() {
                        self.pending.push_back(Event::StateComplete { next: ping.next });
                    }
                }
            }
            wire::SEQUENCE => {
                let next = wire::decode_sequence(body)?;
                self.left_out(control, next, self.filtered)?;
            }
            wire::GAP => {
                let (from, to, reason) = wire::decode_gap(body)?;
                self.link.alive = true;
                self.left_out(control, from, self.filtered)?;
                self.pending.push_back(Event::Gap { from, to, reason });
                self.state.missed(reason);
                self.counters.next = to + 1;
            }
            wire::SUBSCRIBED => {
                let (request, sequence) = wire::decode_subscribed(body)?;
                if self.sent.front().map(|change| change.request) != Some(request) {
                    return Err(Failure::fault(
                        15,
                        format!("SUBSCRIBED answers request {request}, which is not the one to be answered"),
                    ));
                }
                self.left_out(control, sequence, self.filtered)?;
                if let Some(change) = self.sent.pop_front() {
                    self.filtered = self.narrowed || !change.types.is_empty();
                    self.state.changed(&self.holding, &change.types);
                    self.holds(change);
                }
            }
            _ => return Err(unexpected(control, "on the subscribe port")),
        }
        Ok(())
    }

    /// The next message is `at` or a later one.
    fn left_out(&mut self, control: u8, at: i64, may_jump: bool) -> Result<(), Failure> {
        let next = self.counters.next;
        let name = wire::frame_name(control);
        if at < next {
            return Err(Failure::fault(
                15,
                format!("{name} goes back from message {next} to {at}"),
            ));
        }
        if at > FARTHEST {
            return Err(Failure::fault(
                12,
                format!("{name} goes to {at}, beyond {FARTHEST}, where no stream gets"),
            ));
        }
        if at > next && !may_jump {
            // The first jump that no frame explains ends the connection; if it comes again, it is a gap.
            if self.link.options.reconnect.rounds != Some(0) && self.doubted != next {
                self.doubted = next;
                return Err(Failure::fault(
                    15,
                    format!("{name} jumps from message {next} to {at} without a reason"),
                ));
            }
            self.doubted = 0;
            self.pending.push_back(Event::Gap {
                from: next,
                to: at - 1,
                reason: 0,
            });
        }
        self.counters.next = at;
        Ok(())
    }
}

impl Role for SubscriberCore {
    fn link(&mut self) -> &mut Link {
        &mut self.link
    }

    fn begin(&mut self, secret: bool) -> Result<(), Failure> {
        self.link.connected(secret)?;
        if self.link.options.plain {
            if self.was_connected {
                self.pending.push_back(Event::Missed);
            }
            self.was_connected = true;
            return Ok(());
        }
        // HELLO stands for every change that was asked for until now.
        self.sent.append(&mut self.waiting);
        let types = self.sent.back().map_or(&self.holding, |change| &change.types);
        self.greeted_all = types.is_empty();
        let (start, epoch, number) = match self.start {
            Start::State | Start::StateFrom { .. } => {
                let number = self.state.begin(self.counters.next, &self.holding, types);
                (4, self.counters.epoch, number)
            }
            _ if self.counters.next != 0 => (1, self.counters.epoch, self.counters.next),
            Start::Live => (0, 0, 0),
            Start::Earliest => (2, 0, 0),
            Start::Time(time) => (3, 0, time),
            Start::Sequence { epoch, sequence } => (1, epoch, sequence),
        };
        let features = wire::SEQUENCES | wire::NARROWED | wire::EPOCHS | wire::PEER;
        let policy = self.policy as u8;
        self.link
            .put_hello(start, policy, self.interval_ms, features, epoch, number, types, None);
        Ok(())
    }

    fn fail(&mut self, failure: Failure) {
        self.state.ended();
        self.link.failed(failure, true);
    }

    fn output(&mut self) -> &[u8] {
        self.link.output()
    }

    fn wrote(&mut self, n: usize) {
        self.link.wrote(n);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn stream() -> Vec<u8> {
        let mut out = Vec::new();
        put_message(&mut out, 7, b"old");
        put_welcome(&mut out, wire::SEQUENCES, 10);
        put_message(&mut out, -1, b"hello");
        wire::put_control(&mut out, wire::GAP, |out| {
            out.extend_from_slice(&11i64.to_be_bytes());
            out.extend_from_slice(&19i64.to_be_bytes());
            out.extend_from_slice(&[0, 1, 0, 0, 0, 0, 0, 0]);
        });
        put_ping(&mut out, 5, 20, 30);
        put_message(&mut out, 1, b"");
        put_message(&mut out, 2, b"bye");
        put_ping(&mut out, 6, 22, 21);
        out
    }

    fn put_message(out: &mut Vec<u8>, message_type: i32, body: &[u8]) {
        out.extend_from_slice(&message_type.to_be_bytes());
        out.extend_from_slice(&(body.len() as u32).to_be_bytes());
        out.extend_from_slice(body);
    }

    fn put_welcome(out: &mut Vec<u8>, features: u32, next: i64) {
        put_welcome_with(out, features, next, &[]);
    }

    fn put_welcome_with(out: &mut Vec<u8>, features: u32, next: i64, appended: &[u8]) {
        wire::put_control(out, wire::WELCOME, |out| {
            out.extend_from_slice(&[0, 1, 1, 0]);
            out.extend_from_slice(&features.to_be_bytes());
            out.extend_from_slice(&77i64.to_be_bytes());
            out.extend_from_slice(&next.to_be_bytes());
            out.extend_from_slice(&0i64.to_be_bytes());
            for field in [1u32 << 20, 1000, 5000] {
                out.extend_from_slice(&field.to_be_bytes());
            }
            out.extend_from_slice(&[4, 0, 0, 0, 0, 0]);
            out.extend_from_slice(appended);
        });
    }

    fn put_ping(out: &mut Vec<u8>, id: i64, next: i64, head: i64) {
        wire::put_control(out, wire::PING, |out| {
            for field in [id, next, head] {
                out.extend_from_slice(&field.to_be_bytes());
            }
        });
    }

    fn connected(buffer: usize) -> SubscriberCore {
        let mut options = SubscriberOptions::new(["h:1"]);
        options.buffer = buffer;
        let mut core = SubscriberCore::new(options, 0, 1).unwrap();
        core.begin(true).unwrap();
        core
    }

    /// Feeds pieces; returns what came of it as text.
    fn feed(core: &mut SubscriberCore, pieces: &[&[u8]]) -> Vec<String> {
        let mut told = Vec::new();
        for mut piece in pieces.iter().copied() {
            while !piece.is_empty() {
                let room = core.link.room();
                let n = room.len().min(piece.len());
                room[..n].copy_from_slice(&piece[..n]);
                core.link.read(n);
                piece = &piece[n..];
                while let Some(taken) = core.take() {
                    told.push(match taken {
                        Taken::Event(event) => format!("{event:?}"),
                        Taken::Message(frame, sequence) => {
                            let body = String::from_utf8_lossy(core.link.body(frame)).into_owned();
                            format!("{} {} {body}", sequence.unwrap_or(0), frame.message_type)
                        }
                    });
                }
            }
        }
        told
    }

    const EXPECTED: [&str; 4] = [
        "10 -1 hello",
        "Gap { from: 11, to: 19, reason: 1 }",
        "20 1 ",
        "21 2 bye",
    ];

    #[test]
    fn frames_come_at_every_cut() {
        let bytes = stream();
        for cut in 0..=bytes.len() {
            let mut core = connected(1000);
            assert_eq!(
                feed(&mut core, &[&bytes[..cut], &bytes[cut..]]),
                EXPECTED,
                "cut at {cut}"
            );
            assert_eq!(core.counters.next, 22);
            assert_eq!(core.counters.head, 21);
        }
    }

    #[test]
    fn frames_come_in_pieces_of_every_size() {
        let bytes = stream();
        for size in 1..bytes.len() {
            let mut core = connected(size);
            let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
            assert_eq!(feed(&mut core, &pieces), EXPECTED, "pieces of {size}");
        }
    }

    #[test]
    fn large_bodies_between_small_ones() {
        let mut bytes = Vec::new();
        put_welcome(&mut bytes, wire::SEQUENCES, 1);
        let (longest, long) = if cfg!(miri) {
            (20_000, 10_000)
        } else {
            (1 << 20, 1_000_000)
        };
        for length in [3, longest, 7, long, 0] {
            put_message(&mut bytes, 1, &vec![b'x'; length]);
        }
        let mut core = connected(4096);
        let told = feed(&mut core, &[&bytes]);
        assert_eq!(told.len(), 5);
        assert_eq!(told[3].len(), long + 4);
    }

    /// The HELLO of the example in docs/protocol.md, but that this client asks for EPOCHS and PEER too.
    #[test]
    fn hello() {
        let mut options = SubscriberOptions::new(["h:1"]);
        options.connection.name = "audit".into();
        options.types = vec![(100, 199)];
        options.start = Start::Sequence {
            epoch: 0x1122_3344_5566_7788,
            sequence: 1000,
        };
        let mut core = SubscriberCore::new(options, 0, 1).unwrap();
        core.begin(true).unwrap();
        let expected: [u8; 63] = [
            0x80, 0, 0, 1, 0, 0, 0, 0x37, 0, 1, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0x56, 0, 0, 0, 0, 0x11, 0x22, 0x33, 0x44,
            0x55, 0x66, 0x77, 0x88, 0, 0, 0, 0, 0, 0, 3, 0xE8, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x64, 0, 0, 0, 0xC7, 0,
            5, b'a', b'u', b'd', b'i', b't',
        ];
        assert_eq!(core.output(), expected);
    }

    /// A WELCOME with epochs, behind which come messages that nobody shall see if the connection is given up.
    fn put_welcome_in(out: &mut Vec<u8>, flags: u8, epoch: i64, next: i64, lives: &[(i64, i64)]) {
        let start = out.len();
        let mut appended = vec![0; 8];
        appended.extend_from_slice(&[0, lives.len() as u8, 0, 0]);
        for life in lives {
            appended.extend_from_slice(&life.0.to_be_bytes());
            appended.extend_from_slice(&life.1.to_be_bytes());
        }
        put_welcome_with(out, wire::SEQUENCES | wire::EPOCHS, next, &appended);
        out[start + HEADER + 3] = flags;
        out[start + HEADER + 8..start + HEADER + 16].copy_from_slice(&epoch.to_be_bytes());
        put_message(out, 1, b"x");
    }

    /// An interval is asked for on each connection, also of a relay that did not grant it.
    #[test]
    fn interval() {
        let mut options = SubscriberOptions::new(["h:1"]);
        options.interval = Some(Duration::from_micros(500_999));
        let mut core = SubscriberCore::new(options, 0, 1).unwrap();
        for granted in [None, Some(500u32), Some(60_000)] {
            core.begin(true).unwrap();
            let hello = core.output().to_vec();
            core.wrote(hello.len());
            assert_eq!(hello[HEADER + 5], Policy::Latest as u8);
            assert_eq!(wire::get32(&hello, HEADER + 8) as u32 & wire::INTERVAL, wire::INTERVAL);
            assert_eq!(hello[hello.len() - 4..], 500u32.to_be_bytes());
            let mut frames = Vec::new();
            let next = core.counters.next.max(1);
            match granted {
                None => put_welcome(&mut frames, wire::SEQUENCES, next),
                Some(ms) => {
                    let appended = [&[0; 8][..], &ms.to_be_bytes()].concat();
                    put_welcome_with(&mut frames, wire::SEQUENCES | wire::INTERVAL, next, &appended);
                }
            }
            put_message(&mut frames, 1, b"x");
            core.link.events.clear();
            assert_eq!(feed(&mut core, &[&frames]), [format!("{next} 1 x")]);
            let Some(Event::Connected {
                welcome: Some(welcome), ..
            }) = core.link.events.first()
            else {
                panic!("{:?}", core.link.events);
            };
            assert_eq!(welcome.interval, granted.map(|ms| Duration::from_millis(ms.into())));
        }
        let mut core = connected(4096);
        let hello = core.output();
        assert_eq!(wire::get32(hello, HEADER + 8) as u32 & wire::INTERVAL, 0);
    }

    #[test]
    fn an_older_backup_takes_no_more_than_what_is_gone() {
        let mut core = connected(4096);
        let mut frames = Vec::new();
        put_welcome_in(&mut frames, 0, 200, 9, &[(200, 7), (100, 1)]);
        assert_eq!(feed(&mut core, &[&frames]), ["9 1 x"]);
        core.begin(true).unwrap();
        core.link.events.clear();
        frames.clear();
        put_welcome_in(&mut frames, 1, 300, 1, &[(300, 6), (100, 1)]);
        assert_eq!(feed(&mut core, &[&frames]), ["RolledBack { from: 6, to: 9 }"]);
        assert_eq!((core.counters.epoch, core.counters.next), (100, 6));
        assert_eq!(core.link.state, State::Idle);
        assert_eq!(core.link.due, core.link.now);
        // This connection was none.
        assert_eq!(core.link.events, [Event::RolledBack { from: 6, to: 9 }]);
        core.begin(true).unwrap();
        let hello = core.output();
        assert_eq!(wire::get64(hello, HEADER + 16), 100);
        assert_eq!(wire::get64(hello, HEADER + 24), 6);
        frames.clear();
        put_welcome_in(&mut frames, 0, 300, 6, &[(300, 6), (100, 1)]);
        assert_eq!(feed(&mut core, &[&frames]), ["6 1 x"]);
        assert_eq!(core.counters.epoch, 300);
    }

    #[test]
    fn the_last_life_in_common() {
        let lives = |rows: &[(i64, i64)]| wire::Lives(rows.to_vec());
        let mine = lives(&[(400, 6), (350, 8), (200, 4), (100, 1)]);
        let with = |rows: &[(i64, i64)]| mine.in_common(&lives(rows));
        assert_eq!(with(&[]), None);
        assert_eq!(lives(&[]).in_common(&mine), None);
        // The relay has said that it does not know the first one.
        assert_eq!(with(&[(400, 6)]), None);
        assert_eq!(with(&[(600, 9), (500, 7), (200, 4), (100, 1)]), Some((2, 6)));
        assert_eq!(with(&[(600, 9), (500, 3), (200, 4)]), Some((2, 3)));
        assert_eq!(with(&[(100, 1)]), Some((3, 4)));
        assert_eq!(with(&[(100, 1), (350, 8)]), Some((1, 1)));
    }

    #[test]
    fn signs_of_life_begin_with_welcome() {
        let mut core = connected(4096);
        core.link.wrote(core.link.out.len());
        assert_eq!(core.link.unasked_pong(), None);
        let mut bytes = Vec::new();
        put_message(&mut bytes, 7, b"old");
        put_welcome(&mut bytes, wire::SEQUENCES, 1);
        put_message(&mut bytes, 7, b"new");
        core.link.now = 500;
        core.link.room()[..bytes.len()].copy_from_slice(&bytes);
        core.link.read(bytes.len());
        core.greet();
        assert!(core.link.state == State::Open);
        assert_eq!(core.link.unasked_pong(), Some(1500));
        assert!(core.output().is_empty());
        core.link.now = 1500;
        assert_eq!(core.link.unasked_pong(), Some(2500));
        assert_eq!(wire::get64(core.output(), HEADER), 0);
        assert_eq!(core.counters.messages, 0);
        assert_eq!(feed(&mut core, &[b"\0"]), ["1 7 new"]);
    }

    #[test]
    fn many_pings_are_answered_by_one_pong() {
        let mut core = connected(4096);
        core.link.wrote(core.link.out.len());
        let mut bytes = Vec::new();
        put_welcome(&mut bytes, wire::SEQUENCES, 1);
        let pings = if cfg!(miri) { 100 } else { 10_000 };
        for id in 0..pings {
            put_ping(&mut bytes, id, 1, 0);
        }
        assert!(feed(&mut core, &[&bytes]).is_empty());
        assert_eq!(core.output().len(), 16);
        assert_eq!(wire::get64(core.output(), HEADER), pings - 1);
    }

    #[test]
    fn changes_that_wait_are_bounded() {
        let mut core = connected(4096);
        for _ in 0..MAX_CHANGES {
            core.types(vec![(1, 1)]).unwrap();
        }
        assert_eq!(core.types(vec![(1, 1)]).unwrap_err().kind(), crate::Kind::Yours);
        assert_eq!(core.types(vec![(i32::MIN, 1)]).unwrap_err().code(), 6);
    }
}
