//! Subscribers and publishers over tokio.

use std::borrow::Cow;
use std::collections::hash_map::RandomState;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::future::poll_fn;
use std::hash::{BuildHasher, Hasher};
use std::io::Write;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{ready, Context, Poll, Waker};
use std::time::Duration;

use futures_core::Stream;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::confirm::Unsettled;
use crate::error::{Advice, Error};
use crate::link::State;
use crate::net::Io;
use crate::options::{Hook, LocalCongestion, PublisherOptions, SubscriberOptions};
use crate::publisher::{PublisherCore, PublisherCounters};
use crate::subscriber::{SubscriberCore, SubscriberCounters, Taken};
use crate::Event;

/// Longest time to wait for the relay's last word after the publisher's.
const LINGER: Duration = Duration::from_secs(1);

fn seed() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// A line for who takes no events. That nobody reads it is no reason to fail.
fn line(text: &str) {
    let _ = writeln!(std::io::stderr(), "msgrelay: {text}");
}

/// The hook of a program that has none: it hears of the first failure to connect, and of the first success after that. So a
/// wrong port is no silence; nor is a state that is never complete.
fn first_slip(mut line: impl FnMut(&str) + Send + 'static) -> Hook {
    let mut lines = 0;
    Box::new(move |event| match (lines, event) {
        (0, Event::Lost(error)) => {
            line(&format!("{error}; trying again"));
            lines = 1;
        }
        (1, Event::Connected { endpoint, .. }) => {
            line(&format!("connected to {endpoint}"));
            lines = 2;
        }
        (_, Event::StateLate) => line("the state is not complete after 10 s: its types change faster than it is read"),
        _ => {}
    })
}

/// A message of the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message<'a> {
    /// Number in the stream, from 1; `None`: not known, since the relay grants no SEQUENCES, or the mode is plain.
    pub sequence: Option<i64>,
    /// Type of the message.
    pub message_type: i32,
    /// Bytes that the relay does not read.
    pub body: Cow<'a, [u8]>,
}

/// What a subscriber gets, in stream order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item<'a> {
    /// A message.
    Message(Message<'a>),
    /// A gap, another stream, a rollback, missed messages, or an answer to a change of types; with start = state also a
    /// connection, and what is told of the state.
    Event(Event),
}

/// A subscriber. It connects as it is polled, over and over. It is a [`Stream`] of items with bodies of their own;
/// [`Subscriber::next`] lends them without a copy.
///
/// There is no task inside: the relay's PINGs are answered as the subscriber is polled. A pause, such as a message that
/// takes long, must be shorter than the relay's idle time-out, 15 s by default, or be spent with
/// [`Subscriber::keep_alive`].
pub struct Subscriber {
    core: SubscriberCore,
    io: Io,
    hook: Hook,
    told_end: bool,
}

impl Subscriber {
    /// A subscriber, which connects when it is polled.
    ///
    /// # Errors
    ///
    /// An option breaks a rule.
    pub fn open(mut options: SubscriberOptions) -> Result<Subscriber, Error> {
        options.check()?;
        let io = Io::new(&options.connection, LocalCongestion::System)?;
        let hook = options.connection.hook.take().unwrap_or_else(|| first_slip(line));
        Ok(Subscriber {
            core: SubscriberCore::new(options, 0, seed())?,
            io,
            hook,
            told_end: false,
        })
    }

