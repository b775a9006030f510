//! One client's connections without I/O: which endpoint is next and when, and frames out of bytes.

use std::time::Duration;

use crate::error::{code_name, Advice, Error, Failure};
use crate::options::{Connection, Level, Token};
use crate::wire::{self, Lives, Welcome, HEADER, MAX_CONTROL, MAX_NAME, MAX_TEXT};
use crate::Event;

const FEW_TRIES: u32 = 5;
const UNANSWERED: u32 = 3;
const LONGEST_STEADY_MS: u64 = 10_000;
/// Time to read the relay's last word after a failed write.
const LINGER_MS: u64 = 1_000;
/// Bytes that are moved to the buffer's start before a read.
const MOST_MOVED: usize = 4096;
const SHUTDOWN: u16 = 10;
const MALFORMED_CONTROL: u16 = 12;
const DAY_S: i64 = 86_400;
/// Days before the end of this client's certificate at which it is told.
const CERTIFICATE_STEPS: [i64; 4] = [0, 1, 7, 30];
const NOT_AUTHENTICATED: u16 = 28;
const TLS_KEY_USED_UP: u16 = 33;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Waits for the next try.
    Idle,
    /// The connection is being made.
    Connecting,
    /// HELLO is sent, WELCOME is not there.
    Greeting,
    Open,
    Ended,
}

/// A frame in the buffer: its body is `start..start + length`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) message_type: i32,
    pub(crate) start: usize,
    pub(crate) length: usize,
}

/// What a control frame asks of the role.
pub(crate) enum Control {
    Done,
    Welcome(Welcome),
    /// PONG with this id.
    Pong(i64),
    /// SEQUENCE, GAP, ACK, SUBSCRIBED or PING, which is answered already.
    Other(u8),
}

pub(crate) struct Link {
    pub(crate) options: Connection,
    /// Of the connection that is made; the options say where it comes from.
    pub(crate) token: Option<String>,
    pub(crate) publisher: bool,
    pub(crate) state: State,
    /// Milliseconds of a clock that never goes back.
    pub(crate) now: u64,
    pub(crate) error: Error,
    /// For the hook, in their order.
    pub(crate) events: Vec<Event>,

    index: usize,
    pub(crate) due: u64,
    welcomed_at: u64,
    /// Input behind WELCOME since the last look.
    pub(crate) alive: bool,
    progressed: bool,
    steady: bool,
    pub(crate) leaving: bool,
    leaves_endpoint: bool,
    /// RETRY_AFTER of the present connection, in milliseconds.
    told: Option<u64>,
    /// Earliest times, by endpoint.
    not_before: Vec<u64>,
    ever_welcomed: bool,
    beginning: bool,
    /// No further try: the client is being closed.
    pub(crate) closing: bool,
    short_lived: u32,
    unanswered: u32,
    tries: u64,
    hopes: u32,
    random: u64,

    deadline: u64,
    silent_since: u64,
    patience: u64,
    broken: bool,
    /// Of the last WELCOME that the client went on with.
    lives: Lives,
    /// The end of this client's certificate, in seconds from 1970, and the last step at which it was told.
    certificate: (u64, i64),
    /// When it is to be looked at again.
    pub(crate) certificate_due: Option<u64>,
    /// What HELLO has that a relay of an earlier version takes for malformed; empty: nothing.
    pub(crate) newer: String,

    pub(crate) inbox: Vec<u8>,
    read_size: usize,
    start: usize,
    end: usize,
    skip: usize,
    pub(crate) out: Vec<u8>,
    pong: Option<i64>,
    /// Time of the last PONG, or of WELCOME.
    pong_at: u64,
    heartbeat: u64,
    /// An ERROR for the relay, to be sent before the connection is closed.
    pub(crate) farewell: Vec<u8>,
}

/// Milliseconds of an option, which stay far from the end of all numbers.
fn millis(time: Duration) -> u64 {
    time.as_millis().min(1 << 40) as u64
}

