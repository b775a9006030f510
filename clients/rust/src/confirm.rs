//! How far the relay has read a publisher's messages that nobody acknowledges: PINGs ask for it.

use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::{BuildHasher, Hasher};

use crate::error::Error;

/// Bytes of messages after which a PING asks how far the relay has read.
const PING_EVERY: u64 = 1 << 20;

/// Not every message is settled: what [`Publisher::flush`](crate::Publisher::flush) and
/// [`Publisher::close`](crate::Publisher::close) fail with.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unsettled {
    /// Messages that were handed to a socket until now.
    pub sent: u64,
    /// Of these the relay has not confirmed, or with acknowledgements not acknowledged, so many: it may lack them. Plain
    /// it is 0, since nothing is known. Those of lost connections that a `flush` has told before are left out.
    pub in_doubt: u64,
    /// Messages that no socket has taken yet. They go out after a `flush`, not after a `close`.
    pub unsent: u64,
    /// Why: the time is over, or what ended the connection or the publisher.
    pub cause: Error,
}

impl fmt::Display for Unsettled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} sent", self.sent)?;
        if self.in_doubt > 0 {
            write!(f, ", {} in doubt: the relay has not confirmed them", self.in_doubt)?;
        }
        if self.unsent > 0 {
            write!(f, "; {} not sent", self.unsent)?;
        }
        write!(f, ": {}", self.cause)
    }
}

impl std::error::Error for Unsettled {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.cause)
    }
}

impl From<Unsettled> for Error {
    /// Kind and code are those of the cause, the text has the numbers.
    fn from(unsettled: Unsettled) -> Error {
        Error {
            text: unsettled.to_string(),
            ..unsettled.cause
        }
    }
}

/// A flush of the messages up to a count. By then the user had been told that so many are in doubt.
pub(crate) struct Flush {
    pub(crate) target: u64,
    pub(crate) told: u64,
}

/// Counts of messages, in their order:
///
/// ```text
/// | confirmed or doubted | over this connection, not confirmed | not sent |
///                                                         sent ^
/// ```
pub(crate) struct Confirming {
    pub(crate) sent: u64,
    pub(crate) confirmed: u64,
    /// Sent over lost connections and not confirmed; and how many of them the user was told of.
    pub(crate) doubted: u64,
    told: u64,
    /// Why the last of them are in doubt.
    doubted_by: Error,
    /// The last PING, which asks about the messages up to a count, and whether its PONG is still to come.
    id: i64,
    /// The id of the next PING, from the last one. Drawn, so that no relay answers a PING that it has not read.
    next_id: fn(i64) -> i64,
    asked: u64,
    waits: bool,
    /// Milliseconds between PINGs while something is not confirmed.
    heartbeat: u64,
    /// Bytes of messages behind the last PING.
    unasked: u64,
    /// Time of the last PING, or of the first message that is not confirmed, whichever was later.
    since: u64,
    /// Count of messages up to the last one that a flush waits for.
    flush_to: u64,
}

impl Confirming {
    pub(crate) fn new() -> Confirming {
        Confirming {
            sent: 0,
            confirmed: 0,
            doubted: 0,
            told: 0,
            doubted_by: Error::yours(0, ""),
            id: 0,
            // Not 0, which no PING has.
            next_id: |_| (RandomState::new().build_hasher().finish() >> 1) as i64 | 1,
            asked: 0,
            waits: false,
            heartbeat: 0,
            unasked: 0,
            since: 0,
            flush_to: 0,
        }
    }

    /// Messages that need no more waiting.
    pub(crate) fn done(&self) -> u64 {
        self.confirmed + self.doubted
    }

    pub(crate) fn flush(&mut self, target: u64) -> Flush {
        self.flush_to = self.flush_to.max(target);
        Flush {
            target,
            told: self.told,
        }
    }

    /// The end of a flush, which tells of all that is in doubt.
    pub(crate) fn tell(&mut self) {
        self.told = self.told.max(self.doubted);
    }

    /// What lost connections have left in doubt since a flush began.
    pub(crate) fn lost_since(&self, flush: &Flush) -> Option<Unsettled> {
        (self.doubted > flush.told).then(|| Unsettled {
            sent: self.sent,
            in_doubt: self.doubted - flush.told,
            unsent: 0,
            cause: self.doubted_by.clone(),
        })
    }

