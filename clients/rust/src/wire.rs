//! Frames as bytes: `docs/protocol.md`.

use std::time::Duration;

use crate::error::Failure;

pub(crate) const HEADER: usize = 8;
pub(crate) const MAX_CONTROL: usize = 16_384;
pub(crate) const MAX_MAX_BODY: usize = 64 << 20;
pub(crate) const MAX_NAME: usize = 255;
pub(crate) const MAX_RANGES: usize = 1024;
pub(crate) const MAX_TEXT: usize = 512;
/// Longest time of RETRY_AFTER.
const MAX_RETRY_AFTER_MS: i64 = 3_600_000;
pub(crate) const MIN_INTERVAL_MS: u32 = 10;
pub(crate) const MAX_INTERVAL_MS: u32 = 3_600_000;
/// The highest reserved type.
pub(crate) const LAST_RESERVED: i32 = i32::MIN + 0xFF;
/// Limit of a sequence: no stream gets there, and a number behind it would soon be negative.
pub(crate) const FARTHEST: i64 = 1 << 62;

pub(crate) const HELLO: u8 = 1;
pub(crate) const WELCOME: u8 = 2;
pub(crate) const SUBSCRIBE: u8 = 3;
pub(crate) const PING: u8 = 4;
pub(crate) const PONG: u8 = 5;
pub(crate) const SEQUENCE: u8 = 6;
pub(crate) const GAP: u8 = 7;
pub(crate) const ACK: u8 = 8;
pub(crate) const ERROR: u8 = 9;
pub(crate) const GOAWAY: u8 = 10;
pub(crate) const SUBSCRIBED: u8 = 11;
pub(crate) const RETRY_AFTER: u8 = 12;
pub(crate) const MUST_UNDERSTAND: u8 = 0x80;

pub(crate) const ACKS: u32 = 1;
pub(crate) const SEQUENCES: u32 = 2;
pub(crate) const NARROWED: u32 = 4;
pub(crate) const INTERVAL: u32 = 8;
pub(crate) const PEER: u32 = 16;
pub(crate) const LEVELS: u32 = 32;
pub(crate) const EPOCHS: u32 = 64;
pub(crate) const TOKEN: u32 = 1 << 16;

const EPOCH_CHANGED: u8 = 1;
const ROLLED_BACK: u8 = 2;

const FRAMES: [&str; 13] = [
    "0x80000000",
    "HELLO",
    "WELCOME",
    "SUBSCRIBE",
    "PING",
    "PONG",
    "SEQUENCE",
    "GAP",
    "ACK",
    "ERROR",
    "GOAWAY",
    "SUBSCRIBED",
    "RETRY_AFTER",
];

pub(crate) fn frame_name(control: u8) -> &'static str {
    FRAMES
        .get(usize::from(control))
        .copied()
        .unwrap_or("an unknown control frame")
}

pub(crate) fn is_reserved(message_type: i32) -> bool {
    message_type <= LAST_RESERVED
}

fn bytes_at<const N: usize>(body: &[u8], at: usize) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&body[at..at + N]);
    bytes
}

pub(crate) fn get16(body: &[u8], at: usize) -> u16 {
    u16::from_be_bytes(bytes_at(body, at))
}

pub(crate) fn get32(body: &[u8], at: usize) -> i32 {
    i32::from_be_bytes(bytes_at(body, at))
}

pub(crate) fn get64(body: &[u8], at: usize) -> i64 {
    i64::from_be_bytes(bytes_at(body, at))
}

/// Appends a control frame whose body `fill` writes.
pub(crate) fn put_control(out: &mut Vec<u8>, control: u8, fill: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(&[0x80, 0, 0, control, 0, 0, 0, 0]);
    fill(out);
    let length = (out.len() - start - HEADER) as u32;
    out[start + 4..start + HEADER].copy_from_slice(&length.to_be_bytes());
}

/// Whether this is a string of the protocol: no control characters.
pub(crate) fn is_string(text: &str) -> bool {
    !text.chars().any(char::is_control)
}