    /// The next message or event. Nothing is lost if the future is dropped before it is ready.
    ///
    /// # Errors
    ///
    /// The subscriber has given up.
    pub async fn next(&mut self) -> Result<Item<'_>, Error> {
        let (frame, sequence) = match self.core.take_message() {
            Some(taken) => taken,
            None => match poll_fn(|cx| self.poll_taken(cx)).await? {
                Taken::Event(event) => return Ok(Item::Event(event)),
                Taken::Message(frame, sequence) => (frame, sequence),
            },
        };
        Ok(Item::Message(Message {
            sequence,
            message_type: frame.message_type,
            body: Cow::Borrowed(self.core.link.body(frame)),
        }))
    }

    /// Keeps the connection while no message is wanted: makes it if there is none, and from WELCOME on tells the relay, each
    /// heartbeat interval, that this end lives. It reads nothing behind WELCOME, and is never ready; drop it to go on.
    ///
    /// ```no_run
    /// # async fn work(_: Vec<u8>) {}
    /// # async fn slow(subscriber: &mut msgrelay::Subscriber, body: Vec<u8>) {
    /// tokio::select! {
    ///     () = work(body) => {}
    ///     _ = subscriber.keep_alive() => unreachable!(),
    /// }
    /// # }
    /// ```
    ///
    /// Work that does not await polls it now and then, each heartbeat interval (5 s by default), as with
    /// `timeout(Duration::ZERO, subscriber.keep_alive()).await`.
    pub async fn keep_alive(&mut self) -> Infallible {
        poll_fn(|cx| self.poll_alive(cx)).await
    }

    /// Asks for other types, ranges with both ends included, from now on; none: every type. [`Event::Types`] tells
    /// when they hold. Returns the request that it names.
    ///
    /// # Errors
    ///
    /// A range breaks a rule, 64 changes wait already, or the subscriber has given up.
    pub fn types(&mut self, types: impl Into<Vec<(i32, i32)>>) -> Result<u32, Error> {
        self.core.types(types.into())
    }

    /// The numbers until now.
    pub fn counters(&self) -> SubscriberCounters {
        self.core.counters
    }

    fn poll_taken(&mut self, cx: &mut Context<'_>) -> Poll<Result<Taken, Error>> {
        loop {
            let taken = self.core.take();
            self.tell_hook();
            if let Some(taken) = taken {
                return Poll::Ready(Ok(taken));
            }
            let ended = self.core.link.state == State::Ended;
            let polled = self.io.poll(cx, &mut self.core);
            if ended {
                return Poll::Ready(Err(self.core.link.error.clone()));
            }
            ready!(polled);
        }
    }

    /// Goes on to WELCOME, and reads no more from there.
    fn poll_alive(&mut self, cx: &mut Context<'_>) -> Poll<Infallible> {
        while self.core.link.state != State::Open {
            let ended = self.core.link.state == State::Ended;
            let polled = self.io.poll(cx, &mut self.core);
            if ended {
                return Poll::Pending;
            }
            ready!(polled);
            self.core.greet();
            self.tell_hook();
        }
        self.io.poll_alive(cx, &mut self.core)
    }

    fn tell_hook(&mut self) {
        if !self.core.link.events.is_empty() {
            std::mem::take(&mut self.core.link.events)
                .iter()
                .for_each(&mut self.hook);
        }
    }
}

impl Stream for Subscriber {
    type Item = Result<Item<'static>, Error>;

    /// The next item; an error is the last one.
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if this.told_end {
            return Poll::Ready(None);
        }
        Poll::Ready(Some(match ready!(this.poll_taken(cx)) {
            Ok(Taken::Event(event)) => Ok(Item::Event(event)),
            Ok(Taken::Message(frame, sequence)) => Ok(Item::Message(Message {
                sequence,
                message_type: frame.message_type,
                body: Cow::Owned(this.core.link.body(frame).to_vec()),
            })),
            Err(error) => {
                this.told_end = true;
                Err(error)
            }
        }))
    }
}

struct Shared {
    core: PublisherCore,
    io: Io,
    stopped: bool,
    task: Option<Waker>,
    /// Flushes and close. All are woken when something has changed for them.
    waiting: BTreeMap<u64, Waker>,
    /// Calls of publish that wait for room, with the lengths of their bodies. The first one alone is woken, and then the
    /// next one by it: so many that wait cost no more than as many that do not.
    line: BTreeMap<u64, (Waker, usize)>,
    last_place: u64,
    /// What the waiting ones were woken for.
    told: (u64, bool),
}

impl Shared {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            if self.stopped {
                self.io.hang_up(cx, &[]);
                return Poll::Ready(());
            }
            self.core.take_frames();
            let ended = self.core.link.state == State::Ended;
            let polled = self.io.poll(cx, &mut self.core);
            if ended {
                return Poll::Ready(());
            }
            if polled.is_pending() {
                self.task = Some(cx.waker().clone());
                return Poll::Pending;
            }
        }
    }

    fn wake_task(&mut self) {
        if let Some(task) = self.task.take() {
            task.wake();
        }
    }

    fn place(&mut self, place: &mut Option<u64>) -> u64 {
        *place.get_or_insert_with(|| {
            self.last_place += 1;
            self.last_place
        })
    }

    /// Who is first in the line and can go on.
    fn next_in_line(&self) -> Option<Waker> {
        let (waker, length) = self.line.values().next()?;
        (self.core.link.state == State::Ended || self.core.has_room(*length)).then(|| waker.clone())
    }

    /// Who waits for what has changed.
    fn wakers(&mut self) -> Vec<Waker> {
        let now = (self.core.done(), self.core.link.state == State::Ended);
        let waiting = if std::mem::replace(&mut self.told, now) == now {
            Vec::new()
        } else {
            std::mem::take(&mut self.waiting).into_values().collect()
        };
        waiting.into_iter().chain(self.next_in_line()).collect()
    }
}

/// The place of a future that waits, which it leaves when it is dropped.
struct Place<'a> {
    shared: &'a Mutex<Shared>,
    place: Option<u64>,
}

impl<'a> Place<'a> {
    fn new(shared: &'a Mutex<Shared>) -> Self {
        Place { shared, place: None }
    }

