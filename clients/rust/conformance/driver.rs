//! The driver of the conformance kit: see `clients/conformance/README.md`.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{BufRead, Write as _};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use msgrelay::{
    Connection, Error, Event, Item, Kind, Level, LocalCongestion, Policy, Producer, Publisher, PublisherOptions,
    Reconnect, Start, Subscriber, SubscriberOptions, TlsFiles,
};
use tokio::sync::mpsc::{unbounded_channel, UnboundedReceiver};

/// JSON, as much of it as the kit sends. Numbers stay text.
#[derive(Debug, Clone)]
enum Json {
    Text(String),
    Other(String),
    Array(Vec<Json>),
    Object(HashMap<String, Json>),
}

struct Parser<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
}

impl Parser<'_> {
    fn parse(line: &str) -> Json {
        Parser {
            rest: line.chars().peekable(),
        }
        .value()
    }

    fn skip(&mut self, these: &str) {
        while self.rest.next_if(|c| c.is_whitespace() || these.contains(*c)).is_some() {}
    }

    fn value(&mut self) -> Json {
        self.skip("");
        match self.rest.peek() {
            Some('"') => Json::Text(self.text()),
            Some('{') => {
                self.rest.next();
                let mut fields = HashMap::new();
                self.skip(",");
                while self.rest.peek() == Some(&'"') {
                    let name = self.text();
                    self.skip(":");
                    fields.insert(name, self.value());
                    self.skip(",");
                }
                self.rest.next();
                Json::Object(fields)
            }
            Some('[') => {
                self.rest.next();
                let mut all = Vec::new();
                self.skip(",");
                while !matches!(self.rest.peek(), Some(']') | None) {
                    all.push(self.value());
                    self.skip(",");
                }
                self.rest.next();
                Json::Array(all)
            }
            _ => {
                let mut word = String::new();
                while let Some(c) = self.rest.next_if(|c| !",]} ".contains(*c)) {
                    word.push(c);
                }
                Json::Other(word)
            }
        }
    }

    fn hex4(&mut self) -> u32 {
        let digits: String = self.rest.by_ref().take(4).collect();
        u32::from_str_radix(&digits, 16).unwrap_or(0)
    }

    fn text(&mut self) -> String {
        self.rest.next();
        let mut text = String::new();
        while let Some(c) = self.rest.next() {
            match c {
                '"' => break,
                '\\' => match self.rest.next() {
                    Some('n') => text.push('\n'),
                    Some('r') => text.push('\r'),
                    Some('t') => text.push('\t'),
                    Some('b') => text.push('\u{8}'),
                    Some('f') => text.push('\u{c}'),
                    Some('u') => {
                        let mut value = self.hex4();
                        if (0xD800..0xDC00).contains(&value) {
                            self.rest.next();
                            self.rest.next();
                            value = 0x10000 + ((value - 0xD800) << 10) + (self.hex4().wrapping_sub(0xDC00) & 0x3FF);
                        }
                        text.push(char::from_u32(value).unwrap_or('?'));
                    }
                    Some(c) => text.push(c),
                    None => break,
                },
                c => text.push(c),
            }
        }
        text
    }
}

impl Json {
    fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(fields) => fields.get(name),
            _ => None,
        }
    }

    fn string(&self, name: &str) -> Option<String> {
        match self.get(name) {
            Some(Json::Text(text) | Json::Other(text)) => Some(text.clone()),
            _ => None,
        }
    }

    fn number(&self, name: &str) -> Option<i64> {
        self.string(name)?.parse().ok()
    }

    fn millis(&self, name: &str, absent: Duration) -> Duration {
        self.number(name)
            .map_or(absent, |ms| Duration::from_millis(ms.max(0) as u64))
    }

    fn flag(&self, name: &str) -> bool {
        self.string(name).as_deref() == Some("true")
    }

    fn array(&self) -> &[Json] {
        match self {
            Json::Array(all) => all,
            _ => &[],
        }
    }

    fn ranges(&self, name: &str) -> Vec<(i32, i32)> {
        let bound = |pair: &Json, i: usize| match pair.array().get(i) {
            Some(Json::Other(word)) => word.parse().unwrap_or(0),
            _ => 0,
        };
        let all = self.get(name).map_or(&[][..], Json::array);
        all.iter().map(|pair| (bound(pair, 0), bound(pair, 1))).collect()
    }
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn encode_base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |i: usize| u32::from(*chunk.get(i).unwrap_or(&0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * i) & 0x3F) as usize];
            text.push(if i <= chunk.len() { digit.into() } else { '=' });
        }
    }
    text
}

fn decode_base64(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (mut word, mut bits) = (0u32, 0);
    for c in text.bytes().take_while(|c| *c != b'=') {
        let digit = DIGITS.iter().position(|d| *d == c).unwrap_or(0);
        word = word << 6 | digit as u32;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((word >> bits) as u8);
        }
    }
    bytes
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

