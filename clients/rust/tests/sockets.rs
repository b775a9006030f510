//! Subscribers and publishers with sockets: beside a relay of a few lines, and with a real one from
//! `RELAY_SERVER_JAR`.

use std::future::{poll_fn, Future};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::pin::Pin;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_core::Stream;
use msgrelay::{Event, Item, Kind, Publisher, PublisherOptions, Reconnect, Start, Subscriber, SubscriberOptions};
use tokio::time::timeout;

/// Only a hang takes so long.
const DEADLINE: Duration = Duration::from_secs(60);

fn soon() -> Reconnect {
    Reconnect {
        first: Duration::from_millis(1),
        longest: Duration::from_millis(5),
        ..Reconnect::default()
    }
}

fn welcome(features: u8, next: u8) -> Vec<u8> {
    let mut frame = vec![0x80, 0, 0, 2, 0, 0, 0, 50, 0, 1, 1, 0, 0, 0, 0, features];
    frame.extend_from_slice(&9i64.to_be_bytes());
    frame.extend_from_slice(&i64::from(next).to_be_bytes());
    frame.extend_from_slice(&[0; 8]);
    for field in [1u32 << 20, 1000, 5000] {
        frame.extend_from_slice(&field.to_be_bytes());
    }
    frame.extend_from_slice(&[4, 0, 0, 0, 0, 0]);
    frame
}

/// Reads HELLO; returns its number.
fn take_hello(socket: &mut impl Read) -> i64 {
    let mut header = [0; 8];
    socket.read_exact(&mut header).unwrap();
    assert_eq!(header[..4], [0x80, 0, 0, 1]);
    let mut body = vec![0; header[7].into()];
    socket.read_exact(&mut body).unwrap();
    i64::from_be_bytes(body[24..32].try_into().unwrap())
}

async fn next_of(subscriber: &mut Subscriber) -> Option<Result<Item<'static>, msgrelay::Error>> {
    let next = poll_fn(|cx| Pin::new(&mut *subscriber).poll_next(cx));
    timeout(DEADLINE, next).await.expect("no hang")
}

#[tokio::test]
async fn a_stream_resumes_over_cuts() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut options = SubscriberOptions::new([listener.local_addr().unwrap().to_string()]);
    options.connection.reconnect = soon();
    let relay = std::thread::spawn(move || {
        for next in 1..20u8 {
            let (mut socket, _) = listener.accept().unwrap();
            let number = take_hello(&mut socket);
            assert_eq!(number, if next == 1 { 0 } else { next.into() });
            let message = [0, 0, 0, 7, 0, 0, 0, 2, b'h', b'i'];
            socket.write_all(&welcome(2, next)).unwrap();
            socket.write_all(&message).unwrap();
            // The connection ends within the next message.
            socket.write_all(&message[..usize::from(next) % 10]).unwrap();
        }
    });
    let mut subscriber = Subscriber::open(options).unwrap();
    for sequence in 1..20 {
        let Some(Ok(Item::Message(message))) = next_of(&mut subscriber).await else {
            panic!("no message {sequence}");
        };
        assert_eq!(message.sequence, Some(sequence));
        assert_eq!(message.message_type, 7);
        assert_eq!(&message.body[..], b"hi");
    }
    relay.join().unwrap();
    assert_eq!(subscriber.counters().messages, 19);
}

#[tokio::test]
async fn a_stream_ends_with_its_error() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let told = Arc::new(Mutex::new(Vec::new()));
    let its = told.clone();
    let mut options = SubscriberOptions::new([address.clone()]);
    options.connection.reconnect = Reconnect {
        rounds: Some(2),
        ..soon()
    };
    options.connection.hook = Some(Box::new(move |event| its.lock().unwrap().push(event.clone())));
    let mut subscriber = Subscriber::open(options).unwrap();
    let Some(Err(error)) = next_of(&mut subscriber).await else {
        panic!("connected to nothing");
    };
    assert_eq!(error.kind(), Kind::Retry);
    assert!(error.to_string().contains(&address));
    assert!(next_of(&mut subscriber).await.is_none());
    let told = told.lock().unwrap();
    assert!(
        matches!(told[..], [Event::Lost(_), Event::Lost(_), Event::GaveUp(_)]),
        "{told:?}"
    );
}

