//! A publisher without I/O: messages in, bytes and events out.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::confirm::{Confirming, Flush, Unsettled};
use crate::error::{Advice, Error, Failure};
use crate::link::{unexpected, Control, Frame, Link, Role, State};
use crate::options::{reserved, Level, Producer, PublisherOptions};
use crate::wire::{self, Welcome, HEADER};
use crate::Event;

/// Most bytes of one write.
const MOST_PER_WRITE: usize = 256 << 10;

/// Numbers of a publisher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct PublisherCounters {
    /// Messages taken.
    pub messages: u64,
    /// Bytes of these messages, headers included.
    pub bytes: u64,
    /// Messages acknowledged; without acknowledgements: handed to the socket.
    pub settled: u64,
    /// Messages that the relay is known to have: acknowledged, or without acknowledgements read; plain: 0.
    pub confirmed: u64,
    /// Number of the first message; 0: not known yet.
    pub first_number: i64,
}

/// Messages wait in a ring, as frames. Offsets count its bytes: `written <= ever_written`, and `boundary` is the start
/// of a message that is not known to be written whole, or of an earlier one.
pub(crate) struct PublisherCore {
    pub(crate) link: Link,
    acks: bool,
    producer: [u8; 16],
    ring: VecDeque<u8>,
    size: usize,
    written: usize,
    ever_written: usize,
    boundary: usize,
    writes_control: bool,

    epoch: i64,
    /// Number of the first message in the ring; 0: not known yet.
    first: i64,
    /// The relay has the messages up to this number from former connections; they are written again all the same.
    accepted: i64,
    told_gone: i64,
    pub(crate) counters: PublisherCounters,
    /// Without acknowledgements; plain, nothing is asked and all stays in doubt.
    pub(crate) confirming: Confirming,
    /// The user publishes no more.
    pub(crate) closing: bool,
    max_body: usize,
    was_welcomed: bool,
}

impl PublisherCore {
    pub(crate) fn new(options: PublisherOptions, now: u64, seed: u64) -> Result<PublisherCore, Error> {
        options.check()?;
        let size = options.ring_size();
        let producer = match &options.producer {
            Producer::Id(id) => *id,
            Producer::File(path) => kept_in(path)?,
            Producer::Random => random_id()?,
        };
        Ok(PublisherCore {
            acks: options.acks,
            producer,
            ring: VecDeque::with_capacity(size),
            size,
            written: 0,
            ever_written: 0,
            boundary: 0,
            writes_control: false,
            epoch: options.epoch,
            first: options.first_number,
            accepted: 0,
            told_gone: 0,
            counters: PublisherCounters {
                first_number: options.first_number,
                ..PublisherCounters::default()
            },
            confirming: Confirming::new(),
            closing: false,
            max_body: options.connection.max_body,
            was_welcomed: false,
            link: Link::new(options.connection, true, wire::MAX_CONTROL + HEADER, now, seed),
        })
    }

    pub(crate) fn producer(&self) -> [u8; 16] {
        self.producer
    }

    /// Whether a message may be published at all.
    pub(crate) fn check(&self, message_type: i32, body: &[u8]) -> Result<(), Error> {
        if self.link.state == State::Ended {
            return Err(self.link.error.clone());
        }
        if wire::is_reserved(message_type) {
            return Err(reserved(message_type));
        }
        if body.len() > self.max_body {
            let text = format!("a body of {} bytes, the limit is {}", body.len(), self.max_body);
            return Err(Error::yours(5, text));
        }
        Ok(())
    }

    /// Whether a body of this length has room.
    pub(crate) fn has_room(&self, length: usize) -> bool {
        self.size - self.ring.len() >= HEADER + length
    }

    /// Takes a message; false: there is no room for it.
    pub(crate) fn put(&mut self, message_type: i32, body: &[u8]) -> Result<bool, Error> {
        self.check(message_type, body)?;
        if !self.has_room(body.len()) {
            return Ok(false);
        }
        self.ring.extend(&message_type.to_be_bytes());
        self.ring.extend(&(body.len() as u32).to_be_bytes());
        self.ring.extend(body);
        self.counters.messages += 1;
        self.counters.bytes += (HEADER + body.len()) as u64;
        Ok(true)
    }

    /// Whether PINGs ask what the relay has read.
    fn confirms(&self) -> bool {
        !self.acks && !self.link.options.plain
    }