    /// Waits for something to change.
    fn wait(&mut self, shared: &mut Shared, cx: &Context<'_>) {
        let place = shared.place(&mut self.place);
        shared.waiting.insert(place, cx.waker().clone());
    }

    /// Waits in the line.
    fn stand_in_line(&mut self, shared: &mut Shared, length: usize, cx: &Context<'_>) {
        let place = shared.place(&mut self.place);
        shared.line.insert(place, (cx.waker().clone(), length));
    }

    fn is_first(&self, shared: &Shared) -> bool {
        shared
            .line
            .keys()
            .next()
            .map_or(true, |first| Some(*first) == self.place)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let Some(place) = self.place else {
            return;
        };
        let next = {
            let mut shared = lock(self.shared);
            shared.waiting.remove(&place);
            shared.line.remove(&place);
            shared.next_in_line()
        };
        if let Some(next) = next {
            next.wake();
        }
    }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A publisher's task. With its end, also by a panic of the hook or with the runtime, nobody waits for it any more.
struct TaskOf(Arc<Mutex<Shared>>);

impl TaskOf {
    fn wake_waiting(&self) {
        let waiting = lock(&self.0).wakers();
        waiting.into_iter().for_each(Waker::wake);
    }
}

impl Drop for TaskOf {
    fn drop(&mut self) {
        {
            let mut shared = lock(&self.0);
            shared.io.close();
            if shared.core.link.state != State::Ended {
                shared.core.link.state = State::Ended;
                shared.core.link.error = Error {
                    kind: crate::Kind::Fatal,
                    code: 0,
                    text: "the publisher's task has ended: its hook panicked, or its runtime is gone".into(),
                };
            }
        }
        self.wake_waiting();
    }
}

/// A publisher. A task of the runtime sends, listens and connects again, until the publisher is closed or dropped; many
/// tasks may publish at once.
///
/// Close it: what is not settled when it is dropped is lost, with a line on stderr; and without a word, if the program ends
/// without that, as by `std::process::exit`.
pub struct Publisher {
    shared: Arc<Mutex<Shared>>,
    task: Option<JoinHandle<()>>,
    close_timeout: Duration,
}

impl Publisher {
    /// A publisher, whose task begins to connect. Called within a tokio runtime.
    ///
    /// # Errors
    ///
    /// An option breaks a rule.
    pub fn open(mut options: PublisherOptions) -> Result<Publisher, Error> {
        options.check()?;
        let io = Io::new(&options.connection, options.local_congestion.clone())?;
        let mut hook = options.connection.hook.take().unwrap_or_else(|| first_slip(line));
        let close_timeout = options.close_timeout;
        let shared = Arc::new(Mutex::new(Shared {
            core: PublisherCore::new(options, 0, seed())?,
            io,
            stopped: false,
            task: None,
            waiting: BTreeMap::new(),
            line: BTreeMap::new(),
            last_place: 0,
            told: (0, false),
        }));
        let its = TaskOf(shared.clone());
        let run = poll_fn(move |cx| {
            let (polled, events) = {
                let mut shared = lock(&its.0);
                let polled = shared.poll(cx);
                (polled, std::mem::take(&mut shared.core.link.events))
            };
            // The hook is told first: who waits for an acknowledgement knows that the hook was told.
            events.iter().for_each(&mut hook);
            its.wake_waiting();
            polled
        });
        Ok(Publisher {
            shared,
            task: Some(tokio::spawn(run)),
            close_timeout,
        })
    }

    /// Takes a message; waits for room in the buffer. Of several calls that wait, the first one goes on first. That it was taken says nothing about the relay:
    /// [`Publisher::flush`] does.
    ///
    /// # Errors
    ///
    /// Type or length break a rule, or the publisher has given up.
    pub async fn publish(&self, message_type: i32, body: &[u8]) -> Result<(), Error> {
        let mut place = Place::new(&self.shared);
        let taken = poll_fn(|cx| {
            let mut shared = lock(&self.shared);
            let taken = if place.is_first(&shared) {
                shared.core.put(message_type, body)
            } else {
                shared.core.check(message_type, body).map(|()| false)
            };
            if matches!(taken, Ok(false)) {
                place.stand_in_line(&mut shared, body.len(), cx);
                return Poll::Pending;
            }
            shared.wake_task();
            Poll::Ready(taken.map(drop))
        });
        taken.await
    }

    /// Takes a message; false: the buffer has no room for it, or calls of [`Publisher::publish`] wait for room.
    ///
    /// # Errors
    ///
    /// As [`Publisher::publish`].
    pub fn try_publish(&self, message_type: i32, body: &[u8]) -> Result<bool, Error> {
        let mut shared = lock(&self.shared);
        if !shared.line.is_empty() {
            return shared.core.check(message_type, body).map(|()| false);
        }
        let taken = shared.core.put(message_type, body);
        shared.wake_task();
        taken
    }

