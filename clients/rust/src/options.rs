//! Options of subscribers and publishers.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::error::Error;
use crate::wire::{
    is_reserved, is_string, HEADER, LAST_RESERVED, MAX_INTERVAL_MS, MAX_MAX_BODY, MAX_NAME, MAX_RANGES, MIN_INTERVAL_MS,
};
use crate::Event;

/// Is told every event but messages, within the calls or the task of the client.
pub type Hook = Box<dyn FnMut(&Event) + Send>;

/// How long the client waits before it connects again, and how often it does so. A relay that is full may tell a time:
/// its endpoint is then connected again no sooner, but after the longest wait at most.
#[derive(Debug, Clone)]
pub struct Reconnect {
    /// Rounds over the endpoints until the client gives up; `None`: for ever.
    pub rounds: Option<u64>,
    /// Wait before the first round, doubled for each one after it.
    pub first: Duration,
    /// Longest wait.
    pub longest: Duration,
    /// Random share by which a wait is shortened at most, 0 to 1.
    pub jitter: f64,
}

impl Default for Reconnect {
    fn default() -> Self {
        Reconnect {
            rounds: None,
            first: Duration::from_millis(100),
            longest: Duration::from_secs(10),
            jitter: 0.5,
        }
    }
}

/// Progress of a message in the relay; each level includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Level {
    /// In the stream.
    #[default]
    Stream,
    /// Handed to the operating system.
    Written,
    /// On the disk.
    Forced,
}

/// What happens when a subscriber reads too slowly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Policy {
    /// The relay's own.
    #[default]
    Default,
    /// The connection ends.
    Disconnect,
    /// Publishers wait.
    Backpressure,
    /// Messages are left out, and named in a gap.
    Skip,
    /// The messages come from the journal.
    Replay,
    /// The newest message of each type comes; those before it are named in a gap with the reason 4.
    Latest,
}

/// Where a subscriber's stream starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Start {
    /// With the next message.
    #[default]
    Live,
    /// With the oldest message that the relay holds.
    Earliest,
    /// With the message of this sequence, from 1, in this epoch; epoch 0: any.
    Sequence {
        /// Epoch that the sequence belongs to.
        epoch: i64,
        /// Sequence of the first message wanted.
        sequence: i64,
    },
    /// With the messages of this time, in milliseconds since 1970.
    Time(i64),
    /// With the state: of each chosen type the newest message, in the order of the stream, and a gap with the reason 4 for
    /// what lies between. At [`Event::StateComplete`] the state is whole; the stream goes on from there. Each connection
    /// begins so, with what is newer than what came before it: [`Event::Connected`] then comes in stream order, and says
    /// whether the former state is void. A message without a body says that its type has no value any more. The relay needs
    /// the option `--state`.
    State,
    /// [`Start::State`] for a program that has kept the state of the types that it chooses, which was complete: only
    /// what is newer comes.
    StateFrom {
        /// Epoch that the sequence belongs to.
        epoch: i64,
        /// Sequence of the first message wanted, such as `next` of [`Event::StateComplete`]; 0 or 1: all of the state.
        sequence: i64,
    },
}

impl Start {
    pub(crate) fn is_state(self) -> bool {
        matches!(self, Start::State | Start::StateFrom { .. })
    }
}

/// Gives a token, or says why there is none now.
pub type TokenFunction = dyn Fn() -> Result<String, Box<dyn std::error::Error + Send + Sync>> + Send + Sync;

/// The secret that proves who the client is: 1 to 255 bytes without control characters.
///
/// File and function are asked for each connection. At the open that is within the call, and without a token the open
/// fails. Later it is on a thread of their own, within the connect time-out, and without a token the try is lost; the
/// client tries again by its policy, as it does if the relay does not know the token.
#[derive(Clone)]
pub enum Token {
    /// This one.
    Text(String),
    /// What the file holds, but for a line end.
    File(PathBuf),
    /// What the function gives.
    Call(Arc<TokenFunction>),
}

impl Token {
    /// Whether it is asked for each connection, and may be another one then.
    pub(crate) fn may_change(&self) -> bool {
        !matches!(self, Token::Text(_))
    }
}

