//! Errors, sorted by what they ask of the caller.

use std::fmt;

/// What an error asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Connecting again may help. The client has done so, as often as its policy allows.
    Retry,
    /// The same would happen again.
    Fatal,
    /// The call or an option breaks a rule. Nothing was sent, and all else goes on.
    Yours,
}

/// An error of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    pub(crate) kind: Kind,
    pub(crate) code: u16,
    pub(crate) text: String,
}

impl Error {
    pub(crate) fn yours(code: u16, text: impl Into<String>) -> Error {
        Error {
            kind: Kind::Yours,
            code,
            text: text.into(),
        }
    }

    /// What the error asks for.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Code of `docs/protocol.md`, of the relay's ERROR or of the rule that was broken; 0: none.
    pub fn code(&self) -> u16 {
        self.code
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Error {}

/// A client's reaction to the end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Advice {
    Again,
    Slowly,
    Few,
    FewSlowly,
    Stop,
}

impl Advice {
    /// The table of errors in `docs/protocol.md`.
    pub(crate) fn of(code: u16) -> Advice {
        match code {
            4..=7 | 12..=15 | 20..=23 | 28 | 29 => Advice::Stop,
            18 | 19 | 27 | 32 => Advice::Slowly,
            24 => Advice::FewSlowly,
            1..=3 | 8..=11 | 16 | 17 | 25 | 26 | 30 | 33 | 34 => Advice::Again,
            _ => Advice::Few,
        }
    }

    /// What the user is told of an end with this advice.
    pub(crate) fn error(self, code: u16, text: String) -> Error {
        let kind = if self == Advice::Stop { Kind::Fatal } else { Kind::Retry };
        Error { kind, code, text }
    }

    pub(crate) fn is_few(self) -> bool {
        matches!(self, Advice::Few | Advice::FewSlowly)
    }

    pub(crate) fn is_slow(self) -> bool {
        matches!(self, Advice::Slowly | Advice::FewSlowly)
    }
}

/// The end of a connection, or of a try to make one.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    pub(crate) advice: Advice,
    pub(crate) code: u16,
    pub(crate) text: String,
    /// The relay broke a rule, and is told so.
    pub(crate) is_fault: bool,
    /// An end in order, before WELCOME.
    pub(crate) no_welcome: bool,
}

impl Failure {
    pub(crate) fn new(advice: Advice, code: u16, text: impl Into<String>) -> Failure {
        Failure {
            advice,
            code,
            text: text.into(),
            is_fault: false,
            no_welcome: false,
        }
    }

    /// The relay broke the rule with this code.
    pub(crate) fn fault(code: u16, text: impl Into<String>) -> Failure {
        // The stream still has the message over the limit, and the unknown frame comes again.
        let advice = if code == 5 || code == 13 {
            Advice::Stop
        } else {
            Advice::Few
        };
        Failure {
            is_fault: true,
            ..Failure::new(advice, code, text)
        }
    }
}

const CODES: [&str; 35] = [
    "no code",
    "PEER_CLOSED",
    "CONNECTION_LOST",
    "TRUNCATED_FRAME",
    "NEGATIVE_LENGTH",
    "OVERSIZED_LENGTH",
    "RESERVED_TYPE",
    "UNEXPECTED_INPUT",
    "SLOW_SUBSCRIBER",
    "STALLED_SUBSCRIBER",
    "SHUTDOWN",
    "INTERNAL_ERROR",
    "MALFORMED_CONTROL",
    "UNSUPPORTED",
    "WRONG_ROLE",
    "PROTOCOL_ORDER",
    "HANDSHAKE_TIMEOUT",
    "IDLE_TIMEOUT",
    "TOO_MANY_CONNECTIONS",
    "TOO_MANY_PUBLISHERS",
    "NAME_TAKEN",
    "BAD_START",
    "TOO_MANY_NAMES",
    "MESSAGE_GAP",
    "NAME_HELD",
    "MEMORY_LIMIT",
    "FRAME_TIMEOUT",
    "TOO_MANY_FROM_ADDRESS",
    "NOT_AUTHENTICATED",
    "NOT_PERMITTED",
    "REVOKED",
    "TLS_FAILED",
    "RATE_LIMITED",
    "TLS_KEY_USED_UP",
    "JOURNAL_FAILED",
];

pub(crate) fn code_name(code: u16) -> &'static str {
    CODES.get(usize::from(code)).copied().unwrap_or("unknown code")
}