/// A text of a peer, at most 512 bytes of it, with a `?` for what a terminal or a log should not get.
pub(crate) fn clean_text(bytes: &[u8]) -> String {
    let all = String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_TEXT)]);
    all.chars()
        .map(|c| {
            if c.is_control() || c == char::REPLACEMENT_CHARACTER {
                '?'
            } else {
                c
            }
        })
        .collect()
}

fn malformed<T>(text: impl Into<String>) -> Result<T, Failure> {
    Err(Failure::fault(12, text))
}

fn at_least(control: u8, body: &[u8], length: usize) -> Result<(), Failure> {
    if body.len() < length {
        return malformed(format!(
            "{}: a body of {} bytes is shorter than its fields of {length}",
            frame_name(control),
            body.len()
        ));
    }
    Ok(())
}

fn within(control: u8, field: &str, value: i64, least: i64, most: i64) -> Result<(), Failure> {
    if value < least || value > most {
        return malformed(format!(
            "{}: {field} {value} is not within {least}..{most}",
            frame_name(control)
        ));
    }
    Ok(())
}

/// The newest lives of a stream, the newest one first: the epoch of each, and the first sequence that it could give.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Lives(pub(crate) Vec<(i64, i64)>);

const MOST_LIVES: i64 = 16;

impl Lives {
    /// What is behind WELCOME's fork, if it grants EPOCHS.
    fn decode(body: &[u8], at: usize) -> Result<Lives, Failure> {
        at_least(WELCOME, body, at + 4)?;
        let count = usize::from(get16(body, at));
        within(WELCOME, "count of epochs", count as i64, 0, MOST_LIVES)?;
        within(WELCOME, "reserved field", get16(body, at + 2).into(), 0, 0)?;
        at_least(WELCOME, body, at + 4 + 16 * count)?;
        let mut lives = Vec::with_capacity(count);
        for i in 0..count {
            let (epoch, first) = (get64(body, at + 4 + 16 * i), get64(body, at + 12 + 16 * i));
            if epoch == 0 {
                return malformed("WELCOME: epoch of a row is 0, which stands for none");
            }
            within(WELCOME, "first sequence of an epoch", first, 1, i64::MAX)?;
            lives.push((epoch, first));
        }
        Ok(Lives(lives))
    }

    /// The newest of these lives, but for the first, that is also in the relay's; and the first sequence that is not, or
    /// need not be, the same in both.
    pub(crate) fn in_common(&self, relay: &Lives) -> Option<(usize, i64)> {
        let newer = |lives: &[(i64, i64)]| lives.iter().map(|life| life.1).min().unwrap_or(i64::MAX);
        (1..self.0.len()).find_map(|i| {
            let there = relay.0.iter().position(|life| life.0 == self.0[i].0)?;
            Some((i, newer(&self.0[..i]).min(newer(&relay.0[..there]))))
        })
    }
}

/// The string at this offset of WELCOME, and the offset behind it.
fn string_at(body: &[u8], at: usize, field: &str) -> Result<(String, usize), Failure> {
    let start = at + 2;
    at_least(WELCOME, body, start)?;
    let length = usize::from(get16(body, at));
    within(
        WELCOME,
        &format!("length of {field}"),
        length as i64,
        0,
        MAX_NAME as i64,
    )?;
    at_least(WELCOME, body, start + length)?;
    match std::str::from_utf8(&body[start..start + length]) {
        Ok(text) if is_string(text) => Ok((text.to_owned(), start + length)),
        _ => malformed(format!("WELCOME: {field} is not UTF-8, or has control characters")),
    }
}

/// This client as the relay sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Peer {
    /// Such as `192.0.2.7:40001`, `[2001:db8::1]:40001`, or `unix`.
    pub address: String,
    /// The identity that the relay's access rules give it; empty: none.
    pub identity: String,
}