impl From<&str> for Token {
    fn from(text: &str) -> Token {
        Token::Text(text.into())
    }
}

impl From<String> for Token {
    fn from(text: String) -> Token {
        Token::Text(text)
    }
}

impl fmt::Debug for Token {
    /// Not the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Text(_) => f.write_str("Text(..)"),
            Token::File(path) => f.debug_tuple("File").field(path).finish(),
            Token::Call(_) => f.write_str("Call(..)"),
        }
    }
}

/// Files for TLS 1.3. They are read at the open, which fails if one is unreadable, and again for each connection: so they
/// may be renewed. One that is unreadable then, or a certificate that is expired or not trusted, is a lost try.
#[derive(Debug, Clone)]
pub struct TlsFiles {
    /// PEM file of the authorities that are trusted.
    pub ca: PathBuf,
    /// PEM files of the client's certificate chain and key.
    pub certificate: Option<(PathBuf, PathBuf)>,
    /// Name or address in the relay's certificate; `None`: the host of the endpoint.
    pub server_name: Option<String>,
}

/// Options of both roles.
pub struct Connection {
    /// `host:port`, `[ipv6]:port` or `unix:/path`, tried in turn.
    pub endpoints: Vec<String>,
    /// No HELLO: no numbers, no acknowledgements, nothing is resumed.
    pub plain: bool,
    /// At most 255 bytes without control characters.
    pub name: String,
    /// It goes over TLS, Unix sockets and loopback only.
    pub token: Option<Token>,
    /// 100 ms to 1 h; `None`: the relay's.
    pub heartbeat: Option<Duration>,
    /// For the connect and the handshake of TLS; 5 s.
    pub connect_timeout: Duration,
    /// From HELLO to WELCOME; 5 s.
    pub handshake_timeout: Duration,
    /// Longest body of a message, up to 64 MiB; 1 MiB.
    pub max_body: usize,
    /// Tries after a connection was lost.
    pub reconnect: Reconnect,
    /// TLS, with the feature `tls`.
    pub tls: Option<TlsFiles>,
    /// A subscriber gets only messages that have reached it; a publisher's messages count as acknowledged at it.
    pub level: Level,
    /// Is told what happens. Without one, the first failure to connect and the first success after it are told on stderr.
    pub hook: Option<Hook>,
}

impl Connection {
    /// The default options, for these endpoints.
    pub fn new<T: Into<String>>(endpoints: impl IntoIterator<Item = T>) -> Self {
        Connection {
            endpoints: endpoints.into_iter().map(Into::into).collect(),
            plain: false,
            name: String::new(),
            token: None,
            heartbeat: None,
            connect_timeout: Duration::from_secs(5),
            handshake_timeout: Duration::from_secs(5),
            max_body: 1 << 20,
            reconnect: Reconnect::default(),
            tls: None,
            level: Level::Stream,
            hook: None,
        }
    }
}

/// Options of a subscriber.
pub struct SubscriberOptions {
    /// Options of both roles.
    pub connection: Connection,
    /// Ranges of types, both ends included; none: every type.
    pub types: Vec<(i32, i32)>,
    /// Where the stream starts.
    pub start: Start,
    /// What happens when the subscriber reads too slowly.
    pub policy: Policy,
    /// 10 ms to 1 h, counted in ms, from one sending to the next: each has of every type that has changed the newest
    /// message, and a gap with the reason 4 for those that were passed over. The first one comes at once. `None`: each
    /// message comes when it is there.
    ///
    /// An interval asks for [`Policy::Latest`], and goes with no other one. The relay needs the option `--state`. It may
    /// grant a longer interval, and an older relay grants none: `interval` of [`Welcome`](crate::Welcome).
    pub interval: Option<Duration>,
    /// Size of the read buffer in bytes, 128 KiB. It is one frame of the longest body if that is larger.
    pub buffer: usize,
}