#[tokio::test]
async fn a_dropped_next_loses_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let options = SubscriberOptions::new([listener.local_addr().unwrap().to_string()]);
    let (go, wait) = std::sync::mpsc::channel();
    let relay = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        take_hello(&mut socket);
        socket.write_all(&welcome(2, 1)).unwrap();
        for byte in [0, 0, 0, 7, 0, 0, 0, 1, b'x'] {
            wait.recv().unwrap();
            socket.write_all(&[byte]).unwrap();
        }
        wait.recv().unwrap_err();
    });
    let mut subscriber = Subscriber::open(options).unwrap();
    let mut dropped = 0;
    loop {
        let _ = go.send(());
        match timeout(Duration::from_millis(5), subscriber.next()).await {
            Ok(item) => {
                assert!(matches!(item.unwrap(), Item::Message(message) if *message.body == *b"x"));
                break;
            }
            Err(_) => dropped += 1,
        }
    }
    assert!(dropped > 0);
    drop(go);
    relay.join().unwrap();
}

/// A handler that holds up the runtime's thread for longer than the relay may be silent: what the relay has sent meanwhile
/// lies in the socket.
#[tokio::test]
async fn a_slow_handler_is_not_the_silence_of_the_relay() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut options = SubscriberOptions::new([listener.local_addr().unwrap().to_string()]);
    options.connection.reconnect = Reconnect {
        rounds: Some(0),
        ..soon()
    };
    let (go, wait) = std::sync::mpsc::channel();
    let (sent, has_sent) = std::sync::mpsc::channel();
    let relay = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        take_hello(&mut socket);
        let mut impatient = welcome(2, 1);
        // The idle time-out: 1 s.
        impatient[48..52].copy_from_slice(&[0, 0, 3, 0xE8]);
        socket.write_all(&impatient).unwrap();
        for body in b"abc" {
            socket.write_all(&[0, 0, 0, 7, 0, 0, 0, 1, *body]).unwrap();
            if *body != b'a' {
                sent.send(()).unwrap();
            }
            wait.recv().unwrap();
        }
    });
    let mut subscriber = Subscriber::open(options).unwrap();
    for body in b"abc" {
        let item = timeout(DEADLINE, subscriber.next()).await.expect("no hang");
        assert!(matches!(item.unwrap(), Item::Message(message) if *message.body == [*body]));
        // All is read, and the socket is known to be empty.
        assert!(timeout(Duration::from_millis(5), subscriber.next()).await.is_err());
        go.send(()).unwrap();
        // The handler. Before it is done, the next message is there, or the end.
        std::thread::sleep(Duration::from_millis(1100));
        let _ = has_sent.recv();
    }
    relay.join().unwrap();
}

/// Who reads nothing tells the relay, each heartbeat, that it lives; and goes on with what has come meanwhile.
#[tokio::test]
async fn a_pause_has_pongs_that_nobody_asked_for() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let options = SubscriberOptions::new([listener.local_addr().unwrap().to_string()]);
    let (told, tell) = tokio::sync::oneshot::channel();
    let relay = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        take_hello(&mut socket);
        let mut often = welcome(2, 1);
        // The heartbeat: 100 ms.
        often[44..48].copy_from_slice(&[0, 0, 0, 100]);
        socket.write_all(&often).unwrap();
        socket.write_all(&[0, 0, 0, 7, 0, 0, 0, 1, b'a']).unwrap();
        let mut pongs = [0; 3 * 16];
        socket.read_exact(&mut pongs).unwrap();
        // A PING, which nobody reads now, and the next message.
        socket
            .write_all(&[0x80, 0, 0, 4, 0, 0, 0, 24, 0, 0, 0, 0, 0, 0, 0, 9])
            .unwrap();
        socket.write_all(&[0; 16]).unwrap();
        socket.write_all(&[0, 0, 0, 7, 0, 0, 0, 1, b'b']).unwrap();
        told.send(()).unwrap();
        let mut last = [0; 16];
        while last[15] == 0 {
            socket.read_exact(&mut last).unwrap();
        }
        (pongs, last)
    });
    let mut subscriber = Subscriber::open(options).unwrap();
    let item = timeout(DEADLINE, subscriber.next()).await.expect("no hang");
    assert!(matches!(item.unwrap(), Item::Message(message) if *message.body == *b"a"));
    let work = async {
        tokio::select! {
            done = tell => done.unwrap(),
            _ = subscriber.keep_alive() => unreachable!(),
        }
    };
    timeout(DEADLINE, work).await.expect("no hang");
    let item = timeout(DEADLINE, subscriber.next()).await.expect("no hang");
    assert!(matches!(item.unwrap(), Item::Message(message) if *message.body == *b"b"));
    // The PING is answered with the next poll.
    let _ = timeout(Duration::from_millis(5), subscriber.next()).await;
    let (pongs, last) = tokio::task::spawn_blocking(move || relay.join().unwrap())
        .await
        .unwrap();
    let unasked = [0x80, 0, 0, 5, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(pongs[..], unasked.repeat(3)[..]);
    assert_eq!(last[8..], [0, 0, 0, 0, 0, 0, 0, 9]);
}