    /// WELCOME came, with the relay's heartbeat in ms.
    pub(crate) fn welcomed(&mut self, heartbeat: u64) {
        self.heartbeat = heartbeat;
    }

    /// The socket has taken so many bytes, with the ends of so many messages.
    pub(crate) fn wrote(&mut self, bytes: usize, messages: u64, now: u64) {
        if self.sent == self.done() {
            self.since = now;
        }
        self.unasked += bytes as u64;
        self.sent += messages;
    }

    /// Whether a PING has its place behind the messages that are sent.
    pub(crate) fn wants_ping(&self, now: u64) -> bool {
        let flushed = self.done() < self.flush_to && self.flush_to <= self.sent;
        !self.waits
            && self.sent > self.done()
            && (self.unasked >= PING_EVERY || flushed || now >= self.since + self.heartbeat)
    }

    /// When the heartbeat asks for the next PING; `None`: nothing asks for one.
    pub(crate) fn due(&self) -> Option<u64> {
        (!self.waits && self.sent > self.done()).then_some(self.since + self.heartbeat)
    }

    /// The id of a PING that is written now, behind all that is sent.
    pub(crate) fn ping(&mut self, now: u64) -> i64 {
        self.id = (self.next_id)(self.id);
        self.asked = self.sent;
        self.waits = true;
        self.unasked = 0;
        self.since = now;
        self.id
    }

    pub(crate) fn pong(&mut self, id: i64) {
        if self.waits && id == self.id {
            self.waits = false;
            self.confirmed = self.asked - self.doubted;
        }
    }

    /// The connection has ended; returns how many of its messages are in doubt.
    pub(crate) fn lost(&mut self, cause: Error) -> u64 {
        let lost = self.sent - self.done();
        if lost > 0 {
            self.doubted += lost;
            self.doubted_by = cause;
        }
        self.waits = false;
        self.unasked = 0;
        lost
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;
    use crate::error::{Advice, Failure};
    use crate::link::{Role, State};
    use crate::options::PublisherOptions;
    use crate::publisher::PublisherCore;
    use crate::wire::{self, HEADER};
    use crate::Event;

    /// A publisher without acknowledgements, with a heartbeat of a second.
    fn core(buffer: usize, max_body: usize) -> PublisherCore {
        let mut options = PublisherOptions::new(["h:1"]);
        options.connection.max_body = max_body;
        options.buffer = Some(buffer);
        options.connection.reconnect.rounds = None;
        let mut core = PublisherCore::new(options, 0, 1).unwrap();
        core.confirming.next_id = |last| last + 1;
        connect(&mut core);
        core
    }

    fn connect(core: &mut PublisherCore) {
        core.begin(true).unwrap();
        let hello = core.output().len();
        core.wrote(hello);
        let mut frame = Vec::new();
        wire::put_control(&mut frame, wire::WELCOME, |out| {
            out.extend_from_slice(&[0, 1, 1, 0, 0, 0, 0, 0]);
            for field in [77i64, 1, 0] {
                out.extend_from_slice(&field.to_be_bytes());
            }
            for field in [1u32 << 20, 1000, 3_600_000] {
                out.extend_from_slice(&field.to_be_bytes());
            }
            out.extend_from_slice(&[4, 0, 0, 0, 0, 0]);
        });
        read(core, &frame);
        assert!(core.link.state == State::Open);
    }

    fn read(core: &mut PublisherCore, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = core.link.room();
            let n = room.len().min(bytes.len());
            room[..n].copy_from_slice(&bytes[..n]);
            bytes = &bytes[n..];
            core.link.read(n);
            core.take_frames();
        }
    }

    fn put(core: &mut PublisherCore, bodies: &[&str]) {
        for body in bodies {
            assert!(core.put(1, body.as_bytes()).unwrap());
        }
    }

    /// Bytes for a socket that takes all.
    fn write(core: &mut PublisherCore) -> Vec<u8> {
        let mut all = Vec::new();
        loop {
            let output = core.output();
            let n = output.len();
            all.extend_from_slice(output);
            if n == 0 {
                return all;
            }
            core.wrote(n);
        }
    }