    /// Messages, in their order, that need no more waiting.
    pub(crate) fn done(&self) -> u64 {
        if self.confirms() {
            self.confirming.done()
        } else {
            self.counters.settled
        }
    }

    /// What would be lost now, in words; `None`: nothing.
    pub(crate) fn unsettled(&self) -> Option<String> {
        let messages = self.counters.messages - self.done();
        let what = if self.acks {
            "not acknowledged"
        } else if self.confirms() {
            "not confirmed by the relay"
        } else {
            "not sent"
        };
        (messages > 0).then(|| format!("{messages} of {} messages are {what}", self.counters.messages))
    }

    pub(crate) fn flush(&mut self) -> Flush {
        self.confirming.flush(self.counters.messages)
    }

    /// The end of a flush; `None`: it is not over. `cause`: its time is over.
    pub(crate) fn flushed(&mut self, flush: &Flush, cause: Option<Error>) -> Option<Result<(), Unsettled>> {
        let unsettled = if self.done() < flush.target {
            let ended = (self.link.state == State::Ended).then(|| self.link.error.clone());
            Some(self.outstanding(flush, ended.or(cause)?))
        } else if self.confirms() {
            self.confirming.lost_since(flush)
        } else {
            None
        };
        self.confirming.tell();
        Some(unsettled.map_or(Ok(()), Err))
    }

    /// All was sent, and then the relay had this to say.
    pub(crate) fn complaint(&self, cause: Error) -> Unsettled {
        Unsettled {
            sent: self.counters.settled,
            in_doubt: 0,
            unsent: 0,
            cause,
        }
    }

    /// What is not settled, but for the doubts that were told before.
    fn outstanding(&self, flush: &Flush, cause: Error) -> Unsettled {
        let unsettled = self.counters.messages - self.counters.settled;
        let (sent, in_doubt) = if self.confirms() {
            (0, self.counters.settled - self.counters.confirmed - flush.told)
        } else if self.acks {
            let mut at = 0;
            let mut sent = 0;
            while at < self.ever_written {
                at += self.frame_length(at);
                sent += 1;
            }
            (sent, sent)
        } else {
            (0, 0)
        };
        Unsettled {
            sent: self.counters.settled + sent,
            in_doubt,
            unsent: unsettled - sent,
            cause,
        }
    }

    /// Takes the frames that have come.
    pub(crate) fn take_frames(&mut self) {
        loop {
            match self.step() {
                Ok(true) => {}
                Ok(false) => break,
                Err(failure) => self.fail(failure),
            }
        }
        if self.closing && self.confirms() && self.link.leaving && self.link.is_connected() {
            // The relay reads no more, and may take its time to close. What was not sent goes to another one.
            let text = format!("{} goes away, and reads no more", self.link.endpoint());
            self.fail(Failure::new(Advice::Again, 0, text));
        }
    }

    /// Takes one frame; false: there is none.
    fn step(&mut self) -> Result<bool, Failure> {
        let Some(frame) = self.link.next_frame()? else {
            return Ok(false);
        };
        match self.link.control(frame)? {
            Control::Done | Control::Other(wire::PING) => {}
            Control::Pong(id) => {
                self.confirming.pong(id);
                self.counters.confirmed = self.confirming.confirmed;
            }
            Control::Welcome(welcome) => self.welcomed(&welcome)?,
            Control::Other(wire::ACK) if self.acks => self.acknowledged(frame)?,
            Control::Other(control) => return Err(unexpected(control, "to a publisher that did not ask for it")),
        }
        Ok(true)
    }

    fn welcomed(&mut self, welcome: &Welcome) -> Result<(), Failure> {
        if self.acks && !welcome.grants(wire::ACKS) {
            let text = format!("the relay at {} grants no acknowledgements", self.link.endpoint());
            return Err(Failure::new(Advice::Stop, 0, text));
        }
        if let Some((epoch, _)) = self.link.retreat(welcome) {
            // What was sent is sent again: the relay has it by its numbers.
            self.epoch = epoch;
            self.send_again();
            return Ok(());
        }
        let connected = self.link.accept(welcome, None);
        self.link.events.push(connected);
        self.confirming.welcomed(welcome.heartbeat_ms);
        self.max_body = self.link.options.max_body.min(welcome.max_body);
        if self.acks {
            self.number(welcome)?;
        }
        self.epoch = welcome.epoch;
        if !welcome.epoch_changed() {
            return Ok(());
        }
        if self.acks && welcome.rolled_back() {
            // The relay does not know what it has told this publisher, and may report the same messages again.
            let from = welcome.fork.max(self.told_gone + 1);
            let to = self.first - 1;
            self.told_gone = to;
            if from <= to {
                self.link.events.push(Event::RolledBack { from, to });
            }
        } else {
            self.link.events.push(Event::StreamChanged { lost_from: 0 });
        }
        Ok(())
    }