impl SubscriberOptions {
    /// The default options, for these endpoints.
    pub fn new<T: Into<String>>(endpoints: impl IntoIterator<Item = T>) -> Self {
        SubscriberOptions {
            connection: Connection::new(endpoints),
            types: Vec::new(),
            start: Start::Live,
            policy: Policy::Default,
            interval: None,
            buffer: 128 << 10,
        }
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let asks_how = self.policy != Policy::Default || self.interval.is_some();
        let plain_asks = !self.types.is_empty() || self.start != Start::Live || asks_how;
        check_connection(&self.connection, plain_asks)?;
        check_ranges(&self.types)?;
        if let Some(interval) = self.interval {
            check_interval(interval, self.policy)?;
        }
        match self.start {
            Start::Sequence { sequence: number, .. } | Start::Time(number) if number < 1 => {
                Err(Error::yours(0, format!("start {number} is under 1")))
            }
            Start::StateFrom { sequence, .. } if sequence < 0 => {
                Err(Error::yours(0, format!("start {sequence} is under 0")))
            }
            _ => Ok(()),
        }
    }
}

fn check_interval(interval: Duration, policy: Policy) -> Result<(), Error> {
    let [least, most] = [MIN_INTERVAL_MS, MAX_INTERVAL_MS].map(|ms| Duration::from_millis(ms.into()));
    if interval < least || interval > most {
        let text = format!("interval {interval:?} is not within 10 ms..1 h");
        return Err(Error::yours(0, text));
    }
    if !matches!(policy, Policy::Default | Policy::Latest) {
        let other = format!("{policy:?}").to_lowercase();
        let text = format!("interval {interval:?} needs the policy latest, not {other}");
        return Err(Error::yours(0, text));
    }
    Ok(())
}

/// The id by which the relay recognises a publisher.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Producer {
    /// Drawn for this publisher.
    #[default]
    Random,
    /// The caller's.
    Id([u8; 16]),
    /// Kept in a file: 32 hex digits and a line end. The file is written if it is not there.
    File(PathBuf),
}

/// The congestion control of a publisher's connection to this host, on Linux: to a loopback address, or to the address
/// that it comes from. Other connections and systems are left alone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum LocalCongestion {
    /// cubic, or else reno: bbr, the default of many hosts, halves what a loopback carries.
    #[default]
    Auto,
    /// The system's.
    System,
    /// This one. The open fails if the system does not give it.
    Name(String),
}

/// Options of a publisher.
pub struct PublisherOptions {
    /// Options of both roles.
    pub connection: Connection,
    /// Messages are numbered and acknowledged, and sent again over the next connection. Needs a name.
    pub acks: bool,
    /// The id by which the relay recognises this publisher.
    pub producer: Producer,
    /// Number of the first message that will be published; 0: the one after the last that the relay has.
    pub first_number: i64,
    /// Epoch of the first number; 0: any.
    pub epoch: i64,
    /// Bytes for messages that are not acknowledged, or without acknowledgements not handed to the socket yet, headers
    /// included; `None`: 1 MiB + 8, or the longest frame.
    pub buffer: Option<usize>,
    /// Longest time that close waits for the relay, as a flush does; 5 s.
    pub close_timeout: Duration,
    /// The congestion control of a connection to this host.
    pub local_congestion: LocalCongestion,
}

impl PublisherOptions {
    /// The default options, for these endpoints.
    pub fn new<T: Into<String>>(endpoints: impl IntoIterator<Item = T>) -> Self {
        PublisherOptions {
            connection: Connection::new(endpoints),
            acks: false,
            producer: Producer::Random,
            first_number: 0,
            epoch: 0,
            buffer: None,
            close_timeout: Duration::from_secs(5),
            local_congestion: LocalCongestion::Auto,
        }
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        check_connection(&self.connection, self.acks)?;
        let longest = HEADER + self.connection.max_body;
        let asks =
            self.producer != Producer::Random || self.first_number != 0 || self.connection.level != Level::Stream;
        if !self.acks && asks {
            return Err(Error::yours(
                0,
                "producer id, first number and level are for acknowledgements",
            ));
        }
        if self.acks && self.connection.name.is_empty() {
            return Err(Error::yours(0, "acknowledgements need a name"));
        }
        if self.first_number < 0 {
            return Err(Error::yours(
                0,
                format!("first number {} is negative", self.first_number),
            ));
        }
        if self.close_timeout.is_zero() {
            return Err(Error::yours(0, "close time-out 0 is not above 0"));
        }
        match self.buffer {
            Some(size) if size < longest || size > 1 << 30 => Err(Error::yours(
                0,
                format!("send buffer {size} is not within {longest}..{}", 1 << 30),
            )),
            _ => Ok(()),
        }
    }