impl Link {
    pub(crate) fn new(options: Connection, publisher: bool, buffer: usize, now: u64, seed: u64) -> Link {
        let frame = HEADER
            + if publisher {
                MAX_CONTROL
            } else {
                options.max_body.max(MAX_CONTROL)
            };
        let mut link = Link {
            told: None,
            not_before: vec![now; options.endpoints.len()],
            options,
            token: None,
            publisher,
            state: State::Idle,
            now,
            error: Error::yours(0, ""),
            events: Vec::new(),
            index: 0,
            due: now,
            welcomed_at: now,
            alive: false,
            progressed: false,
            steady: false,
            leaving: false,
            leaves_endpoint: false,
            ever_welcomed: false,
            beginning: true,
            closing: false,
            short_lived: 0,
            unanswered: 0,
            tries: 0,
            hopes: 0,
            random: seed | 1,
            deadline: 0,
            silent_since: now,
            patience: 0,
            broken: false,
            lives: Lives::default(),
            certificate: (0, i64::MAX),
            certificate_due: None,
            newer: String::new(),
            inbox: vec![0; frame.max(buffer)],
            read_size: buffer.max(1),
            start: 0,
            end: 0,
            skip: 0,
            out: Vec::new(),
            pong: None,
            pong_at: 0,
            heartbeat: 0,
            farewell: Vec::new(),
        };
        link.due += link.next_wait(Advice::Again, false).unwrap_or(0);
        link
    }

    pub(crate) fn endpoint(&self) -> &str {
        &self.options.endpoints[self.index]
    }

    pub(crate) fn is_connected(&self) -> bool {
        matches!(self.state, State::Greeting | State::Open)
    }