    fn message(body: &str) -> Vec<u8> {
        [&1i32.to_be_bytes(), &(body.len() as u32).to_be_bytes(), body.as_bytes()].concat()
    }

    fn ping(id: i64) -> Vec<u8> {
        let mut frame = Vec::new();
        wire::put_control(&mut frame, wire::PING, |out| {
            out.extend_from_slice(&id.to_be_bytes());
            out.extend_from_slice(&[0; 16]);
        });
        frame
    }

    fn pong(id: i64) -> Vec<u8> {
        let mut frame = Vec::new();
        wire::put_control(&mut frame, wire::PONG, |out| out.extend_from_slice(&id.to_be_bytes()));
        frame
    }

    fn flush_in_vain(core: &mut PublisherCore) -> Result<(), Unsettled> {
        let flush = core.flush();
        core.flushed(&flush, Some(Advice::Again.error(0, "its time is over".into())))
            .unwrap()
    }

    fn lose(core: &mut PublisherCore) {
        core.fail(Failure::new(Advice::Again, 0, "cut"));
    }

    #[test]
    fn only_the_pong_of_the_last_ping_confirms() {
        let mut core = core(1000, 40);
        put(&mut core, &["a", "b"]);
        core.flush();
        assert_eq!(write(&mut core), [message("a"), message("b"), ping(1)].concat());
        put(&mut core, &["c"]);
        core.flush();
        // One PING is unanswered: the flush behind it waits for the answer.
        core.link.now = 1_000_000;
        assert_eq!(write(&mut core), message("c"));
        for id in [0, 2, -1, 77] {
            read(&mut core, &pong(id));
        }
        for byte in pong(1) {
            assert_eq!(core.counters.confirmed, 0);
            read(&mut core, &[byte]);
        }
        assert_eq!(core.counters.confirmed, 2);
        assert_eq!(write(&mut core), ping(2));
        // The answer to the former one comes again.
        read(&mut core, &pong(1));
        let unsettled = flush_in_vain(&mut core).unwrap_err();
        assert_eq!((unsettled.sent, unsettled.in_doubt, unsettled.unsent), (3, 1, 0));
        assert_eq!(
            unsettled.to_string(),
            "3 sent, 1 in doubt: the relay has not confirmed them: its time is over"
        );
        read(&mut core, &pong(2));
        assert_eq!(flush_in_vain(&mut core), Ok(()));
        assert_eq!(core.due(), None);
    }

    #[test]
    fn a_ping_of_each_heartbeat() {
        let mut core = core(1000, 40);
        let at = |core: &mut PublisherCore, now: u64, bodies: &[&str]| {
            core.link.now = now;
            put(core, bodies);
            (write(core), core.due())
        };
        assert_eq!(at(&mut core, 5_000, &[]), (vec![], None));
        assert_eq!(at(&mut core, 10_000, &["a"]), (message("a"), Some(11_000)));
        assert_eq!(at(&mut core, 10_900, &["b"]), (message("b"), Some(11_000)));
        assert_eq!(at(&mut core, 11_000, &[]), (ping(1), None));
        assert_eq!(at(&mut core, 11_500, &["c"]), (message("c"), None));
        read(&mut core, &pong(1));
        assert_eq!(core.due(), Some(12_000));
        assert_eq!(at(&mut core, 12_000, &[]), (ping(2), None));
        read(&mut core, &pong(2));
        assert_eq!(at(&mut core, 99_000, &[]), (vec![], None));
    }

    #[test]
    fn a_ping_of_each_mebibyte() {
        // Writes end within these messages.
        let body = "x".repeat(200 << 10);
        let mut core = core(5 << 20, 1 << 20);
        put(&mut core, &[&*body; 15]);
        let frame = message(&body);
        let mut places = Vec::new();
        let mut unanswered = 0;
        let mut bytes = 0;
        for round in 0.. {
            let output = core.output().to_vec();
            if output.is_empty() {
                break;
            }
            if output.len() == HEADER + 24 && wire::is_reserved(wire::get32(&output, 0)) {
                unanswered += 1;
                assert_eq!(output, ping(unanswered));
                places.push(bytes / frame.len());
                assert_eq!(bytes % frame.len(), 0);
            } else {
                bytes += output.len();
            }
            core.wrote(output.len());
            if round == 9 {
                read(&mut core, &pong(1));
            }
        }
        // The second one comes with the end of the message in which the first one's answer came.
        assert_eq!(bytes, 15 * frame.len());
        assert_eq!(places[0], 6);
        assert_eq!(places.len(), 2);
        assert_eq!(core.counters.confirmed, 6);
    }