/// A user who wants no message from the start: HELLO, WELCOME and signs of life need none of it.
#[tokio::test]
async fn a_pause_may_begin_before_welcome() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let events = Arc::new(Mutex::new(Vec::new()));
    let told = events.clone();
    let mut options = SubscriberOptions::new([listener.local_addr().unwrap().to_string()]);
    options.connection.hook = Some(Box::new(move |event| told.lock().unwrap().push(event.clone())));
    let (alive, is_alive) = tokio::sync::oneshot::channel();
    let (done, is_done) = std::sync::mpsc::channel::<()>();
    let relay = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        take_hello(&mut socket);
        let mut frames = welcome(2, 1);
        // The heartbeat: 100 ms.
        frames[44..48].copy_from_slice(&[0, 0, 0, 100]);
        frames.extend_from_slice(&[0, 0, 0, 7, 0, 0, 0, 1, b'a']);
        socket.write_all(&frames).unwrap();
        let mut pongs = [0; 2 * 16];
        socket.read_exact(&mut pongs).unwrap();
        alive.send(()).unwrap();
        let _ = is_done.recv();
        pongs
    });
    let mut subscriber = Subscriber::open(options).unwrap();
    let work = async {
        tokio::select! {
            done = is_alive => done.unwrap(),
            _ = subscriber.keep_alive() => unreachable!(),
        }
    };
    timeout(DEADLINE, work).await.expect("no hang");
    assert!(matches!(events.lock().unwrap()[..], [Event::Connected { .. }]));
    assert_eq!(subscriber.counters().messages, 0);
    let item = timeout(DEADLINE, subscriber.next()).await.expect("no hang");
    assert!(matches!(item.unwrap(), Item::Message(message) if *message.body == *b"a"));
    drop(done);
    let pongs = tokio::task::spawn_blocking(move || relay.join().unwrap());
    let unasked = [0x80, 0, 0, 5, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(pongs.await.unwrap()[..], unasked.repeat(2)[..]);
}

#[tokio::test]
async fn a_full_buffer_is_told_and_close_is_bounded() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut options = PublisherOptions::new([listener.local_addr().unwrap().to_string()]);
    options.acks = true;
    options.connection.name = "full".into();
    options.connection.max_body = 1000;
    options.buffer = Some(4 * 1008);
    options.close_timeout = Duration::from_millis(50);
    let publisher = Publisher::open(options).unwrap();
    for i in 0..4 {
        assert!(publisher.try_publish(i, &[0; 1000]).unwrap());
    }
    assert!(!publisher.try_publish(4, &[0; 1000]).unwrap());
    let relay = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        take_hello(&mut socket);
        socket.write_all(&welcome(1, 1)).unwrap();
        socket.read_exact(&mut [0; 4 * 1008]).unwrap();
        let mut ack = vec![0x80, 0, 0, 8, 0, 0, 0, 16];
        ack.extend_from_slice(&2i64.to_be_bytes());
        ack.extend_from_slice(&2i64.to_be_bytes());
        socket.write_all(&ack).unwrap();
        // Until the publisher has gone.
        let mut rest = Vec::new();
        let _ = socket.read_to_end(&mut rest);
    });
    timeout(DEADLINE, publisher.publish(4, &[0; 1000]))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(publisher.counters().settled, 2);
    let unsettled = timeout(DEADLINE, publisher.close()).await.unwrap().unwrap_err();
    assert_eq!(
        (unsettled.sent, unsettled.in_doubt + unsettled.unsent),
        (2 + unsettled.in_doubt, 3)
    );
    assert_eq!(unsettled.cause.kind(), Kind::Retry);
    relay.join().unwrap();
}