/// The answer to HELLO.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Welcome {
    /// Chosen version of the protocol.
    pub version: u16,
    /// Policy granted: 0 not told, 1 disconnect, 2 backpressure, 3 skip, 4 replay, 5 latest.
    pub policy: u8,
    pub(crate) flags: u8,
    pub(crate) features: u32,
    /// Epoch of the stream.
    pub epoch: i64,
    /// To a subscriber: the sequence of the first message that follows.
    pub next: i64,
    /// To a publisher: the number of the last message that the relay has of this name; 0: none.
    pub accepted: i64,
    /// Longest body of a message in bytes.
    pub max_body: usize,
    pub(crate) heartbeat_ms: u64,
    pub(crate) idle_ms: u64,
    pub(crate) max_ranges: usize,
    /// Name and version of the relay; may be empty.
    pub server: String,
    /// To a subscriber: the interval granted; `None`: none, each message comes when it is there.
    pub interval: Option<Duration>,
    /// What the relay sees of this client; `None`: an older relay, which does not tell.
    pub peer: Option<Peer>,
    pub(crate) fork: i64,
    pub(crate) lives: Lives,
}

impl Welcome {
    pub(crate) fn decode(body: &[u8]) -> Result<Welcome, Failure> {
        const SERVER: usize = 48;
        at_least(WELCOME, body, SERVER + 2)?;
        let heartbeat = i64::from(get32(body, 36));
        within(WELCOME, "version", get16(body, 0).into(), 1, 0xFFFF)?;
        within(WELCOME, "policy", body[2].into(), 0, 5)?;
        within(WELCOME, "next", get64(body, 16), 1, FARTHEST)?;
        within(WELCOME, "accepted", get64(body, 24), 0, i64::MAX)?;
        within(WELCOME, "longest body", get32(body, 32).into(), 1, MAX_MAX_BODY as i64)?;
        within(WELCOME, "heartbeat in ms", heartbeat, 100, 3_600_000)?;
        within(
            WELCOME,
            "idle time-out in ms",
            get32(body, 40).into(),
            heartbeat,
            i32::MAX.into(),
        )?;
        within(WELCOME, "reserved field", get16(body, 46).into(), 0, 0)?;
        let (server, end) = string_at(body, SERVER, "server")?;
        if get64(body, 8) == 0 {
            return malformed("WELCOME: epoch is 0, which stands for none");
        }
        let fork = match body.len() - end {
            0 => 0,
            1..=7 => return malformed("WELCOME ends within its fork"),
            _ => get64(body, end),
        };
        let rolled_back = body[3] & ROLLED_BACK != 0;
        within(
            WELCOME,
            "fork",
            fork,
            i64::from(rolled_back),
            if rolled_back { i64::MAX } else { 0 },
        )?;
        let features = get32(body, 4) as u32;
        // With any field behind it fork is there.
        let mut at = end + 8;
        let mut lives = Lives::default();
        if features & EPOCHS != 0 {
            lives = Lives::decode(body, at)?;
            at += 4 + 16 * lives.0.len();
        }
        let mut interval = None;
        if features & INTERVAL != 0 {
            at_least(WELCOME, body, at + 4)?;
            let ms = get32(body, at) as u32;
            let (least, most) = (MIN_INTERVAL_MS.into(), MAX_INTERVAL_MS.into());
            within(WELCOME, "interval in ms", ms.into(), least, most)?;
            interval = Some(Duration::from_millis(ms.into()));
            at += 4;
        }
        let mut peer = None;
        if features & PEER != 0 {
            let (address, behind) = string_at(body, at, "address")?;
            let (identity, _) = string_at(body, behind, "identity")?;
            peer = Some(Peer { address, identity });
        }
        Ok(Welcome {
            version: get16(body, 0),
            policy: body[2],
            flags: body[3],
            features,
            epoch: get64(body, 8),
            next: get64(body, 16),
            accepted: get64(body, 24),
            max_body: get32(body, 32) as usize,
            heartbeat_ms: heartbeat as u64,
            idle_ms: get32(body, 40) as u64,
            max_ranges: usize::from(get16(body, 44)),
            server,
            interval,
            peer,
            fork,
            lives,
        })
    }

    pub(crate) fn grants(&self, feature: u32) -> bool {
        self.features & feature != 0
    }

    pub(crate) fn epoch_changed(&self) -> bool {
        self.flags & EPOCH_CHANGED != 0
    }