    #[test]
    fn what_is_half_sent_goes_over_the_next_connection() {
        let mut core = core(1000, 40);
        put(&mut core, &["a", "b", "c"]);
        let flush = core.flush();
        core.output();
        core.wrote(HEADER + 3);
        lose(&mut core);
        assert!(core.link.events.contains(&Event::InDoubt { messages: 1 }));
        assert_eq!(core.flushed(&flush, None), None);
        connect(&mut core);
        assert_eq!(write(&mut core), [message("b"), message("c"), ping(1)].concat());
        read(&mut core, &pong(1));
        let unsettled = core.flushed(&flush, None).unwrap().unwrap_err();
        assert_eq!((unsettled.sent, unsettled.in_doubt, unsettled.unsent), (3, 1, 0));
        assert_eq!(unsettled.cause.to_string(), "cut");
        assert_eq!(flush_in_vain(&mut core), Ok(()));
        // Nothing is sent over this one.
        core.link.events.clear();
        lose(&mut core);
        assert!(!core
            .link
            .events
            .iter()
            .any(|event| matches!(event, Event::InDoubt { .. })));
    }

    #[test]
    fn a_flush_that_is_dropped_has_told_nothing() {
        let mut core = core(1000, 40);
        put(&mut core, &["a"]);
        let _ = core.flush();
        write(&mut core);
        lose(&mut core);
        assert_eq!(flush_in_vain(&mut core).unwrap_err().in_doubt, 1);
        assert_eq!(flush_in_vain(&mut core), Ok(()));
    }

    #[test]
    fn a_close_ends_with_its_last_connection() {
        // Nothing is left to send, and the relay says that it goes, or why it has ended the connection.
        for (goes, code) in [(true, 10), (false, 10), (false, 29)] {
            let mut core = core(1000, 40);
            put(&mut core, &["a", "b"]);
            core.closing = true;
            let flush = core.flush();
            write(&mut core);
            let mut frame = Vec::new();
            let control = if goes { wire::GOAWAY } else { wire::ERROR };
            wire::put_control(&mut frame, control, |out| {
                out.extend_from_slice(&[0, code, 0, 0, 0, 1, 0, 0])
            });
            read(&mut core, &frame);
            assert!(core.link.state == State::Ended);
            let unsettled = core.flushed(&flush, None).unwrap().unwrap_err();
            assert_eq!((unsettled.sent, unsettled.in_doubt, unsettled.unsent), (2, 2, 0));
            let gave_up = core.link.events.iter().any(|event| matches!(event, Event::GaveUp(_)));
            assert_eq!(gave_up, code == 29);
        }
    }

    /// xorshift64*.
    struct Random(u64);

    impl Random {
        fn up_to(&mut self, most: usize) -> usize {
            self.0 ^= self.0 >> 12;
            self.0 ^= self.0 << 25;
            self.0 ^= self.0 >> 27;
            (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % (most + 1)
        }
    }

    /// A relay, and the sockets before it, which lose what is on its way with their connection.
    #[derive(Default)]
    struct Lossy {
        to_relay: VecDeque<u8>,
        begun: Vec<u8>,
        back: Vec<u8>,
        /// Whether the relay has read the message with this number, from 0.
        has: Vec<bool>,
        /// A PING was read whose PONG has not arrived.
        answers: bool,
    }