    /// 0 inclusive to 1 exclusive; xorshift64*, for the jitter of waits only.
    fn next_random(&mut self) -> f64 {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        (self.random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Milliseconds before the next try; `None`: there is none. `told`: the relay has told a time, which takes the place
    /// of the longest wait.
    fn next_wait(&mut self, advice: Advice, told: bool) -> Option<u64> {
        if advice == Advice::Stop {
            return None;
        }
        if advice.is_few() {
            self.hopes += 1;
            if self.hopes > FEW_TRIES {
                return None;
            }
        }
        let endpoints = self.options.endpoints.len() as u64;
        let first = self.beginning && self.tries / endpoints == 0;
        let round = (self.tries / endpoints).saturating_sub(u64::from(self.beginning));
        if !first && self.options.reconnect.rounds.is_some_and(|rounds| round >= rounds) {
            return None;
        }
        let starts_round = self.tries % endpoints == 0;
        self.tries += 1;
        if first || !starts_round {
            return Some(0);
        }
        let shortest = millis(self.options.reconnect.first);
        let longest = millis(self.options.reconnect.longest);
        let wait = if advice.is_slow() && !told || round > 30 {
            longest
        } else {
            longest.min(shortest.saturating_mul(1 << round))
        };
        let share = 1.0 - self.options.reconnect.jitter * self.next_random();
        Some((wait as f64 * share) as u64)
    }

    /// Milliseconds before the next try of an endpoint whose relay has told a time.
    fn told_wait(&mut self, told: u64) -> u64 {
        let longest = millis(self.options.reconnect.longest);
        let share = self.options.reconnect.jitter * self.next_random();
        if told > longest {
            (longest as f64 * (1.0 - share)) as u64
        } else {
            longest.min((told as f64 * (1.0 + share)) as u64)
        }
    }

    /// Takes note of input: after a while with input the count of tries starts anew.
    fn take_alive(&mut self) {
        if !std::mem::take(&mut self.alive) {
            return;
        }
        self.progressed = true;
        let longest = millis(self.options.reconnect.longest);
        if !self.steady && self.now - self.welcomed_at >= longest.min(LONGEST_STEADY_MS) {
            self.steady = true;
            self.short_lived = 0;
            self.beginning = false;
            self.tries = 0;
            self.hopes = 0;
        }
    }

    pub(crate) fn connecting(&mut self) {
        self.state = State::Connecting;
        self.farewell.clear();
    }

    /// The connection is made: HELLO is next, or the plain stream. `secret`: others cannot listen.
    pub(crate) fn connected(&mut self, secret: bool) -> Result<(), Failure> {
        self.start = 0;
        self.end = 0;
        self.skip = 0;
        self.out.clear();
        self.pong = None;
        self.told = None;
        self.leaving = false;
        self.broken = false;
        if self.options.plain {
            self.welcomed();
            self.events.push(Event::Connected {
                endpoint: self.endpoint().to_owned(),
                welcome: None,
                anew: None,
            });
            return Ok(());
        }
        if self.token.is_some() && !secret {
            let text = format!(
                "the token would go to {} in the clear: use TLS or a Unix socket",
                self.endpoint()
            );
            return Err(Failure::new(Advice::Stop, 0, text));
        }
        self.state = State::Greeting;
        self.deadline = self.now + millis(self.options.handshake_timeout);
        Ok(())
    }

    fn welcomed(&mut self) {
        self.state = State::Open;
        self.silent_since = self.now;
        self.welcomed_at = self.now;
        if self.beginning {
            self.beginning = false;
            self.tries = 0;
        }
        self.ever_welcomed = true;
    }

    /// HELLO of this client; interval 0: none.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn put_hello(
        &mut self,
        start: u8,
        policy: u8,
        interval_ms: u32,
        features: u32,
        epoch: i64,
        number: i64,
        types: &[(i32, i32)],
        producer: Option<&[u8; 16]>,
    ) {
        let options = &self.options;
        let mut features = features;
        if self.token.is_some() {
            features |= wire::TOKEN;
        }
        if options.level != Level::Stream {
            features |= wire::LEVELS;
        }
        if interval_ms > 0 {
            features |= wire::INTERVAL;
        }
        let heartbeat = options.heartbeat.map_or(0, |time| time.as_millis() as u32);
        let role = if self.publisher { 2 } else { 1 };
        wire::put_control(&mut self.out, wire::HELLO, |out| {
            out.extend_from_slice(&[0, 1, 0, 1, role, policy, start, 0]);
            out.extend_from_slice(&features.to_be_bytes());
            out.extend_from_slice(&heartbeat.to_be_bytes());
            out.extend_from_slice(&epoch.to_be_bytes());
            out.extend_from_slice(&number.to_be_bytes());
            out.extend_from_slice(&(types.len() as u16).to_be_bytes());
            out.extend_from_slice(&[0; 6]);
            put_ranges(out, types);
            put_string(out, &options.name);
            if producer.is_some() || features & (wire::TOKEN | wire::LEVELS | wire::INTERVAL) != 0 {
                out.extend_from_slice(producer.unwrap_or(&[0; 16]));
            }
            if let Some(token) = &self.token {
                put_string(out, token);
            }
            if features & wire::LEVELS != 0 {
                out.push(options.level as u8);
            }
            if interval_ms > 0 {
                out.extend_from_slice(&interval_ms.to_be_bytes());
            }
        });
    }

    /// Ends the connection or the try, and decides what is next.
    pub(crate) fn failed(&mut self, failure: Failure, may_speak: bool) {
        self.take_alive();
        if failure.is_fault && may_speak && !self.options.plain && self.is_connected() && self.out.is_empty() {
            let mut length = failure.text.len().min(MAX_TEXT);
            while !failure.text.is_char_boundary(length) {
                length -= 1;
            }
            let Failure { code, text, .. } = &failure;
            wire::put_control(&mut self.farewell, wire::ERROR, |out| {
                out.extend_from_slice(&code.to_be_bytes());
                out.extend_from_slice(&text.as_bytes()[..length]);
            });
        }
        let advice = failure.advice;
        let mut text = failure.text;
        if !failure.no_welcome {
            self.unanswered = 0;
        } else if !self.ever_welcomed {
            self.unanswered += 1;
            if self.unanswered >= UNANSWERED {
                text += &format!(
                    "; {} tries in a row ended so: it may be a relay that knows no HELLO. The option plain is for it",
                    self.unanswered
                );
            }
        }
        self.short_lived = if self.progressed && !self.steady {
            self.short_lived + 1
        } else {
            0
        };
        let told = self.told.take();
        if let Some(told) = told {
            self.not_before[self.index] = self.now + self.told_wait(told);
        }
        let next_one = !self.progressed
            || self.short_lived > 1
            || self.leaves_endpoint
            || advice != Advice::Again
            || failure.code == SHUTDOWN;
        if next_one {
            self.index = (self.index + 1) % self.options.endpoints.len();
        }
        self.progressed = false;
        self.steady = false;
        self.leaves_endpoint = false;
        self.start = 0;
        self.end = 0;
        self.skip = 0;
        let wait = if self.closing {
            None
        } else {
            self.next_wait(advice, told.is_some())
        };
        // A publisher's close tells of an end behind its last message, unless it stands for a fault.
        let is_told = self.closing && (failure.code == 0 || (!self.options.plain && advice != Advice::Stop));
        self.error = advice.error(failure.code, text);
        match wait {
            Some(wait) => {
                self.state = State::Idle;
                self.due = self.not_before[self.index].max(self.now + wait);
                self.events.push(Event::Lost(self.error.clone()));
            }
            None => {
                self.state = State::Ended;
                if !is_told {
                    self.events.push(Event::GaveUp(self.error.clone()));
                }
            }
        }
    }

    // ---- Input ----

    /// Room for a read, so that the frame that has begun fits.
    pub(crate) fn room(&mut self) -> &mut [u8] {
        let kept = self.end - self.start;
        if self.start > 0 {
            let needed = if kept < HEADER {
                HEADER
            } else {
                HEADER + wire::get32(&self.inbox, self.start + 4).max(0) as usize
            };
            if kept <= MOST_MOVED || self.inbox.len() - self.start < needed {
                self.inbox.copy_within(self.start..self.end, 0);
                self.start = 0;
                self.end = kept;
            }
        }
        let end = self.inbox.len().min(self.end + self.read_size);
        &mut self.inbox[self.end..end]
    }

    /// Takes note of a read of `n` bytes into [`Link::room`].
    pub(crate) fn read(&mut self, n: usize) {
        self.end += n;
        if self.state == State::Open {
            self.silent_since = self.now;
        }
        self.take_alive();
    }

    /// The reason of the stream's end.
    pub(crate) fn end_of_stream(&self) -> Failure {
        let within = self.end > self.start || self.skip > 0;
        let no_welcome = self.state == State::Greeting;
        Failure {
            no_welcome,
            ..Failure::new(
                Advice::Again,
                0,
                format!(
                    "{} closed the connection{}{}",
                    self.endpoint(),
                    if within { " within a frame" } else { "" },
                    if no_welcome { " before WELCOME" } else { "" }
                ),
            )
        }
    }

    /// Takes note of a failed write: what the relay has said before is still to be read.
    pub(crate) fn write_failed(&mut self) {
        if !self.broken {
            self.broken = true;
            self.deadline = self.now + LINGER_MS;
        }
    }

    /// When [`Link::late`] may fail; `None`: never.
    pub(crate) fn until(&self) -> Option<u64> {
        match self.state {
            State::Greeting => Some(self.deadline),
            State::Open if self.options.plain => self.broken.then_some(self.deadline),
            State::Open => {
                let silence = self.silent_since + self.patience;
                Some(if self.broken {
                    silence.min(self.deadline)
                } else {
                    silence
                })
            }
            _ => None,
        }
    }

    /// Whether the connection would end now because nothing was read for too long.
    pub(crate) fn is_silent(&self) -> bool {
        self.state == State::Open && !self.options.plain && self.now >= self.silent_since + self.patience
    }

    /// The relay has sent something, which is not read yet.
    pub(crate) fn heard(&mut self) {
        self.silent_since = self.now;
    }

    /// Why the connection ends now: the relay has been silent for too long.
    pub(crate) fn late(&self) -> Result<(), Failure> {
        if !self.until().is_some_and(|until| self.now >= until) {
            return Ok(());
        }
        let endpoint = self.endpoint();
        Err(if self.broken {
            Failure::new(Advice::Again, 0, format!("connection to {endpoint} lost"))
        } else if self.state == State::Greeting {
            let time = self.options.handshake_timeout;
            Failure::new(Advice::Again, 16, format!("no WELCOME from {endpoint} within {time:?}"))
        } else {
            let time = self.patience;
            Failure::new(
                Advice::Again,
                17,
                format!("nothing was heard of {endpoint} for {time} ms"),
            )
        })
    }

    /// The next whole frame; messages that nobody wants are skipped.
    pub(crate) fn next_frame(&mut self) -> Result<Option<Frame>, Failure> {
        while self.is_connected() {
            let there = self.end - self.start;
            if self.skip > 0 {
                let n = there.min(self.skip);
                self.start += n;
                self.skip -= n;
                if self.skip > 0 {
                    return Ok(None);
                }
                continue;
            }
            if there < HEADER {
                return Ok(None);
            }
            let message_type = wire::get32(&self.inbox, self.start);
            let length = wire::get32(&self.inbox, self.start + 4);
            let control = wire::is_reserved(message_type);
            let most = if control { MAX_CONTROL } else { self.options.max_body };
            let Ok(length) = usize::try_from(length) else {
                return Err(Failure::fault(4, format!("a frame announces {length} bytes")));
            };
            if length > most {
                return Err(Failure::fault(
                    5,
                    format!("a frame of type {message_type} announces {length} bytes, the limit is {most}"),
                ));
            }
            if !control && self.publisher && self.state == State::Open && !self.options.plain {
                return Err(Failure::fault(
                    15,
                    format!("a message of type {message_type} on the publish port"),
                ));
            }
            if !control && (self.publisher || self.state != State::Open) {
                self.skip = HEADER + length;
                continue;
            }
            if there < HEADER + length {
                return Ok(None);
            }
            let start = self.start + HEADER;
            self.start = start + length;
            return Ok(Some(Frame {
                message_type,
                start,
                length,
            }));
        }
        Ok(None)
    }

    /// The next frame where it is a whole message that the user may have; otherwise nothing has changed. This is
    /// [`Link::next_frame`] without the errors, whose size costs more than all the rest.
    #[inline]
    pub(crate) fn next_message(&mut self) -> Option<Frame> {
        let start = self.start + HEADER;
        if start > self.end {
            return None;
        }
        let message_type = wire::get32(&self.inbox, self.start);
        let length = usize::try_from(wire::get32(&self.inbox, self.start + 4)).ok()?;
        if self.state != State::Open
            || self.skip > 0
            || wire::is_reserved(message_type)
            || length > self.options.max_body
            || length > self.end - start
        {
            return None;
        }
        self.start = start + length;
        Some(Frame {
            message_type,
            start,
            length,
        })
    }

    pub(crate) fn body(&self, frame: Frame) -> &[u8] {
        &self.inbox[frame.start..frame.start + frame.length]
    }

    /// Takes a control frame, as far as it is the same for both roles.
    pub(crate) fn control(&mut self, frame: Frame) -> Result<Control, Failure> {
        let control = frame.message_type as u8;
        let body = &self.inbox[frame.start..frame.start + frame.length];
        if control == wire::ERROR {
            let code = if body.len() < 2 { 0 } else { wire::get16(body, 0) };
            let text = wire::clean_text(body.get(2..).unwrap_or_default());
            let colon = if text.is_empty() { "" } else { ": " };
            // A token that is read for each connection may be another one by then.
            let renewable = self.options.token.as_ref().is_some_and(Token::may_change);
            let advice = if code == NOT_AUTHENTICATED && renewable {
                Advice::Again
            } else {
                Advice::of(code)
            };
            let mut text = format!("{} ({code}){colon}{text}", code_name(code));
            if code == MALFORMED_CONTROL && self.state == State::Greeting && !self.newer.is_empty() {
                text = format!("this relay is older than {}: {text}", self.newer);
            }
            return Err(Failure::new(advice, code, text));
        }
        if control == wire::RETRY_AFTER {
            self.told = Some(wire::decode_retry_after(body)?);
            return Ok(Control::Done);
        }
        if control >= wire::MUST_UNDERSTAND {
            return Err(Failure::fault(
                13,
                format!("the control frame 0x800000{control:02X} must be understood"),
            ));
        }
        if self.options.plain || control == 0 || control > wire::SUBSCRIBED {
            return Ok(Control::Done);
        }
        match control {
            wire::WELCOME if self.state == State::Open => Err(unexpected(control, "for the second time")),
            wire::WELCOME => {
                let welcome = Welcome::decode(body)?;
                self.welcome(&welcome)?;
                Ok(Control::Welcome(welcome))
            }
            wire::HELLO | wire::SUBSCRIBE => Err(unexpected(control, "is for clients to send")),
            _ if self.state != State::Open => Err(unexpected(control, "before WELCOME")),
            wire::PONG => wire::decode_pong(body).map(Control::Pong),
            wire::PING => {
                self.pong = Some(wire::decode_ping(body)?.id);
                self.alive = true;
                Ok(Control::Other(control))
            }
            wire::GOAWAY => {
                let (code, closes_in_ms) = wire::decode_goaway(body)?;
                self.leaving = true;
                self.leaves_endpoint = code != TLS_KEY_USED_UP;
                self.events.push(Event::GoingAway { code, closes_in_ms });
                Ok(Control::Done)
            }
            _ => Ok(Control::Other(control)),
        }
    }

    fn welcome(&mut self, welcome: &Welcome) -> Result<(), Failure> {
        if welcome.version != 1 {
            return Err(Failure::fault(
                13,
                format!("WELCOME chooses version {}, only 1 was offered", welcome.version),
            ));
        }
        if self.options.level != Level::Stream && !welcome.grants(wire::LEVELS) {
            let text = format!("the relay at {} grants no levels: it has no journal", self.endpoint());
            return Err(Failure::new(Advice::Stop, 0, text));
        }
        Ok(())
    }

    /// Where the relay does not know the client's epoch, such as with an older backup, and both know an older one: gives up
    /// the connection, for another one at once in that epoch. It is no try, and none for the user. Returns the epoch, and
    /// the first sequence that is not the same in both.
    pub(crate) fn retreat(&mut self, welcome: &Welcome) -> Option<(i64, i64)> {
        if !welcome.epoch_changed() || welcome.rolled_back() {
            return None;
        }
        let (common, changed) = self.lives.in_common(&welcome.lives)?;
        self.lives.0.drain(..common);
        self.ask_again();
        Some((self.lives.0[0].0, changed))
    }

    /// Gives up the connection, for another one at once whose HELLO asks for something else.
    pub(crate) fn ask_again(&mut self) {
        self.start = 0;
        self.end = 0;
        self.skip = 0;
        self.farewell.clear();
        self.state = State::Idle;
        self.due = self.now;
    }

    /// Takes note that the role accepts the WELCOME. Returns what is told of it.
    #[must_use]
    pub(crate) fn accept(&mut self, welcome: &Welcome, anew: Option<bool>) -> Event {
        self.welcomed();
        self.lives = welcome.lives.clone();
        self.patience = welcome.idle_ms;
        self.heartbeat = welcome.heartbeat_ms;
        self.pong_at = self.now;
        Event::Connected {
            endpoint: self.endpoint().to_owned(),
            welcome: Some(Box::new(welcome.clone())),
            anew,
        }
    }

    // ---- The client's certificate ----

    pub(crate) fn is_certificate_due(&self) -> bool {
        self.certificate_due.is_some_and(|due| self.now >= due)
    }

    /// Takes a look at this client's certificate, if it has one: its end, in seconds from 1970, and the seconds until then.
    pub(crate) fn look_at_certificate(&mut self, certificate: Option<(u64, i64)>) {
        self.certificate_due = None;
        let Some((end, left)) = certificate else {
            return;
        };
        if self.certificate.0 != end {
            self.certificate = (end, i64::MAX);
        }
        let days = (left + DAY_S - 1).div_euclid(DAY_S);
        for step in CERTIFICATE_STEPS {
            if days > step {
                self.certificate_due = Some(self.now + 1000 * (left - step * DAY_S) as u64);
            } else if step < self.certificate.1 {
                self.certificate.1 = step;
                self.events.push(Event::Certificate { days });
            }
        }
    }

    // ---- Output ----

    /// Control frames that wait to be written, between two messages.
    pub(crate) fn output(&mut self) -> &[u8] {
        if self.broken {
            return &[];
        }
        if self.out.is_empty() {
            // Of several PINGs the last one is answered: what waits stays bounded.
            if let Some(id) = self.pong.take() {
                self.pong_at = self.now;
                wire::put_control(&mut self.out, wire::PONG, |out| {
                    out.extend_from_slice(&id.to_be_bytes())
                });
            }
        }
        &self.out
    }

    /// Puts the PONG that no PING asks for, once a heartbeat, so that the relay does not take for idle who does not read its
    /// PINGs. Returns when the next one is due; `None`: there is no connection for it.
    pub(crate) fn unasked_pong(&mut self) -> Option<u64> {
        if self.state != State::Open || self.options.plain {
            return None;
        }
        if self.pong.is_none() && self.now >= self.pong_at + self.heartbeat {
            self.pong = Some(0);
            self.pong_at = self.now;
        }
        Some(self.pong_at + self.heartbeat)
    }

    /// A PING of this client, which has no next and head.
    pub(crate) fn put_ping(&mut self, id: i64) {
        wire::put_control(&mut self.out, wire::PING, |out| {
            out.extend_from_slice(&id.to_be_bytes());
            out.extend_from_slice(&[0; 16]);
        });
    }

    pub(crate) fn wrote(&mut self, n: usize) {
        self.out.drain(..n);
    }

    /// Whether a control frame waits to be written.
    pub(crate) fn has_control(&self) -> bool {
        !self.out.is_empty() || self.pong.is_some()
    }

    pub(crate) fn is_broken(&self) -> bool {
        self.broken
    }
}

pub(crate) fn unexpected(control: u8, when: &str) -> Failure {
    Failure::fault(15, format!("{} from the relay {when}", wire::frame_name(control)))
}

pub(crate) fn put_ranges(out: &mut Vec<u8>, ranges: &[(i32, i32)]) {
    for (from, to) in ranges {
        out.extend_from_slice(&from.to_be_bytes());
        out.extend_from_slice(&to.to_be_bytes());
    }
}

fn put_string(out: &mut Vec<u8>, text: &str) {
    debug_assert!(text.len() <= MAX_NAME);
    out.extend_from_slice(&(text.len() as u16).to_be_bytes());
    out.extend_from_slice(text.as_bytes());
}

/// A client's part behind the frames, for the I/O around it.
pub(crate) trait Role {
    fn link(&mut self) -> &mut Link;
    /// The connection is made.
    fn begin(&mut self, secret: bool) -> Result<(), Failure>;
    /// The connection, or the try to make one, has ended.
    fn fail(&mut self, failure: Failure);
    /// Bytes to write next; empty: none now.
    fn output(&mut self) -> &[u8];
    /// Takes note that the first `n` bytes of the output were written.
    fn wrote(&mut self, n: usize);
    /// When there will be output, at the latest; `None`: input or the user decide.
    fn due(&self) -> Option<u64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;
    use crate::options::Reconnect;