    /// Waits until the relay has every message that was taken before, for this time at most: acknowledged; without
    /// acknowledgements confirmed, that is read, though perhaps not in the journal yet. Plain, it waits until the
    /// socket has them; no more can be known. A future that is dropped before it is ready changes nothing, and tells
    /// nothing.
    ///
    /// # Errors
    ///
    /// The time is over, or the publisher has given up. Without acknowledgements it also tells, once, of messages that
    /// a lost connection has left in doubt: they are not sent again.
    pub async fn flush(&self, limit: Duration) -> Result<(), Unsettled> {
        let flush = {
            let mut shared = lock(&self.shared);
            shared.wake_task();
            shared.core.flush()
        };
        {
            let mut place = Place::new(&self.shared);
            let flushed = poll_fn(|cx| {
                let mut shared = lock(&self.shared);
                if let Some(over) = shared.core.flushed(&flush, None) {
                    return Poll::Ready(over);
                }
                place.wait(&mut shared, cx);
                Poll::Pending
            });
            if let Ok(over) = timeout(limit, flushed).await {
                return over;
            }
        }
        let cause = Advice::Again.error(0, format!("its time of {limit:?} is over"));
        lock(&self.shared).core.flushed(&flush, Some(cause)).unwrap_or(Ok(()))
    }

    /// The numbers until now.
    pub fn counters(&self) -> PublisherCounters {
        lock(&self.shared).core.counters
    }

    /// The id by which the relay recognises this publisher.
    pub fn producer(&self) -> [u8; 16] {
        lock(&self.shared).core.producer()
    }

    /// Waits as [`Publisher::flush`] does, for the close time-out at most and over new connections if needed, and ends
    /// the publisher. If the future is dropped before it is ready, the publisher ends at once.
    ///
    /// # Errors
    ///
    /// As for `flush`: what is in doubt or unsent will not be sent any more. Plain, also the relay's ERROR behind the
    /// last message.
    pub async fn close(mut self) -> Result<(), Unsettled> {
        lock(&self.shared).core.closing = true;
        let mut closed = self.flush(self.close_timeout).await;
        if closed.is_ok() && self.end_output() {
            // Only now the relay reports a fault in the last messages.
            let mut place = Place::new(&self.shared);
            let ended = poll_fn(|cx| {
                let mut shared = lock(&self.shared);
                if shared.core.link.state == State::Ended {
                    return Poll::Ready(shared.core.link.error.clone());
                }
                place.wait(&mut shared, cx);
                Poll::Pending
            });
            if let Ok(last_word) = timeout(LINGER.min(self.close_timeout), ended).await {
                if last_word.code() != 0 {
                    closed = Err(lock(&self.shared).core.complaint(last_word));
                }
            }
        }
        self.stop();
        if let Some(task) = self.task.take() {
            // The task ends with the next poll; it panics only if the hook did.
            if let Some(panic) = task.await.err().and_then(|ended| ended.try_into_panic().ok()) {
                std::panic::resume_unwind(panic);
            }
        }
        closed
    }

    /// Whether a plain connection says no more and listens for the relay's last word.
    fn end_output(&self) -> bool {
        let mut shared = lock(&self.shared);
        let link = &shared.core.link;
        let listens = link.options.plain && link.state == State::Open;
        if listens {
            shared.core.link.closing = true;
            shared.io.half_close();
            shared.wake_task();
        }
        listens
    }

    fn stop(&self) {
        let mut shared = lock(&self.shared);
        shared.stopped = true;
        shared.wake_task();
    }
}

impl Drop for Publisher {
    /// Ends the publisher at once, with one line if messages are not settled: it was not closed.
    fn drop(&mut self) {
        self.stop();
        if self.task.is_some() {
            let core = &lock(&self.shared).core;
            if let Some(lost) = core.unsettled() {
                line(&format!("a publisher is dropped without close: {lost}"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn the_first_failure_and_the_first_success_after_it_are_told() {
        let (sink, lines) = channel();
        let mut hook = first_slip(move |line| sink.send(line.to_owned()).unwrap());
        let lost = Event::Lost(Advice::Again.error(0, "connecting to h:1: refused".into()));
        let connected = Event::Connected {
            endpoint: "h:1".into(),
            welcome: None,
            anew: None,
        };
        for event in [
            &connected,
            &lost,
            &lost,
            &connected,
            &lost,
            &connected,
            &Event::StateLate,
        ] {
            hook(event);
        }
        drop(hook);
        let told: Vec<String> = lines.into_iter().collect();
        assert_eq!(
            told,
            [
                "connecting to h:1: refused; trying again",
                "connected to h:1",
                "the state is not complete after 10 s: its types change faster than it is read"
            ]
        );
    }
}