    pub(crate) fn ring_size(&self) -> usize {
        self.buffer.unwrap_or(HEADER + self.connection.max_body.max(1 << 20))
    }
}

pub(crate) fn check_ranges(ranges: &[(i32, i32)]) -> Result<(), Error> {
    if ranges.len() > MAX_RANGES {
        return Err(Error::yours(
            0,
            format!("{} ranges of types, the limit is {MAX_RANGES}", ranges.len()),
        ));
    }
    for &(from, to) in ranges {
        if from > to {
            return Err(Error::yours(0, format!("types {from} to {to}: upside down")));
        }
        if is_reserved(from) {
            return Err(reserved(from));
        }
    }
    Ok(())
}

pub(crate) fn reserved(message_type: i32) -> Error {
    Error::yours(
        6,
        format!(
            "type {message_type} is reserved, the first one is {}",
            LAST_RESERVED + 1
        ),
    )
}

pub(crate) fn check_token(token: &str) -> Result<(), Error> {
    if token.is_empty() || token.len() > MAX_NAME || !is_string(token) {
        let text = format!(
            "the token has {} bytes, not 1 to {MAX_NAME}, or control characters",
            token.len()
        );
        return Err(Error::yours(0, text));
    }
    Ok(())
}

fn check_connection(c: &Connection, plain_asks: bool) -> Result<(), Error> {
    let yours = |text: String| Err(Error::yours(0, text));
    if c.endpoints.is_empty() {
        return yours("no endpoint".into());
    }
    for text in &c.endpoints {
        let endpoint = Endpoint::parse(text)?;
        if c.tls.is_some() && matches!(endpoint, Endpoint::Unix(_)) {
            return yours(format!("endpoint {text}: no TLS over a Unix socket"));
        }
    }
    if c.name.len() > MAX_NAME || !is_string(&c.name) {
        return yours(format!(
            "the name has {} bytes, more than {MAX_NAME}, or control characters",
            c.name.len()
        ));
    }
    if let Some(Token::Text(token)) = &c.token {
        check_token(token)?;
    }
    if let Some(heartbeat) = c.heartbeat {
        if heartbeat < Duration::from_millis(100) || heartbeat > Duration::from_secs(3600) {
            return yours(format!("heartbeat {heartbeat:?} is not within 100 ms..1 h"));
        }
    }
    if c.connect_timeout.is_zero() || c.handshake_timeout.is_zero() {
        return yours("a time-out of 0 is not above 0".into());
    }
    if c.max_body > MAX_MAX_BODY {
        return yours(format!("longest body {} is not within 0..{MAX_MAX_BODY}", c.max_body));
    }
    let again = &c.reconnect;
    if again.first.is_zero() || again.longest < again.first || !(0.0..=1.0).contains(&again.jitter) {
        return yours(format!(
            "waits from {:?} to {:?} with a jitter of {}: not above 0, not rising, or not within 0..1",
            again.first, again.longest, again.jitter
        ));
    }
    let asks = !c.name.is_empty() || c.token.is_some() || c.heartbeat.is_some() || c.level != Level::Stream;
    if c.plain && (asks || plain_asks) {
        return yours(
            "the plain mode has no name, token, types, start, policy, interval, level, heartbeat or acknowledgements"
                .into(),
        );
    }
    Ok(())
}

/// A relay's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Endpoint {
    Tcp(String, u16),
    Unix(PathBuf),
}