    fn link(reconnect: Reconnect) -> Link {
        let mut options = Connection::new(["h:1"]);
        options.reconnect = reconnect;
        Link::new(options, false, 1000, 0, 42)
    }

    #[test]
    fn waits_double_and_are_shortened_at_random() {
        let mut link = link(Reconnect::default());
        let mut expected = 100;
        for _ in 0..40 {
            let wait = link.next_wait(Advice::Again, false).unwrap();
            assert!(wait <= expected && wait >= expected / 2, "{wait} of {expected}");
            expected = (expected * 2).min(10_000);
        }
        assert!(link.next_wait(Advice::Slowly, false).unwrap() >= 5_000);
        assert_eq!(link.next_wait(Advice::Stop, false), None);
    }

    #[test]
    fn a_told_time_takes_the_place_of_the_longest_wait() {
        let exact = Reconnect {
            jitter: 0.0,
            ..Reconnect::default()
        };
        let full = || Failure::new(Advice::Slowly, 18, String::new());
        let mut link = link(exact);
        for (told, expected) in [
            (Some(300), 300),
            (Some(300), 300),
            (Some(0), 400),
            (Some(3_600_000), 10_000),
            (None, 10_000),
        ] {
            link.told = told;
            link.now = link.due;
            link.failed(full(), true);
            assert_eq!(link.due - link.now, expected);
        }
    }