/// Over a Unix socket, without acknowledgements: close hands over everything, and hears the relay's last word.
#[tokio::test]
async fn close_hears_the_last_word() {
    let folder = Folder::new("word");
    let path = folder.0.join("socket");
    let listener = UnixListener::bind(&path).unwrap();
    let mut options = PublisherOptions::new([format!("unix:{}", path.display())]);
    options.connection.plain = true;
    let relay = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let mut frame = Vec::new();
        socket.read_to_end(&mut frame).unwrap();
        assert_eq!(frame, b"\0\0\0\x07\0\0\0\x02hi");
        socket
            .write_all(&[0x80, 0, 0, 9, 0, 0, 0, 4, 0, 29, b'n', b'o'])
            .unwrap();
        socket.shutdown(Shutdown::Both).unwrap();
    });
    let publisher = Publisher::open(options).unwrap();
    publisher.publish(7, b"hi").await.unwrap();
    let unsettled = timeout(DEADLINE, publisher.close()).await.unwrap().unwrap_err();
    assert_eq!((unsettled.sent, unsettled.in_doubt, unsettled.unsent), (1, 0, 0));
    assert_eq!(unsettled.cause.code(), 29);
    assert_eq!(unsettled.cause.kind(), Kind::Fatal);
    relay.join().unwrap();
}

/// A dropped publisher leaves neither its task nor its socket.
#[tokio::test]
async fn drop_leaves_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let options = PublisherOptions::new([listener.local_addr().unwrap().to_string()]);
    let publisher = Publisher::open(options).unwrap();
    publisher.publish(1, b"x").await.unwrap();
    let accepted = tokio::task::spawn_blocking(move || listener.accept().unwrap().0);
    let mut socket: TcpStream = timeout(DEADLINE, accepted).await.unwrap().unwrap();
    drop(publisher);
    let ended = tokio::task::spawn_blocking(move || socket.read_to_end(&mut Vec::new()));
    timeout(DEADLINE, ended).await.unwrap().unwrap().unwrap();
}

fn confirming_publisher(listener: &TcpListener) -> PublisherOptions {
    let mut options = PublisherOptions::new([listener.local_addr().unwrap().to_string()]);
    options.connection.reconnect = soon();
    options.close_timeout = DEADLINE;
    options
}

/// Accepts a publisher, and reads its messages up to a PING; returns their number and the PING's id.
fn read_to_ping(listener: &TcpListener) -> (TcpStream, usize, [u8; 8]) {
    let (mut socket, _) = listener.accept().unwrap();
    take_hello(&mut socket);
    let mut patient = welcome(0, 1);
    // Heartbeat and idle time-out: an hour.
    patient[44..52].copy_from_slice(&[0, 0x36, 0xEE, 0x80, 0, 0x36, 0xEE, 0x80]);
    socket.write_all(&patient).unwrap();
    for messages in 0.. {
        let mut header = [0; 8];
        socket.read_exact(&mut header).unwrap();
        let mut body = vec![0; header[7].into()];
        socket.read_exact(&mut body).unwrap();
        if header[..4] == [0x80, 0, 0, 4] {
            return (socket, messages, body[..8].try_into().unwrap());
        }
    }
    unreachable!()
}

fn pong(id: [u8; 8]) -> Vec<u8> {
    [&[0x80, 0, 0, 5, 0, 0, 0, 8][..], &id].concat()
}

#[tokio::test]
async fn flushes_share_one_ping_and_close_needs_none() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let publisher = Arc::new(Publisher::open(confirming_publisher(&listener)).unwrap());
    let (go, wait) = std::sync::mpsc::channel();
    let relay = std::thread::spawn(move || {
        let (mut socket, messages, id) = read_to_ping(&listener);
        wait.recv().unwrap();
        socket.write_all(&pong(id)).unwrap();
        let mut rest = Vec::new();
        socket.read_to_end(&mut rest).unwrap();
        (messages, rest)
    });
    for body in [b"a", b"b", b"c"] {
        publisher.publish(1, body).await.unwrap();
    }
    // Nobody is told of what a dropped flush would have told.
    let dropped = timeout(Duration::from_millis(5), publisher.flush(DEADLINE)).await;
    assert!(dropped.is_err());
    let unsettled = publisher.flush(Duration::from_millis(5)).await.unwrap_err();
    assert_eq!(unsettled.in_doubt + unsettled.unsent, 3);
    assert_eq!(unsettled.cause.kind(), Kind::Retry);
    let mut flushes = Vec::new();
    for _ in 0..20 {
        let its = publisher.clone();
        flushes.push(tokio::spawn(async move { its.flush(DEADLINE).await }));
    }
    tokio::task::yield_now().await;
    assert_eq!(publisher.counters().confirmed, 0);
    go.send(()).unwrap();
    for flush in flushes {
        assert_eq!(flush.await.unwrap(), Ok(()));
    }
    assert_eq!(publisher.counters().confirmed, 3);
    let publisher = Arc::into_inner(publisher).expect("the flushes are over");
    assert_eq!(publisher.close().await, Ok(()));
    // The end comes in order, without another PING.
    assert_eq!(relay.join().unwrap(), (3, Vec::new()));
}