    fn number(&mut self, welcome: &Welcome) -> Result<(), Failure> {
        let accepted = welcome.accepted;
        if accepted == i64::MAX {
            let text = format!("WELCOME has accepted {accepted}, which leaves no number");
            return Err(Failure::fault(23, text));
        }
        if self.first == 0 {
            self.first = accepted + 1;
            self.counters.first_number = self.first;
        } else if accepted > 0 && accepted < self.first - 1 && !welcome.epoch_changed() {
            return Err(Failure::fault(
                23,
                format!(
                    "WELCOME has accepted only {accepted}, this publisher goes on with {}",
                    self.first
                ),
            ));
        } else if accepted >= self.first && accepted > self.accepted {
            // A caller who keeps the numbers may publish again what a former publisher has sent.
            if self.was_welcomed {
                self.end_of(accepted, self.ever_written, wire::WELCOME)?;
            }
            self.accepted = accepted;
            self.link.events.push(Event::Acked {
                number: accepted,
                sequence: None,
            });
        }
        self.was_welcomed = true;
        Ok(())
    }

    fn acknowledged(&mut self, frame: Frame) -> Result<(), Failure> {
        let (numbers, sequence) = wire::decode_ack(self.link.body(frame))?;
        self.link.alive = true;
        let number = numbers[self.link.options.level as usize];
        if number >= self.first && number > self.accepted {
            let end = self.end_of(number, self.written, wire::ACK)?;
            let messages = number - self.first + 1;
            self.first = number + 1;
            self.forget(end, messages as u64);
            self.link.events.push(Event::Acked {
                number,
                sequence: (number == numbers[Level::Stream as usize]).then_some(sequence),
            });
        }
        Ok(())
    }

    /// Length of the frame at this offset, with its header.
    fn frame_length(&self, at: usize) -> usize {
        let byte = |i: usize| u32::from(self.ring[at + 4 + i]);
        HEADER + (byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3)) as usize
    }

    /// Offset behind the message with this number.
    fn end_of(&self, number: i64, limit: usize, control: u8) -> Result<usize, Failure> {
        let mut at = 0;
        let mut left = number - self.first + 1;
        while left > 0 && at < limit {
            at += self.frame_length(at);
            left -= 1;
        }
        if left > 0 || at > limit {
            let name = wire::frame_name(control);
            return Err(Failure::fault(
                15,
                format!("{name} speaks of message {number}, which was not sent"),
            ));
        }
        Ok(at)
    }

    fn forget(&mut self, bytes: usize, messages: u64) {
        self.ring.drain(..bytes);
        self.written = self.written.saturating_sub(bytes);
        self.ever_written = self.ever_written.saturating_sub(bytes);
        self.boundary = self.boundary.saturating_sub(bytes);
        self.counters.settled += messages;
        if self.acks {
            self.counters.confirmed = self.counters.settled;
        }
    }

    /// Forgets whole messages before this offset, as long as `also` says so; returns their number.
    fn forget_whole(&mut self, limit: usize, mut also: impl FnMut(i64) -> bool) -> u64 {
        let mut at = 0;
        let mut messages = 0;
        while at < limit && also(messages) && at + self.frame_length(at) <= limit {
            at += self.frame_length(at);
            messages += 1;
        }
        self.forget(at, messages as u64);
        messages as u64
    }

    /// Forgets what the relay has of former connections.
    fn forget_accepted(&mut self, limit: usize) {
        let (first, accepted) = (self.first, self.accepted);
        if self.acks && accepted >= first {
            self.first += self.forget_whole(limit, |messages| first + messages <= accepted) as i64;
        }
    }

    /// The next connection begins with the first message that the relay may lack.
    fn send_again(&mut self) {
        self.forget_accepted(self.ever_written);
        self.written = 0;
        self.boundary = 0;
    }

    /// Whether this connection has PINGs of the publisher.
    fn pings(&self) -> bool {
        self.confirms() && self.link.state == State::Open && !self.link.leaving
    }

    /// Bytes until the next message starts; 0: none is half written.
    fn half_written(&mut self) -> usize {
        while self.boundary < self.written {
            self.boundary += self.frame_length(self.boundary);
        }
        self.boundary - self.written
    }
}