    #[test]
    fn a_told_time_is_for_its_endpoint_and_gets_a_share() {
        let mut options = Connection::new(["a:1", "b:1"]);
        options.reconnect.jitter = 0.5;
        let mut link = Link::new(options, false, 1000, 0, 42);
        link.told = Some(4_000);
        link.failed(Failure::new(Advice::Again, 0, String::new()), true);
        assert_eq!((link.endpoint(), link.due), ("b:1", 0));
        link.failed(Failure::new(Advice::Again, 0, String::new()), true);
        assert!(
            link.endpoint() == "a:1" && (4_000..=6_000).contains(&link.due),
            "{}",
            link.due
        );
        for _ in 0..100 {
            assert!((9_000..=10_000).contains(&link.told_wait(9_000)));
            assert!((5_000..=10_000).contains(&link.told_wait(10_001)));
        }
    }

    #[test]
    fn days_of_a_certificate_are_told_at_its_steps() {
        const END: i64 = 1_800_000_000;
        let told = |link: &mut Link, end: i64, wall: i64| {
            link.look_at_certificate(Some((end as u64, end - wall)));
            let days = link.events.drain(..).map(|event| match event {
                Event::Certificate { days } => days,
                other => panic!("{other:?}"),
            });
            days.collect::<Vec<_>>()
        };
        let mut link = link(Reconnect::default());
        let start = END - 40 * DAY_S;
        assert_eq!(told(&mut link, END, start), []);
        for days in [30, 7, 1, 0] {
            let due = link.certificate_due.unwrap();
            link.now = due - 1000;
            let wall = start + link.now as i64 / 1000;
            assert_eq!(told(&mut link, END, wall), []);
            link.now = due;
            assert!(link.is_certificate_due());
            let wall = start + link.now as i64 / 1000;
            assert_eq!((told(&mut link, END, wall), END - wall), (vec![days], days * DAY_S));
        }
        assert_eq!(link.certificate_due, None);
        assert_eq!(told(&mut link, END, END + DAY_S), []);
        // A new one, and one that is read for the first time long after its end.
        assert_eq!(told(&mut link, END + 5 * DAY_S + 60, END), [6]);
        assert_eq!(link.certificate_due, Some(link.now + 1000 * (4 * DAY_S as u64 + 60)));
        assert_eq!(told(&mut link, END, END + 3 * DAY_S / 2), [-1]);
        link.look_at_certificate(None);
        assert_eq!(link.certificate_due, None);
    }

