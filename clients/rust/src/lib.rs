//! A client of Relay: subscribers and publishers of numbered, acknowledged messages.
//!
//! The features: `tokio`, the default, for [`Subscriber`] and [`Publisher`]; `tls` for TLS by rustls. Without features
//! the crate has no dependency, and options and errors only.
//!
//! `clients/SPEC.md` says what every client does, `docs/protocol.md` what goes over the wire.
#![cfg_attr(not(feature = "tokio"), allow(dead_code))]

/// The examples of the README compile.
#[cfg(all(doctest, feature = "tokio"))]
#[doc = include_str!("../README.md")]
struct Readme;

mod confirm;
mod error;
mod link;
mod options;
mod publisher;
mod state;
mod subscriber;
mod wire;

#[cfg(feature = "tokio")]
mod client;
#[cfg(feature = "tokio")]
mod net;
#[cfg(feature = "tokio")]
mod secrets;
#[cfg(feature = "tls")]
mod tls;

pub use confirm::Unsettled;
pub use error::{Error, Kind};
pub use options::{
    Connection, Hook, Level, LocalCongestion, Policy, Producer, PublisherOptions, Reconnect, Start, SubscriberOptions,
    TlsFiles, Token, TokenFunction,
};
pub use publisher::PublisherCounters;
pub use subscriber::SubscriberCounters;
pub use wire::{Peer, Welcome};

#[cfg(feature = "tokio")]
pub use client::{Item, Message, Publisher, Subscriber};

/// What a client notices beside messages.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// In stream order: the messages `from..=to` do not come. The reason 4 is no loss: newer messages of the same types
    /// follow, or they are of types that were not chosen.
    Gap {
        /// First sequence missed.
        from: i64,
        /// Last sequence missed.
        to: i64,
        /// Code of the protocol's GAP; 0: the client found it, the relay gave no reason.
        reason: u16,
    },
    /// In stream order: another stream. To a publisher: the relay was restarted, `lost_from` is 0.
    StreamChanged {
        /// Of the former stream, everything from this sequence on is lost.
        lost_from: i64,
    },
    /// In stream order: messages that the subscriber had, or numbers that the relay had acknowledged to the publisher,
    /// are gone.
    RolledBack {
        /// The first that is gone.
        from: i64,
        /// The last that is gone.
        to: i64,
    },
    /// In stream order: a plain subscriber is connected again; nobody knows how many messages it missed.
    Missed,
    /// In stream order: a change of types holds.
    Types {
        /// The request that `types` returned.
        request: u32,
        /// The new types hold from this message on.
        sequence: i64,
    },
    /// A change of types has more ranges than the relay takes; the types stay as they were.
    TypesRefused {
        /// The request that `types` returned.
        request: u32,
    },
    /// A connection is made and welcomed. With start = state this is in stream order.
    Connected {
        /// Where.
        endpoint: String,
        /// The relay's answer; `None`: a plain connection.
        welcome: Option<Box<Welcome>>,
        /// With start = state: what the subscriber knew is void, and all of the state follows; `Some(false)`: what follows
        /// goes on from what it has.
        anew: Option<bool>,
    },
    /// In stream order: what came since the last [`Event::Connected`] anew is the newest message of each chosen type up to
    /// the one before `next`. Once for each connection with start = state.
    StateComplete {
        /// Sequence of the next message.
        next: i64,
    },
    /// In stream order: the state is not complete after 10 s, since the types change faster than it is read. Once for a
    /// connection. Without a hook it is told on stderr, too.
    StateLate,
    /// This client's own certificate ends. Once for each of 30, 7 and 1 days before it, and once for the end, as a
    /// connection is tried or while it lasts.
    Certificate {
        /// In so many days, a part of one counted as a whole; 0 or less: it has ended.
        days: i64,
    },
    /// A try failed, or a connection was lost; there will be another try.
    Lost(Error),
    /// GOAWAY.
    GoingAway {
        /// Why, a code of `docs/protocol.md`.
        code: u16,
        /// Time until the relay closes.
        closes_in_ms: u32,
    },
    /// The publisher's messages up to this number are acknowledged, at the level asked for.
    Acked {
        /// Number of the last one.
        number: i64,
        /// Its sequence, where the relay has told it.
        sequence: Option<i64>,
    },
    /// Without acknowledgements: messages sent over the lost connection may be lost, the last ones first. They are not
    /// sent again.
    InDoubt {
        /// So many were sent over it and not confirmed; plain: were sent over it.
        messages: u64,
    },
    /// The client has ended.
    GaveUp(Error),
}