impl Role for PublisherCore {
    fn link(&mut self) -> &mut Link {
        &mut self.link
    }

    fn begin(&mut self, secret: bool) -> Result<(), Failure> {
        self.link.connected(secret)?;
        if !self.link.options.plain {
            let (features, number, producer) = if self.acks {
                (wire::ACKS | wire::EPOCHS, self.first, Some(&self.producer))
            } else {
                (0, 0, None)
            };
            let features = features | wire::PEER;
            self.link
                .put_hello(0, 0, 0, features, self.epoch, number, &[], producer);
        }
        Ok(())
    }

    fn fail(&mut self, failure: Failure) {
        let may_speak = self.half_written() == 0;
        let messages = self
            .confirming
            .lost(failure.advice.error(failure.code, failure.text.clone()));
        // Plain, the end of a connection after a close in order is no loss.
        let in_order = self.closing && self.link.options.plain && self.ring.is_empty();
        if messages > 0 && !in_order {
            self.link.events.push(Event::InDoubt { messages });
        }
        self.send_again();
        // Nothing is left to send: another connection is of no use.
        self.link.closing |= self.closing && self.confirms() && self.ring.is_empty();
        self.link.failed(failure, may_speak);
    }

    fn output(&mut self) -> &[u8] {
        self.writes_control = false;
        if self.link.is_broken() {
            return &[];
        }
        let mut most = MOST_PER_WRITE;
        let wants_ping = self.pings() && self.confirming.wants_ping(self.link.now);
        if self.link.state != State::Open || self.link.has_control() || wants_ping {
            let half = self.half_written();
            if half == 0 {
                if wants_ping {
                    let id = self.confirming.ping(self.link.now);
                    self.link.put_ping(id);
                }
                self.writes_control = true;
                return self.link.output();
            }
            most = half;
        }
        if self.link.leaving || self.link.state != State::Open {
            return &[];
        }
        let (front, back) = self.ring.as_slices();
        let slice = if self.written < front.len() {
            &front[self.written..]
        } else {
            &back[self.written - front.len()..]
        };
        &slice[..slice.len().min(most)]
    }

    fn wrote(&mut self, n: usize) {
        if self.writes_control {
            self.link.wrote(n);
            return;
        }
        self.written += n;
        self.ever_written = self.ever_written.max(self.written);
        if self.acks {
            self.forget_accepted(self.written);
        } else {
            let messages = self.forget_whole(self.written, |_| true);
            self.confirming.wrote(n, messages, self.link.now);
        }
    }

    fn due(&self) -> Option<u64> {
        self.confirming.due().filter(|_| self.pings())
    }
}

fn random_id() -> Result<[u8; 16], Error> {
    let mut id = [0; 16];
    File::open("/dev/urandom")
        .and_then(|mut file| file.read_exact(&mut id))
        .map_err(|e| Error::yours(0, format!("/dev/urandom: {e}")))?;
    Ok(id)
}

/// The id in the file, which is made with a random one if it is not there: whole, or not at all.
fn kept_in(path: &Path) -> Result<[u8; 16], Error> {
    let wrong = |what: &dyn std::fmt::Display| Error::yours(0, format!("{}: {what}", path.display()));
    if !path.exists() {
        let id = random_id()?;
        write_id(path, &id).map_err(|e| wrong(&e))?;
    }
    let mut line = String::new();
    File::open(path)
        .and_then(|file| file.take(64).read_to_string(&mut line))
        .map_err(|e| wrong(&e))?;
    line.strip_suffix('\n')
        .and_then(parse_id)
        .ok_or_else(|| wrong(&"has anything but 32 hex digits and a line end"))
}