    impl Lossy {
        /// The relay reads so many bytes, and answers each PING.
        fn read(&mut self, n: usize) {
            self.begun.extend(self.to_relay.drain(..n));
            while self.begun.len() >= HEADER {
                let end = HEADER + wire::get32(&self.begun, 4) as usize;
                if self.begun.len() < end {
                    return;
                }
                if wire::is_reserved(wire::get32(&self.begun, 0)) {
                    assert!(!std::mem::replace(&mut self.answers, true), "a second PING");
                    self.back.extend(pong(wire::get64(&self.begun, HEADER)));
                } else {
                    let body = std::str::from_utf8(&self.begun[HEADER..end]).unwrap();
                    let number: usize = body.parse().expect("a message");
                    assert!(!std::mem::replace(&mut self.has[number], true), "{number} came twice");
                }
                self.begun.drain(..end);
            }
        }

        /// The publisher gets so many bytes.
        fn answer(&mut self, core: &mut PublisherCore, n: usize) {
            let input: Vec<u8> = self.back.drain(..n).collect();
            read(core, &input);
            self.answers &= core.confirming.waits;
        }

        fn cut(&mut self) {
            self.answers = false;
            self.to_relay.clear();
            self.begun.clear();
            self.back.clear();
        }
    }

    fn socket_takes(core: &mut PublisherCore, relay: &mut Lossy, random: Option<&mut Random>) {
        let output = core.output();
        let n = random.map_or(output.len(), |random| random.up_to(output.len()));
        relay.to_relay.extend(&output[..n]);
        core.wrote(n);
    }

    /// In doubt is never less than what the relay lacks, and nothing with a relay that lives.
    #[test]
    fn in_doubt_is_never_too_little() {
        for _ in 0..if cfg!(miri) { 2 } else { 300 } {
            let seed = RandomState::new().build_hasher().finish();
            println!("seed {seed}");
            play_losses(&mut Random(seed | 1));
        }
    }

    fn play_losses(random: &mut Random) {
        let mut core = core(24 + random.up_to(300), 16);
        let mut relay = Lossy::default();
        let mut flush: Option<Flush> = None;
        let (mut told, mut losses) = (0, 0);
        let mut in_doubt = |over: Result<(), Unsettled>| told += over.map_or_else(|why| why.in_doubt, |()| 0);
        for _ in 0..400 {
            match random.up_to(11) {
                0..=2 => {
                    let number = relay.has.len();
                    if core.put(1, number.to_string().as_bytes()).unwrap() {
                        relay.has.push(false);
                    }
                }
                3..=5 => socket_takes(&mut core, &mut relay, Some(random)),
                6 | 7 => relay.read(random.up_to(relay.to_relay.len())),
                8 => {
                    let n = random.up_to(relay.back.len());
                    relay.answer(&mut core, n);
                }
                9 => match flush.take() {
                    None => flush = Some(core.flush()),
                    Some(begun) => match core.flushed(&begun, None) {
                        Some(over) => in_doubt(over),
                        None => flush = Some(begun),
                    },
                },
                10 => core.link.now += random.up_to(700) as u64,
                _ if random.up_to(5) > 0 => {
                    // A lie: the answer to a PING that is answered already, or to none.
                    let last = core.confirming.id;
                    relay.back.extend(pong([0, -1, last - 1, 1 << 40][random.up_to(3)]));
                }
                _ => {
                    losses += 1;
                    if random.up_to(1) == 0 {
                        relay.read(random.up_to(relay.to_relay.len()));
                    }
                    lose(&mut core);
                    relay.cut();
                    connect(&mut core);
                }
            }
            let sent = core.counters.settled as usize;
            let lacks = relay.has[..sent].iter().filter(|has| !**has).count() as u64;
            assert!(core.counters.settled - core.counters.confirmed >= lacks);
        }
        let begun = [flush.unwrap_or_else(|| core.flush()), core.flush()];
        // From now on the relay reads all.
        for _ in 0..100 {
            socket_takes(&mut core, &mut relay, None);
            relay.read(relay.to_relay.len());
            relay.answer(&mut core, relay.back.len());
        }
        let [first, second] = begun.map(|flush| core.flushed(&flush, None).expect("it is over"));
        in_doubt(first);
        drop(second);
        assert_eq!(told, core.confirming.doubted);
        assert!(losses > 0 || told == 0);
        assert_eq!(flush_in_vain(&mut core), Ok(()));
        assert_eq!(core.confirming.done(), core.counters.messages);
    }
}