    pub(crate) fn rolled_back(&self) -> bool {
        self.flags & ROLLED_BACK != 0
    }
}

pub(crate) struct Ping {
    pub(crate) id: i64,
    pub(crate) next: i64,
    pub(crate) head: i64,
}

pub(crate) fn decode_ping(body: &[u8]) -> Result<Ping, Failure> {
    at_least(PING, body, 24)?;
    within(PING, "next", get64(body, 8), 0, i64::MAX)?;
    within(PING, "head", get64(body, 16), 0, i64::MAX)?;
    Ok(Ping {
        id: get64(body, 0),
        next: get64(body, 8),
        head: get64(body, 16),
    })
}

/// Its id.
pub(crate) fn decode_pong(body: &[u8]) -> Result<i64, Failure> {
    at_least(PONG, body, 8)?;
    Ok(get64(body, 0))
}

pub(crate) fn decode_sequence(body: &[u8]) -> Result<i64, Failure> {
    at_least(SEQUENCE, body, 8)?;
    within(SEQUENCE, "next", get64(body, 0), 1, i64::MAX)?;
    Ok(get64(body, 0))
}

/// From, to and reason.
pub(crate) fn decode_gap(body: &[u8]) -> Result<(i64, i64, u16), Failure> {
    at_least(GAP, body, 24)?;
    let from = get64(body, 0);
    within(GAP, "from", from, 1, FARTHEST)?;
    within(GAP, "to", get64(body, 8), from, FARTHEST)?;
    within(GAP, "reason", get16(body, 16).into(), 1, 0xFFFF)?;
    within(GAP, "reserved field", get16(body, 18).into(), 0, 0)?;
    within(GAP, "reserved field", get32(body, 20).into(), 0, 0)?;
    Ok((from, get64(body, 8), get16(body, 16)))
}

/// The numbers at the levels stream, written and forced, and the sequence of the first.
pub(crate) fn decode_ack(body: &[u8]) -> Result<([i64; 3], i64), Failure> {
    at_least(ACK, body, 16)?;
    let number = get64(body, 0);
    within(ACK, "number", number, 1, i64::MAX)?;
    within(ACK, "sequence", get64(body, 8), 1, i64::MAX)?;
    let mut numbers = [number, 0, 0];
    if body.len() > 16 {
        at_least(ACK, body, 32)?;
        numbers[1] = get64(body, 16);
        numbers[2] = get64(body, 24);
        within(ACK, "written", numbers[1], 0, number)?;
        within(ACK, "forced", numbers[2], 0, numbers[1])?;
    }
    Ok((numbers, get64(body, 8)))
}

/// Code, and milliseconds until the relay closes.
pub(crate) fn decode_goaway(body: &[u8]) -> Result<(u16, u32), Failure> {
    at_least(GOAWAY, body, 8)?;
    within(GOAWAY, "code", get16(body, 0).into(), 1, 0xFFFF)?;
    within(GOAWAY, "reserved field", get16(body, 2).into(), 0, 0)?;
    within(GOAWAY, "time to close in ms", get32(body, 4).into(), 0, i32::MAX.into())?;
    within(GOAWAY, "length of text", body.len() as i64 - 8, 0, MAX_TEXT as i64)?;
    Ok((get16(body, 0), get32(body, 4) as u32))
}

/// Milliseconds.
pub(crate) fn decode_retry_after(body: &[u8]) -> Result<u64, Failure> {
    at_least(RETRY_AFTER, body, 4)?;
    within(RETRY_AFTER, "wait", get32(body, 0).into(), 0, MAX_RETRY_AFTER_MS)?;
    Ok(get32(body, 0) as u64)
}