    /// A caller who wants no limit says so with the longest time that there is.
    #[test]
    fn times_without_end() {
        let mut options = Connection::new(["h:1"]);
        options.handshake_timeout = Duration::MAX;
        options.reconnect.first = Duration::MAX;
        options.reconnect.longest = Duration::MAX;
        let mut link = Link::new(options, false, 1000, 0, 42);
        link.now = 5_000;
        link.connected(true).unwrap();
        assert!(link.late().is_ok());
        assert!(link.until().unwrap() > 1 << 39);
        link.failed(Failure::new(Advice::Again, 0, String::new()), true);
        assert!(link.due > 1 << 38);
    }

    /// Each code of ERROR: its kind, and how often it is tried.
    #[test]
    fn codes_are_sorted() {
        let fatal = [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29];
        for code in (0..40).chain([999, 65535]) {
            let mut link = link(Reconnect {
                rounds: None,
                first: Duration::from_millis(1),
                longest: Duration::from_millis(1),
                jitter: 0.0,
            });
            let mut tries = 0;
            while link.state != State::Ended && tries < 20 {
                tries += 1;
                link.connected(true).unwrap();
                let mut frame = Vec::new();
                wire::put_control(&mut frame, wire::ERROR, |out| {
                    out.extend_from_slice(&(code as u16).to_be_bytes());
                    out.extend_from_slice(b"why");
                });
                link.room()[..frame.len()].copy_from_slice(&frame);
                link.read(frame.len());
                let frame = link.next_frame().unwrap().unwrap();
                let Err(failure) = link.control(frame) else {
                    panic!("ERROR was passed over");
                };
                link.failed(failure, true);
                assert_eq!(link.error.code(), code as u16);
                assert!(link.error.to_string().ends_with("why"));
            }
            let few = code == 0 || code == 24 || code == 31 || code > 34;
            let expected = if fatal.contains(&code) {
                1
            } else if few {
                6
            } else {
                20
            };
            assert_eq!(tries, expected, "code {code}");
            let kind = if fatal.contains(&code) {
                Kind::Fatal
            } else {
                Kind::Retry
            };
            assert_eq!(link.error.kind(), kind, "code {code}");
        }
    }
}