/// Writes a draft and links it: another process that was faster keeps its id.
fn write_id(path: &Path, id: &[u8; 16]) -> io::Result<()> {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let mut draft = path.as_os_str().to_owned();
    // The draft does not tell the id.
    draft.push(format!(".{}", hex(&random_id().map_err(io::Error::other)?[..8])));
    let draft = Path::new(&draft);
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(draft)?;
    let written = file
        .write_all(format!("{}\n", hex(id)).as_bytes())
        .and_then(|()| file.sync_all())
        .and_then(|()| std::fs::hard_link(draft, path));
    std::fs::remove_file(draft)?;
    match written {
        Err(e) if e.kind() != io::ErrorKind::AlreadyExists => Err(e),
        _ => Ok(()),
    }
}

/// An id of 32 hex digits.
pub(crate) fn parse_id(text: &str) -> Option<[u8; 16]> {
    if text.len() != 32 || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    Some(u128::from_str_radix(text, 16).ok()?.to_be_bytes())
}

impl Producer {
    /// The id of 32 hex digits.
    pub fn parse(text: &str) -> Result<Producer, Error> {
        parse_id(text)
            .map(Producer::Id)
            .ok_or_else(|| Error::yours(0, "the producer id is not 32 hex digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(core: &mut PublisherCore, bytes: &[u8]) {
        core.link.room()[..bytes.len()].copy_from_slice(bytes);
        core.link.read(bytes.len());
        core.take_frames();
    }

    fn put_welcome(out: &mut Vec<u8>, accepted: i64) {
        wire::put_control(out, wire::WELCOME, |out| {
            out.extend_from_slice(&[0, 1, 1, 0, 0, 0, 0, 1]);
            for field in [77, 1, accepted] {
                out.extend_from_slice(&field.to_be_bytes());
            }
            for field in [1u32 << 20, 1000, 5000] {
                out.extend_from_slice(&field.to_be_bytes());
            }
            out.extend_from_slice(&[4, 0, 0, 0, 0, 0]);
        });
    }

    fn put_ack(out: &mut Vec<u8>, number: i64) {
        wire::put_control(out, wire::ACK, |out| {
            out.extend_from_slice(&number.to_be_bytes());
            out.extend_from_slice(&(number + 1000).to_be_bytes());
        });
    }

    fn connected(buffer: usize) -> PublisherCore {
        let mut options = PublisherOptions::new(["h:1"]);
        options.acks = true;
        options.connection.name = "ring".into();
        options.connection.max_body = 40;
        options.buffer = Some(buffer);
        let mut core = PublisherCore::new(options, 0, 1).unwrap();
        core.begin(true).unwrap();
        core.wrote_all();
        let mut frame = Vec::new();
        put_welcome(&mut frame, 0);
        read(&mut core, &frame);
        core
    }

    impl PublisherCore {
        fn wrote_all(&mut self) {
            let n = self.output().len();
            self.wrote(n);
        }
    }

    /// Messages through a small ring, in writes of every size: the bytes are the frames, with PONGs between them.
    #[test]
    fn what_a_drop_would_lose() {
        for (acks, plain, words) in [
            (true, false, "3 of 3 messages are not acknowledged"),
            (false, false, "3 of 3 messages are not confirmed by the relay"),
            (false, true, "3 of 3 messages are not sent"),
        ] {
            let mut options = PublisherOptions::new(["h:1"]);
            options.acks = acks;
            options.connection.plain = plain;
            options.connection.name = if acks { "n".into() } else { String::new() };
            let mut core = PublisherCore::new(options, 0, 1).unwrap();
            assert_eq!(core.unsettled(), None);
            for _ in 0..3 {
                assert!(core.put(1, b"x").unwrap());
            }
            assert_eq!(core.unsettled().as_deref(), Some(words));
        }
    }

    /// A plain publisher's own close tells what the end of its connection means; a cut before is a loss.
    #[test]
    fn an_end_in_order_is_no_loss() {
        for (closing, events) in [(true, 0), (false, 2)] {
            let mut options = PublisherOptions::new(["h:1"]);
            options.connection.plain = true;
            let mut core = PublisherCore::new(options, 0, 1).unwrap();
            core.begin(true).unwrap();
            assert!(core.put(1, b"x").unwrap());
            core.wrote_all();
            core.link.events.clear();
            core.closing = closing;
            core.link.closing = closing;
            core.fail(Failure::new(Advice::Again, 0, "h:1 closed the connection"));
            assert_eq!(core.link.events.len(), events, "{:?}", core.link.events);
        }
    }

    #[test]
    fn bytes_on_the_wire_are_whole_frames() {
        // Miri takes a thousand times as long.
        let (step, messages) = if cfg!(miri) { (29, 50) } else { (1, 200) };
        for most in (1..60).step_by(step) {
            let mut core = connected(101);
            let (mut taken, mut seen, mut acked, mut pongs) = (0i32, 0i32, 0i32, 0);
            let mut wire_bytes: Vec<u8> = Vec::new();
            let mut turn = 0i64;
            while acked < messages {
                let body = vec![taken as u8; (taken % 41) as usize];
                if taken < messages && core.put(taken, &body).unwrap() {
                    taken += 1;
                }
                let mut input = Vec::new();
                if turn % 50 == 0 {
                    wire::put_control(&mut input, wire::PING, |out| out.extend_from_slice(&[0; 24]));
                }
                turn += 1;
                if seen > acked {
                    put_ack(&mut input, seen.into());
                    acked = seen;
                }
                read(&mut core, &input);
                let output = core.output();
                let n = output.len().min(most);
                wire_bytes.extend_from_slice(&output[..n]);
                core.wrote(n);
                while wire_bytes.len() >= HEADER {
                    let length = wire::get32(&wire_bytes, 4) as usize;
                    if wire_bytes.len() < HEADER + length {
                        break;
                    }
                    if wire::is_reserved(wire::get32(&wire_bytes, 0)) {
                        pongs += 1;
                    } else {
                        assert_eq!(wire::get32(&wire_bytes, 0), seen);
                        assert_eq!(length, (seen % 41) as usize);
                        assert!(wire_bytes[HEADER..HEADER + length].iter().all(|&b| b == seen as u8));
                        seen += 1;
                    }
                    wire_bytes.drain(..HEADER + length);
                }
            }
            assert!(pongs > 0);
            assert_eq!(core.counters.settled, messages as u64);
        }
    }

    #[test]
    fn what_was_not_sent_cannot_be_acknowledged() {
        let mut core = connected(101);
        assert!(core.put(1, b"one").unwrap());
        let mut frame = Vec::new();
        put_ack(&mut frame, 1);
        read(&mut core, &frame);
        assert_eq!(core.link.error.code(), 15);
        assert_eq!(core.counters.settled, 0);
    }

    #[test]
    fn a_lost_connection_is_told_and_its_messages_sent_again() {
        let mut core = connected(101);
        for i in 0..3 {
            assert!(core.put(i, b"x").unwrap());
        }
        core.wrote_all();
        assert!(core.output().is_empty());
        let mut frame = Vec::new();
        put_ack(&mut frame, 1);
        read(&mut core, &frame);
        let end = core.link.end_of_stream();
        core.fail(end);
        assert!(matches!(core.link.events.last(), Some(Event::Lost(_))));
        core.begin(true).unwrap();
        assert_eq!(wire::get64(core.output(), HEADER + 24), 2);
        core.wrote_all();
        let mut frame = Vec::new();
        put_welcome(&mut frame, 2);
        read(&mut core, &frame);
        assert_eq!(core.output().len(), 18);
        core.wrote_all();
        assert_eq!(core.counters.settled, 2);
    }

    #[test]
    fn messages_that_break_a_rule_are_refused() {
        let mut core = connected(101);
        assert_eq!(core.put(i32::MIN, b"").unwrap_err().code(), 6);
        assert_eq!(core.put(wire::LAST_RESERVED, b"").unwrap_err().code(), 6);
        assert_eq!(core.put(1, &[0; 41]).unwrap_err().code(), 5);
        assert!(core.put(wire::LAST_RESERVED + 1, &[0; 40]).unwrap());
        assert!(core.put(1, &[0; 40]).unwrap());
        assert!(!core.put(1, b"").unwrap());
        assert_eq!(core.counters.messages, 2);
    }

    #[test]
    fn ids_are_kept_in_a_file() {
        use std::os::unix::fs::PermissionsExt;

        let folder = std::env::temp_dir().join(format!("msgrelay-id-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let path = folder.join("id");
        let first = kept_in(&path).unwrap();
        assert_eq!(kept_in(&path).unwrap(), first);
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        // Another process was faster: its id counts.
        write_id(&path, &[7; 16]).unwrap();
        assert_eq!(kept_in(&path).unwrap(), first);
        // Nothing of the drafts is left.
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
        std::fs::write(&path, "anything else\n").unwrap();
        assert_eq!(kept_in(&path).unwrap_err().kind(), crate::Kind::Yours);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