/// Request and sequence.
pub(crate) fn decode_subscribed(body: &[u8]) -> Result<(u32, i64), Failure> {
    at_least(SUBSCRIBED, body, 16)?;
    within(SUBSCRIBED, "reserved field", get32(body, 4).into(), 0, 0)?;
    within(SUBSCRIBED, "sequence", get64(body, 8), 1, i64::MAX)?;
    Ok((get32(body, 0) as u32, get64(body, 8)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every frame that a client reads, from the files of docs/protocol.md.
    #[test]
    #[cfg_attr(miri, ignore = "hundreds of files take miri minutes")]
    fn vectors() {
        let folder = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../relay-protocol/src/test/resources/vectors"
        );
        let Ok(files) = std::fs::read_dir(folder) else {
            eprintln!("skipped: no test vectors in {folder}");
            return;
        };
        let mut tried = 0;
        for file in files {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).unwrap();
            let bytes: Vec<u8> = text
                .lines()
                .flat_map(|line| line.split('#').next().unwrap().split_whitespace())
                .map_while(|hex| u8::from_str_radix(hex, 16).ok())
                .collect();
            if bytes.len() < HEADER || bytes[0] != 0x80 {
                continue;
            }
            let body = &bytes[HEADER..];
            if get32(&bytes, 4) as usize != body.len() {
                continue;
            }
            let taken = match bytes[3] {
                WELCOME => Welcome::decode(body).map(drop),
                PING => decode_ping(body).map(drop),
                PONG => decode_pong(body).map(drop),
                SEQUENCE => decode_sequence(body).map(drop),
                GAP => decode_gap(body).map(drop),
                ACK => decode_ack(body).map(drop),
                GOAWAY => decode_goaway(body).map(drop),
                SUBSCRIBED => decode_subscribed(body).map(drop),
                RETRY_AFTER => decode_retry_after(body).map(drop),
                _ => continue,
            };
            // Numbers where no stream gets are good on the wire, and refused here.
            let far = taken
                .as_ref()
                .is_err_and(|failure| failure.text.contains(&FARTHEST.to_string()));
            let good = name.starts_with("good");
            assert_eq!(taken.is_ok() || (good && far), good, "{name}");
            tried += 1;
        }
        assert!(tried >= 40, "only {tried} vectors");
    }

    fn seen(address: &str, identity: &[u8]) -> Vec<u8> {
        let mut body = vec![0, 1, 1, 0];
        body.extend_from_slice(&(INTERVAL | PEER).to_be_bytes());
        for field in [7i64, 1, 0] {
            body.extend_from_slice(&field.to_be_bytes());
        }
        for field in [1u32 << 20, 1000, 5000] {
            body.extend_from_slice(&field.to_be_bytes());
        }
        body.extend_from_slice(&[4, 0, 0, 0, 0, 0]);
        body.extend_from_slice(&[0; 8]);
        body.extend_from_slice(&500u32.to_be_bytes());
        for text in [address.as_bytes(), identity] {
            body.extend_from_slice(&(text.len() as u16).to_be_bytes());
            body.extend_from_slice(text);
        }
        body
    }

    #[test]
    fn welcome_says_what_the_relay_sees() {
        let whole = seen("[2001:db8::1]:40001", b"desk");
        let decoded = Welcome::decode(&[&whole[..], b"of a later version"].concat()).unwrap();
        assert_eq!(decoded.interval, Some(Duration::from_millis(500)));
        let peer = decoded.peer.unwrap();
        assert_eq!((&*peer.address, &*peer.identity), ("[2001:db8::1]:40001", "desk"));
        for cut in 0..whole.len() {
            assert_eq!(Welcome::decode(&whole[..cut]).unwrap_err().code, 12, "cut at {cut}");
        }
        assert!(Welcome::decode(&seen(&"a".repeat(255), b"")).is_ok());
        for bad in [
            seen("a\n", b""),
            seen("a", b"\xff"),
            seen(&"a".repeat(256), b""),
            seen("", &[b'a'; 256]),
        ] {
            assert_eq!(Welcome::decode(&bad).unwrap_err().code, 12);
        }
    }

    #[test]
    fn texts_of_peers_are_cleaned() {
        assert_eq!(clean_text(b"a\x1b[2J\xff\xc3\xbc"), "a?[2J?\u{fc}");
        assert_eq!(clean_text(&[b'x'; 600]).len(), MAX_TEXT);
        assert!(is_string("audit \u{fc}"));
        assert!(!is_string("a\u{85}"));
    }
}