impl Endpoint {
    pub(crate) fn parse(text: &str) -> Result<Endpoint, Error> {
        let wrong = || {
            Err(Error::yours(
                0,
                format!("endpoint {text}: expected host:port, [ipv6]:port or unix:path, the port 1 to 65535"),
            ))
        };
        if let Some(path) = text.strip_prefix("unix:") {
            if path.is_empty() || path.len() > 107 {
                return wrong();
            }
            return Ok(Endpoint::Unix(path.into()));
        }
        let Some((host, port_text)) = text.rsplit_once(':') else {
            return wrong();
        };
        let host = match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(inner) => inner,
            None if host.contains([':', '[', ']']) => return wrong(),
            None => host,
        };
        match port_text.parse() {
            // A number may have a sign here; a port has none.
            Ok(port) if port > 0 && !host.is_empty() && !port_text.starts_with('+') => {
                Ok(Endpoint::Tcp(host.into(), port))
            }
            _ => wrong(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints() {
        assert_eq!(Endpoint::parse("h:1").unwrap(), Endpoint::Tcp("h".into(), 1));
        assert_eq!(
            Endpoint::parse("[::1]:7400").unwrap(),
            Endpoint::Tcp("::1".into(), 7400)
        );
        assert_eq!(Endpoint::parse("unix:/x").unwrap(), Endpoint::Unix("/x".into()));
        for bad in [
            "nonsense",
            "host:",
            "host:0",
            "host:65536",
            "::1:7400",
            ":7400",
            "unix:",
            "[::1:1",
            "host:+1",
        ] {
            let error = Endpoint::parse(bad).unwrap_err();
            assert_eq!(error.kind(), crate::Kind::Yours);
            assert!(error.to_string().contains(bad));
        }
    }

    #[test]
    fn refused() {
        let subscriber = |change: &dyn Fn(&mut SubscriberOptions)| {
            let mut options = SubscriberOptions::new(["h:1"]);
            change(&mut options);
            options.check().unwrap_err().to_string()
        };
        assert!(subscriber(&|o| o.connection.endpoints.clear()).contains("no endpoint"));
        assert!(subscriber(&|o| o.connection.name = "n".repeat(256)).contains("256"));
        assert!(subscriber(&|o| o.connection.name = "a\nb".into()).contains("control"));
        assert!(subscriber(&|o| o.connection.token = Some("".into())).contains("0 bytes"));
        assert!(subscriber(&|o| o.connection.heartbeat = Some(Duration::from_millis(99))).contains("99"));
        assert!(subscriber(&|o| o.connection.max_body = (64 << 20) + 1).contains("67108865"));
        assert!(subscriber(&|o| o.connection.reconnect.jitter = f64::NAN).contains("jitter"));
        assert!(subscriber(&|o| o.start = Start::Time(0)).contains("start 0"));
        let kept = |sequence| Start::StateFrom { epoch: 7, sequence };
        assert!(subscriber(&|o| o.start = kept(-1)).contains("start -1"));
        for ms in [0, 9, 3_600_001] {
            let interval = Duration::from_millis(ms);
            let text = subscriber(&|o| o.interval = Some(interval));
            assert_eq!(text, format!("interval {interval:?} is not within 10 ms..1 h"));
        }
        assert_eq!(
            subscriber(&|o| (o.interval, o.policy) = (Some(Duration::from_secs(1)), Policy::Skip)),
            "interval 1s needs the policy latest, not skip"
        );
        assert!(subscriber(&|o| {
            o.connection.plain = true;
            o.interval = Some(Duration::from_secs(1));
        })
        .contains("plain"));
        assert!(subscriber(&|o| o.types = vec![(2, 1)]).contains("upside down"));
        assert!(subscriber(&|o| o.types = vec![(i32::MIN, 1)]).contains("reserved"));
        assert!(subscriber(&|o| o.types = vec![(1, 1); 1025]).contains("1025"));
        let publisher = |change: &dyn Fn(&mut PublisherOptions)| {
            let mut options = PublisherOptions::new(["h:1"]);
            change(&mut options);
            options.check().unwrap_err().to_string()
        };
        assert!(publisher(&|o| o.acks = true).contains("need a name"));
        assert!(publisher(&|o| o.first_number = 1).contains("first number"));
        assert!(publisher(&|o| o.buffer = Some(100)).contains("100"));
        assert!(publisher(&|o| {
            o.connection.plain = true;
            o.connection.name = "x".into();
        })
        .contains("plain"));
    }
}