#[tokio::test]
async fn a_loss_is_told_to_each_flush_that_waits_and_then_no_more() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let publisher = Publisher::open(confirming_publisher(&listener)).unwrap();
    let relay = std::thread::spawn(move || {
        read_to_ping(&listener);
        let (mut socket, messages, id) = read_to_ping(&listener);
        socket.write_all(&pong(id)).unwrap();
        socket.read_to_end(&mut Vec::new()).unwrap();
        messages
    });
    publisher.publish(1, b"a").await.unwrap();
    publisher.publish(1, b"b").await.unwrap();
    let both = async { tokio::join!(publisher.flush(DEADLINE), publisher.flush(DEADLINE)) };
    let (one, other) = timeout(DEADLINE, both).await.unwrap();
    for unsettled in [one.unwrap_err(), other.unwrap_err()] {
        assert_eq!((unsettled.sent, unsettled.in_doubt, unsettled.unsent), (2, 2, 0));
    }
    assert_eq!(publisher.flush(DEADLINE).await, Ok(()));
    publisher.publish(1, b"c").await.unwrap();
    assert_eq!(publisher.close().await, Ok(()));
    assert_eq!(relay.join().unwrap(), 1);
}

#[tokio::test]
async fn close_tells_what_is_in_doubt() {
    let (address, relay) = relay_without_answers();
    let mut options = PublisherOptions::new([address]);
    options.close_timeout = Duration::from_millis(50);
    let publisher = Publisher::open(options).unwrap();
    publisher.publish(1, b"a").await.unwrap();
    // The connection is there before the short time begins.
    let sent = async {
        while publisher.counters().settled == 0 {
            tokio::task::yield_now().await;
        }
    };
    timeout(DEADLINE, sent).await.unwrap();
    let unsettled = publisher.close().await.unwrap_err();
    assert_eq!((unsettled.sent, unsettled.in_doubt, unsettled.unsent), (1, 1, 0));
    relay.join().unwrap();
}

/// A relay that welcomes a publisher, and reads on until it has gone.
fn relay_without_answers() -> (String, std::thread::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let relay = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        take_hello(&mut socket);
        socket.write_all(&welcome(1, 1)).unwrap();
        let _ = socket.read_to_end(&mut Vec::new());
    });
    (address, relay)
}

fn small_publisher(address: String) -> PublisherOptions {
    let mut options = PublisherOptions::new([address]);
    options.acks = true;
    options.connection.name = "small".into();
    options.connection.max_body = 100;
    options.buffer = Some(4 * 108);
    options
}

/// Many calls that wait for room go on in their order, each woken for itself: their polls are counted.
#[tokio::test]
async fn calls_that_wait_for_room_stand_in_line() {
    const CALLS: u32 = 2000;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut options = PublisherOptions::new([listener.local_addr().unwrap().to_string()]);
    options.connection.plain = true;
    options.connection.max_body = 100;
    options.buffer = Some(4 * 108);
    options.close_timeout = DEADLINE;
    let publisher = Arc::new(Publisher::open(options).unwrap());
    let polls = Arc::new(AtomicU32::new(0));
    let mut calls = Vec::new();
    for i in 0..CALLS {
        let (its, polls) = (publisher.clone(), polls.clone());
        calls.push(tokio::spawn(async move {
            let mut body = [0; 100];
            body[..4].copy_from_slice(&i.to_be_bytes());
            let mut call = Box::pin(its.publish(1, &body));
            let polled = poll_fn(|cx| {
                polls.fetch_add(1, Ordering::Relaxed);
                call.as_mut().poll(cx)
            });
            if i % 10 == 7 {
                // One in ten gives up, at its place in the line or after it was woken.
                return timeout(Duration::from_micros(u64::from(i)), polled).await.is_err();
            }
            polled.await.unwrap();
            false
        }));
    }
    tokio::task::yield_now().await;
    assert!(!publisher.try_publish(1, b"no room, or others wait").unwrap());
    let relay = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let mut all = Vec::new();
        socket.read_to_end(&mut all).unwrap();
        all
    });
    let mut expected = Vec::new();
    for (i, call) in (0..CALLS).zip(calls) {
        if !timeout(DEADLINE, call).await.expect("no hang").unwrap() {
            expected.push(i);
        }
    }
    let polls = polls.load(Ordering::Relaxed);
    assert!(polls <= 4 * CALLS, "{polls} polls of {CALLS} calls");
    let publisher = Arc::into_inner(publisher).expect("the calls are over");
    publisher.close().await.unwrap();
    let all = relay.join().unwrap();
    let came: Vec<u32> = all
        .chunks(108)
        .map(|frame| u32::from_be_bytes(frame[8..12].try_into().unwrap()))
        .collect();
    assert_eq!(came, expected);
}