type Out = Arc<Mutex<std::io::Stdout>>;

fn say(out: &Out, line: &str) {
    let mut out = out.lock().expect("no other panic");
    let written = writeln!(out, "{line}").and_then(|()| out.flush());
    if written.is_err() {
        std::process::exit(0);
    }
}

fn error_line(error: &Error, command: Option<&str>) -> String {
    let kind = match error.kind() {
        Kind::Retry => "retry",
        Kind::Fatal => "fatal",
        Kind::Yours => "yours",
    };
    let mut line = format!(
        r#"{{"event":"error","kind":"{kind}","code":{},"text":{}"#,
        error.code(),
        quoted(&error.to_string())
    );
    if let Some(command) = command {
        let _ = write!(line, r#","command":"{command}""#);
    }
    line + "}"
}

fn event_line(event: &Event, subscriber: bool) -> String {
    match event {
        Event::Gap { from, to, reason } => {
            format!(r#"{{"event":"gap","from":"{from}","to":"{to}","reason":{reason}}}"#)
        }
        Event::StreamChanged { lost_from } if subscriber => {
            format!(r#"{{"event":"stream_changed","lost_from":"{lost_from}"}}"#)
        }
        Event::StreamChanged { .. } => r#"{"event":"stream_changed"}"#.into(),
        Event::RolledBack { from, to } => format!(r#"{{"event":"rolled_back","from":"{from}","to":"{to}"}}"#),
        Event::Missed => r#"{"event":"missed"}"#.into(),
        Event::Types { sequence, .. } => format!(r#"{{"event":"types","sequence":"{sequence}"}}"#),
        Event::TypesRefused { .. } => {
            r#"{"event":"error","kind":"yours","code":0,"text":"more ranges than the relay takes","command":"types"}"#
                .into()
        }
        Event::Connected {
            endpoint,
            welcome: None,
            ..
        } => format!(
            r#"{{"event":"connected","endpoint":{},"plain":true}}"#,
            quoted(endpoint)
        ),
        Event::Connected {
            endpoint,
            welcome: Some(w),
            anew,
        } => {
            let policy = ["default", "disconnect", "backpressure", "skip", "replay", "latest"][usize::from(w.policy)];
            let mut line = format!(
                r#"{{"event":"connected","endpoint":{},"plain":false,"epoch":"{}","next":"{}","accepted":"{}","policy":"{policy}","server":{}"#,
                quoted(endpoint),
                w.epoch,
                w.next,
                w.accepted,
                quoted(&w.server)
            );
            if let Some(peer) = &w.peer {
                let (address, identity) = (quoted(&peer.address), quoted(&peer.identity));
                let _ = write!(line, r#","address":{address},"identity":{identity}"#);
            }
            if let Some(interval) = w.interval {
                let _ = write!(line, r#","interval_ms":{}"#, interval.as_millis());
            }
            if let Some(anew) = anew {
                let _ = write!(line, r#","anew":{anew}"#);
            }
            line + "}"
        }
        Event::StateComplete { next } => format!(r#"{{"event":"state_complete","next":"{next}"}}"#),
        Event::StateLate => r#"{"event":"state_late"}"#.into(),
        Event::Certificate { days } => format!(r#"{{"event":"certificate","days":{days}}}"#),
        Event::Lost(error) => format!(
            r#"{{"event":"lost","code":{},"text":{}}}"#,
            error.code(),
            quoted(&error.to_string())
        ),
        Event::GoingAway { code, closes_in_ms } => {
            format!(r#"{{"event":"going_away","code":{code},"closes_in_ms":{closes_in_ms}}}"#)
        }
        Event::Acked { number, sequence } => format!(
            r#"{{"event":"acked","number":"{number}","sequence":"{}"}}"#,
            sequence.unwrap_or(0)
        ),
        Event::InDoubt { messages } => format!(r#"{{"event":"in_doubt","messages":"{messages}"}}"#),
        Event::GaveUp(error) => error_line(error, None),
        other => format!(r#"{{"event":"unknown","text":{}}}"#, quoted(&format!("{other:?}"))),
    }
}

fn connection(command: &Json, out: &Out, subscriber: bool) -> Connection {
    let endpoints = command.get("endpoints").map_or(&[][..], Json::array);
    let mut c = Connection::new(endpoints.iter().map(|one| match one {
        Json::Text(text) => text.clone(),
        _ => String::new(),
    }));
    c.plain = command.flag("plain");
    c.name = command.string("name").unwrap_or_default();
    c.token = command.string("token").map(Into::into);
    c.heartbeat = command
        .number("heartbeat_ms")
        .map(|ms| Duration::from_millis(ms.max(0) as u64));
    c.connect_timeout = command.millis("connect_timeout_ms", c.connect_timeout);
    c.handshake_timeout = command.millis("handshake_timeout_ms", c.handshake_timeout);
    c.max_body = command.number("max_body").map_or(c.max_body, |n| n as usize);
    c.level = match command.string("level").as_deref() {
        Some("written") => Level::Written,
        Some("forced") => Level::Forced,
        _ => Level::Stream,
    };
    if let Some(how) = command.get("reconnect") {
        let jitter = how.string("jitter").and_then(|text| text.parse().ok());
        c.reconnect = Reconnect {
            rounds: how.number("rounds").and_then(|rounds| u64::try_from(rounds).ok()),
            first: how.millis("first_ms", c.reconnect.first),
            longest: how.millis("longest_ms", c.reconnect.longest),
            jitter: jitter.unwrap_or(0.5),
        };
    }
    c.tls = command.get("tls").map(|files| TlsFiles {
        ca: files.string("ca").unwrap_or_default().into(),
        certificate: files
            .string("certificate")
            .map(|certificate| (certificate.into(), files.string("key").unwrap_or_default().into())),
        server_name: files.string("server_name"),
    });
    let out = out.clone();
    c.hook = Some(Box::new(move |event| {
        let in_order = matches!(
            event,
            Event::Gap { .. }
                | Event::StreamChanged { .. }
                | Event::RolledBack { .. }
                | Event::Missed
                | Event::Types { .. }
                | Event::TypesRefused { .. }
                | Event::Connected { anew: Some(_), .. }
                | Event::StateComplete { .. }
                | Event::StateLate
        );
        // What comes in stream order is told as the subscriber returns it.
        if !(subscriber && in_order) {
            say(&out, &event_line(event, subscriber));
        }
    }));
    c
}

fn subscriber(command: &Json, out: &Out) -> Result<Subscriber, Error> {
    let mut options = SubscriberOptions::new([""]);
    options.connection = connection(command, out, true);
    options.types = command.ranges("types");
    options.start = match command.string("start").as_deref() {
        Some("earliest") => Start::Earliest,
        Some("time") => Start::Time(command.number("time_ms").unwrap_or(0)),
        Some("sequence") => Start::Sequence {
            epoch: command.number("epoch").unwrap_or(0),
            sequence: command.number("sequence").unwrap_or(0),
        },
        Some("state") if command.get("sequence").is_none() => Start::State,
        Some("state") => Start::StateFrom {
            epoch: command.number("epoch").unwrap_or(0),
            sequence: command.number("sequence").unwrap_or(0),
        },
        _ => Start::Live,
    };
    options.policy = match command.string("policy").as_deref() {
        Some("disconnect") => Policy::Disconnect,
        Some("backpressure") => Policy::Backpressure,
        Some("skip") => Policy::Skip,
        Some("replay") => Policy::Replay,
        Some("latest") => Policy::Latest,
        _ => Policy::Default,
    };
    options.interval = command
        .number("interval_ms")
        .map(|ms| Duration::from_millis(ms.max(0) as u64));
    options.buffer = command.number("buffer").map_or(options.buffer, |n| n as usize);
    Subscriber::open(options)
}

fn publisher(command: &Json, out: &Out) -> Result<Publisher, Error> {
    let mut options = PublisherOptions::new([""]);
    options.connection = connection(command, out, false);
    options.acks = command.flag("acks");
    if let Some(id) = command.string("producer") {
        options.producer = Producer::parse(&id)?;
    }
    if let Some(path) = command.string("producer_file") {
        options.producer = Producer::File(path.into());
    }
    options.first_number = command.number("first_number").unwrap_or(0);
    options.epoch = command.number("epoch").unwrap_or(0);
    options.buffer = command.number("buffer").map(|n| n as usize);
    options.close_timeout = command.millis("close_timeout_ms", options.close_timeout);
    options.local_congestion = match command.string("local_congestion").as_deref() {
        None | Some("auto") => LocalCongestion::Auto,
        Some("system") => LocalCongestion::System,
        Some(name) => LocalCongestion::Name(name.into()),
    };
    Publisher::open(options)
}

async fn publish(publisher: &Publisher, command: &Json, out: &Out) {
    let mut body = decode_base64(&command.string("body").unwrap_or_default());
    let count = command.number("count").unwrap_or(1);
    let wait = command.millis("wait_ms", Duration::from_secs(60));
    let message_type = command.number("type").unwrap_or(0) as i32;
    let mut taken = 0;
    while taken < count {
        if command.flag("stamp") {
            body[..8].copy_from_slice(&taken.to_be_bytes());
        }
        let done = match publisher.try_publish(message_type, &body) {
            Ok(true) => Ok(()),
            Ok(false) => match tokio::time::timeout(wait, publisher.publish(message_type, &body)).await {
                Ok(done) => done,
                Err(_) => break,
            },
            Err(error) => Err(error),
        };
        if let Err(error) = done {
            say(out, &error_line(&error, Some("publish")));
            return;
        }
        taken += 1;
    }
    say(
        out,
        &format!(r#"{{"event":"published","taken":{taken},"full":{}}}"#, taken < count),
    );
}

fn tell_item(out: &Out, item: &Item<'_>) {
    match item {
        Item::Message(message) => say(
            out,
            &format!(
                r#"{{"event":"message","sequence":"{}","type":{},"body":"{}"}}"#,
                message.sequence.unwrap_or(0),
                message.message_type,
                encode_base64(&message.body)
            ),
        ),
        Item::Event(event) => say(out, &event_line(event, true)),
    }
}

/// Obeys until the commands end.
async fn serve(mut commands: UnboundedReceiver<String>, out: Out) {
    let mut reads: Option<Subscriber> = None;
    let mut writes: Option<Publisher> = None;
    let mut paused = false;
    let mut ended = false;
    loop {
        let next = async {
            match &mut reads {
                Some(subscriber) if !ended => {
                    if paused {
                        match subscriber.keep_alive().await {}
                    }
                    subscriber.next().await
                }
                _ => std::future::pending().await,
            }
        };
        let line = tokio::select! {
            biased;
            line = commands.recv() => line,
            item = next => {
                match item {
                    Ok(item) => tell_item(&out, &item),
                    // Told by the event that it gave up.
                    Err(_) => ended = true,
                }
                continue;
            }
        };
        let Some(line) = line else {
            return;
        };
        let command = Parser::parse(&line);
        let name = command.string("command").unwrap_or_default();
        match name.as_str() {
            "open" => {
                paused = false;
                ended = false;
                let opened = if command.string("role").as_deref() == Some("subscriber") {
                    subscriber(&command, &out).map(|it| reads = Some(it))
                } else {
                    publisher(&command, &out).map(|it| writes = Some(it))
                };
                match opened {
                    Ok(()) => say(&out, r#"{"event":"opened"}"#),
                    Err(error) => say(&out, &error_line(&error, Some("open"))),
                }
            }
            "publish" => {
                if let Some(publisher) = &writes {
                    publish(publisher, &command, &out).await;
                }
            }
            "types" => {
                if let Some(Err(error)) = reads.as_mut().map(|it| it.types(command.ranges("ranges"))) {
                    say(&out, &error_line(&error, Some("types")));
                }
            }
            "flush" => {
                let wait = command.millis("wait_ms", Duration::from_secs(60));
                let settled = match &writes {
                    Some(publisher) => publisher.flush(wait).await.is_ok(),
                    None => false,
                };
                say(&out, &format!(r#"{{"event":"flushed","settled":{settled}}}"#));
            }
            "pause" | "resume" => {
                paused = name == "pause";
                say(&out, &format!(r#"{{"event":"{name}d"}}"#));
            }
            "counters" => {
                if let Some(c) = reads.as_ref().map(Subscriber::counters) {
                    say(
                        &out,
                        &format!(
                            r#"{{"event":"counters","messages":"{}","bytes":"{}","epoch":"{}","next":"{}","head":"{}"}}"#,
                            c.messages, c.bytes, c.epoch, c.next, c.head
                        ),
                    );
                } else if let Some(c) = writes.as_ref().map(Publisher::counters) {
                    say(
                        &out,
                        &format!(
                            r#"{{"event":"counters","messages":"{}","bytes":"{}","settled":"{}","confirmed":"{}","first_number":"{}"}}"#,
                            c.messages, c.bytes, c.settled, c.confirmed, c.first_number
                        ),
                    );
                }
            }
            "close" => {
                reads = None;
                let closed = match writes.take() {
                    Some(publisher) => publisher.close().await,
                    None => Ok(()),
                };
                let unsettled = closed.map_or_else(|why| why.in_doubt + why.unsent, |()| 0);
                say(&out, &format!(r#"{{"event":"closed","unsettled":"{unsettled}"}}"#));
            }
            _ => eprintln!("no command {name}"),
        }
    }
}

fn main() -> std::io::Result<()> {
    let out: Out = Arc::new(Mutex::new(std::io::stdout()));
    let (sender, commands) = unbounded_channel();
    // The kit waits for replies, so that few commands wait here.
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
        std::process::exit(0);
    });
    say(
        &out,
        concat!(
            r#"{"event":"ready","client":"rust","version":""#,
            env!("CARGO_PKG_VERSION"),
            r#"","capabilities":["subscriber","publisher","plain","levels","types","tls","token","unix","endpoints","#,
            r#""producer_file","pause","time","congestion","state","peer","certificate"]}"#
        ),
    );
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(serve(commands, out));
    Ok(())
}