/// The task is gone with the panic: who waits for it is told.
#[tokio::test]
async fn a_panic_of_the_hook_ends_the_publisher() {
    let (address, relay) = relay_without_answers();
    let mut options = small_publisher(address);
    options.connection.hook = Some(Box::new(|_| panic!("a fault of the user")));
    let publisher = Publisher::open(options).unwrap();
    let full = async {
        loop {
            if let Err(error) = publisher.publish(1, &[0; 100]).await {
                return error;
            }
        }
    };
    let flushed = publisher.flush(DEADLINE);
    let error = timeout(DEADLINE, full).await.expect("no hang");
    assert_eq!(error.kind(), Kind::Fatal);
    assert_eq!(
        timeout(DEADLINE, flushed).await.expect("no hang").unwrap_err().cause,
        error
    );
    let closed = timeout(DEADLINE, tokio::spawn(publisher.close())).await.unwrap();
    assert!(closed.unwrap_err().is_panic());
    relay.join().unwrap();
}

/// The runtime takes the publisher's task with it.
#[test]
fn the_end_of_the_runtime_ends_the_publisher() {
    let runtime = || {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
    };
    let (address, relay) = relay_without_answers();
    let first = runtime();
    let publisher = first.block_on(async { Publisher::open(small_publisher(address)).unwrap() });
    assert!(publisher.try_publish(1, b"x").unwrap());
    drop(first);
    runtime().block_on(async {
        let flushed = publisher.flush(DEADLINE).await;
        assert_eq!(flushed.unwrap_err().cause.kind(), Kind::Fatal);
        let closed = timeout(DEADLINE, publisher.close()).await.expect("no hang");
        assert_eq!(closed.unwrap_err().unsent, 1);
    });
    // The relay may still wait for a connection that was never made.
    drop(relay);
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("msgrelay-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

struct Relay(Child);

impl Drop for Relay {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn a_round_trip_with_a_real_relay() {
    let Ok(jar) = std::env::var("RELAY_SERVER_JAR") else {
        eprintln!("skipped: RELAY_SERVER_JAR is not set");
        return;
    };
    const MESSAGES: i32 = 10_000;
    let folder = Folder::new("live");
    let socket = |name: &str| folder.0.join(name).display().to_string();
    let arguments = "--publish-port 0 --subscribe-port 0 --admin none --log-size 16m".split(' ');
    let _relay = Relay(
        Command::new("java")
            .args(["-jar", &jar])
            .args(arguments)
            .args([
                "--publish-socket",
                &socket("publish"),
                "--subscribe-socket",
                &socket("subscribe"),
            ])
            .spawn()
            .unwrap(),
    );
    let mut options = PublisherOptions::new([format!("unix:{}", socket("publish"))]);
    options.acks = true;
    options.connection.name = "live".into();
    options.connection.reconnect = soon();
    let publisher = Publisher::open(options).unwrap();
    for i in 1..=MESSAGES {
        publisher.publish(i % 3, i.to_string().as_bytes()).await.unwrap();
    }
    publisher.flush(DEADLINE).await.unwrap();
    publisher.close().await.unwrap();
    let mut options = SubscriberOptions::new([format!("unix:{}", socket("subscribe"))]);
    options.start = Start::Earliest;
    options.types = vec![(1, 1)];
    let mut subscriber = Subscriber::open(options).unwrap();
    for i in (1..=MESSAGES).step_by(3) {
        let item = timeout(DEADLINE, subscriber.next()).await.unwrap().unwrap();
        let Item::Message(message) = item else {
            panic!("{item:?}");
        };
        assert_eq!(message.sequence, Some(i.into()));
        assert_eq!(&message.body[..], i.to_string().as_bytes());
    }
}
