//! The I/O around the cores, with tokio.

use std::convert::Infallible;
use std::future::{poll_fn, Future};
use std::io;
use std::mem::MaybeUninit;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{ready, Context, Poll};
use std::time::{Duration, Instant, SystemTime};

use socket2::{Domain, SockRef, Socket, TcpKeepalive, Type};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{lookup_host, TcpSocket, TcpStream, UnixStream};
use tokio::time::{sleep, sleep_until, timeout, Sleep};

use crate::error::{Advice, Error, Failure};
use crate::link::{Link, Role, State};
use crate::options::{Connection, Endpoint, LocalCongestion};
use crate::secrets::{Secrets, Sources};
#[cfg(feature = "tls")]
use crate::tls::TlsStream;

enum Transport {
    Tcp(TcpStream),
    Unix(UnixStream),
    #[cfg(feature = "tls")]
    Tls(Box<TlsStream>),
}

impl Transport {
    fn poll_read(&mut self, cx: &mut Context<'_>, bytes: &mut [u8]) -> Poll<io::Result<usize>> {
        let mut buffer = ReadBuf::new(bytes);
        match self {
            Transport::Tcp(socket) => ready!(Pin::new(socket).poll_read(cx, &mut buffer))?,
            Transport::Unix(socket) => ready!(Pin::new(socket).poll_read(cx, &mut buffer))?,
            #[cfg(feature = "tls")]
            Transport::Tls(session) => return session.poll_read(cx, bytes),
        }
        Poll::Ready(Ok(buffer.filled().len()))
    }

    fn poll_write(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self {
            Transport::Tcp(socket) => Pin::new(socket).poll_write(cx, bytes),
            Transport::Unix(socket) => Pin::new(socket).poll_write(cx, bytes),
            #[cfg(feature = "tls")]
            Transport::Tls(session) => session.poll_write(cx, bytes),
        }
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            #[cfg(feature = "tls")]
            Transport::Tls(session) => session.poll_flush(cx),
            _ => {
                let _ = cx;
                Poll::Ready(Ok(()))
            }
        }
    }

    fn poll_shutdown(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Transport::Tcp(socket) => Pin::new(socket).poll_shutdown(cx),
            Transport::Unix(socket) => Pin::new(socket).poll_shutdown(cx),
            #[cfg(feature = "tls")]
            Transport::Tls(session) => session.poll_shutdown(cx),
        }
    }

    /// Whether something lies in the socket, if only its end.
    fn has_unread(&self) -> bool {
        let socket = match self {
            Transport::Tcp(socket) => SockRef::from(socket),
            Transport::Unix(socket) => SockRef::from(socket),
            #[cfg(feature = "tls")]
            Transport::Tls(session) => SockRef::from(session.socket()),
        };
        let looked = socket.peek(&mut [MaybeUninit::uninit()]);
        !looked.is_err_and(|e| e.kind() == io::ErrorKind::WouldBlock)
    }

    /// Whether nobody else can listen to this connection.
    fn is_secret(&self) -> bool {
        match self {
            Transport::Tcp(socket) => socket.peer_addr().is_ok_and(|peer| is_loopback(peer.ip())),
            _ => true,
        }
    }

    /// The failure of a read or of a handshake. With TLS 1.3 the relay refuses a certificate behind the handshake.
    fn failure(&self, endpoint: &str, e: &io::Error, greeting: bool) -> Failure {
        #[cfg(feature = "tls")]
        if let (Transport::Tls(session), true) = (self, greeting) {
            return session.failure(endpoint, e);
        }
        let _ = greeting;
        Failure::new(Advice::Again, 0, format!("connection to {endpoint} lost: {e}"))
    }
}

/// A connection with its token, and when this client's certificate ends, in seconds from 1970.
type Made = (Result<(Transport, Option<String>), Failure>, Option<u64>);

type Connecting = Pin<Box<dyn Future<Output = Made> + Send>>;

/// The sockets of one client, one after the other.
pub(crate) struct Io {
    begun: Instant,
    congestion: LocalCongestion,
    sources: Arc<Sources>,
    /// What was read at the open is for the first connection.
    first: Option<Secrets>,
    /// Of the present connection or try: the end of this client's certificate, in seconds from 1970.
    expires: Option<u64>,
    transport: Option<Transport>,
    connecting: Option<Connecting>,
    sleep: Option<(u64, Pin<Box<Sleep>>)>,
    /// The client says no more, and listens until the relay ends the connection.
    half_closed: bool,
}

impl Io {
    pub(crate) fn new(options: &Connection, congestion: LocalCongestion) -> Result<Io, Error> {
        check_congestion(&congestion)?;
        let sources = Arc::new(Sources::new(options));
        let first = sources.read().map_err(|text| Error::yours(0, text))?;
        Ok(Io {
            begun: Instant::now(),
            congestion,
            sources,
            first: Some(first),
            expires: None,
            transport: None,
            connecting: None,
            sleep: None,
            half_closed: false,
        })
    }

    fn now(&self) -> u64 {
        self.begun.elapsed().as_millis() as u64
    }

    /// Ready at this time.
    fn poll_sleep(&mut self, cx: &mut Context<'_>, until: u64) -> Poll<()> {
        let instant = self.begun + Duration::from_millis(until);
        let (set, sleep) = self
            .sleep
            .get_or_insert_with(|| (until, Box::pin(sleep_until(instant.into()))));
        if *set != until {
            *set = until;
            sleep.as_mut().reset(instant.into());
        }
        sleep.as_mut().poll(cx)
    }

    /// Ends the connection of a role that has none any more, in order, with its last word to the relay.
    pub(crate) fn hang_up(&mut self, cx: &mut Context<'_>, farewell: &[u8]) {
        self.connecting = None;
        let Some(mut transport) = self.transport.take() else {
            return;
        };
        if !farewell.is_empty() {
            let _ = transport.poll_write(cx, farewell);
        }
        let _ = transport.poll_shutdown(cx);
        // Unread input would make the system reset the connection, which overtakes the ERROR.
        let mut rest = [0; 16 << 10];
        for _ in 0..4 {
            let Poll::Ready(Ok(1..)) = transport.poll_read(cx, &mut rest) else {
                return;
            };
        }
    }

    pub(crate) fn close(&mut self) {
        self.transport = None;
        self.connecting = None;
    }

    pub(crate) fn half_close(&mut self) {
        self.half_closed = true;
    }

    /// Goes on; ready when frames may have come, or the state has changed.
    pub(crate) fn poll<R: Role>(&mut self, cx: &mut Context<'_>, role: &mut R) -> Poll<()> {
        loop {
            role.link().now = self.now();
            match role.link().state {
                State::Ended | State::Idle if self.transport.is_some() => {
                    let farewell = std::mem::take(&mut role.link().farewell);
                    self.hang_up(cx, &farewell);
                }
                State::Ended => return Poll::Ready(()),
                State::Idle => {
                    let due = role.link().due;
                    if role.link().now < due {
                        ready!(self.poll_sleep(cx, due));
                        continue;
                    }
                    role.link().connecting();
                    let link = role.link();
                    let (first, sources) = (self.first.take(), self.sources.clone());
                    let secrets = async move {
                        match first {
                            Some(first) => Ok(first),
                            None => sources.read_apart().await,
                        }
                    };
                    self.connecting = Some(Box::pin(connect(
                        link.endpoint().to_owned(),
                        secrets,
                        link.options.connect_timeout,
                        link.publisher && link.options.plain,
                        self.congestion.clone(),
                    )));
                }
                State::Connecting => {
                    let Some(connecting) = &mut self.connecting else {
                        return Poll::Pending;
                    };
                    let (made, expires) = ready!(connecting.as_mut().poll(cx));
                    self.connecting = None;
                    self.expires = expires;
                    role.link().now = self.now();
                    self.look_at_certificate(role.link());
                    let begun = made.and_then(|(transport, token)| {
                        let secret = transport.is_secret();
                        role.link().token = token;
                        self.transport = Some(transport);
                        role.begin(secret)
                    });
                    if let Err(failure) = begun {
                        role.fail(failure);
                    }
                    return Poll::Ready(());
                }
                State::Greeting | State::Open => {
                    if let Err(failure) = ready!(self.transfer(cx, role)) {
                        role.fail(failure);
                    }
                    return Poll::Ready(());
                }
            }
        }
    }

    /// Writes what there is, with a PONG each heartbeat, and reads nothing; behind WELCOME, for a user who wants no message
    /// now.
    pub(crate) fn poll_alive<R: Role>(&mut self, cx: &mut Context<'_>, role: &mut R) -> Poll<Infallible> {
        loop {
            role.link().now = self.now();
            let (Some(due), Some(transport)) = (role.link().unasked_pong(), &mut self.transport) else {
                return Poll::Pending;
            };
            write(cx, transport, false, role);
            ready!(self.poll_sleep(cx, due));
        }
    }

    /// What there is to tell of the days of this client's certificate.
    fn look_at_certificate(&self, link: &mut Link) {
        let wall = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let left = |end| end as i64 - wall.unwrap_or_default().as_secs() as i64;
        link.look_at_certificate(self.expires.map(|end| (end, left(end))));
    }

    /// Writes what there is, and reads once.
    fn transfer<R: Role>(&mut self, cx: &mut Context<'_>, role: &mut R) -> Poll<Result<(), Failure>> {
        if role.link().is_certificate_due() {
            self.look_at_certificate(role.link());
        }
        let Some(transport) = &mut self.transport else {
            return Poll::Pending;
        };
        let asked_at = role.link().now;
        write(cx, transport, self.half_closed, role);
        let link = role.link();
        match transport.poll_read(cx, link.room()) {
            Poll::Ready(Ok(0)) => return Poll::Ready(Err(link.end_of_stream())),
            Poll::Ready(Ok(n)) => {
                link.read(n);
                if link.state == State::Greeting {
                    // Messages before WELCOME do not extend the time for it.
                    return Poll::Ready(link.late());
                }
                return Poll::Ready(Ok(()));
            }
            Poll::Ready(Err(e)) => {
                let greeting = link.state == State::Greeting;
                return Poll::Ready(Err(transport.failure(link.endpoint(), &e, greeting)));
            }
            Poll::Pending => {}
        }
        loop {
            role.link().now = self.now();
            // A runtime whose thread was busy for a while does not know yet what lies in the socket.
            if role.link().is_silent() && self.transport.as_ref().is_some_and(Transport::has_unread) {
                role.link().heard();
            }
            if let Err(late) = role.link().late() {
                return Poll::Ready(Err(late));
            }
            // What was due before waits for room in the socket.
            let due = role.due().filter(|due| *due > asked_at);
            if due.is_some_and(|due| role.link().now >= due) || role.link().is_certificate_due() {
                return Poll::Ready(Ok(()));
            }
            let link = role.link();
            match due.into_iter().chain(link.until()).chain(link.certificate_due).min() {
                None => return Poll::Pending,
                Some(until) => ready!(self.poll_sleep(cx, until)),
            }
        }
    }
}

/// Writes what there is, as far as the socket takes it.
fn write<R: Role>(cx: &mut Context<'_>, transport: &mut Transport, half_closed: bool, role: &mut R) {
    loop {
        let output = role.output();
        if output.is_empty() || half_closed {
            break;
        }
        match transport.poll_write(cx, output) {
            Poll::Ready(Ok(n)) => role.wrote(n),
            Poll::Ready(Err(_)) => role.link().write_failed(),
            Poll::Pending => break,
        }
    }
    let flushed = if half_closed {
        transport.poll_shutdown(cx)
    } else {
        transport.poll_flush(cx)
    };
    if let Poll::Ready(Err(_)) = flushed {
        role.link().write_failed();
    }
}

/// When the system asks whether a quiet peer is there, how often it asks again, and how many unanswered questions are the
/// end of the connection: a plain subscriber has no other way to notice a cut.
const KEEP_ALIVE_IDLE: Duration = Duration::from_secs(15);
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(5);
const KEEP_ALIVE_PROBES: u32 = 3;
/// While something waits to be acknowledged the system does not ask. A plain publisher, which hears nothing of the relay,
/// waits so long for it.
#[cfg(any(target_os = "linux", target_os = "android"))]
const PLAIN_PUBLISHER_PATIENCE: Duration = Duration::from_secs(30);

/// Messages go out at once, and a cut is noticed as far as this system can.
fn set_up_tcp(socket: &TcpStream, is_plain_publisher: bool) -> io::Result<()> {
    socket.set_nodelay(true)?;
    let keep_alive = TcpKeepalive::new()
        .with_time(KEEP_ALIVE_IDLE)
        .with_interval(KEEP_ALIVE_INTERVAL)
        .with_retries(KEEP_ALIVE_PROBES);
    let options = SockRef::from(socket);
    options.set_tcp_keepalive(&keep_alive)?;
    #[cfg(any(target_os = "linux", target_os = "android"))]
    if is_plain_publisher {
        options.set_tcp_user_timeout(Some(PLAIN_PUBLISHER_PATIENCE))?;
    }
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let _ = is_plain_publisher;
    Ok(())
}

fn is_loopback(peer: IpAddr) -> bool {
    match peer {
        IpAddr::V6(v6) => v6.to_ipv4_mapped().map_or(v6.is_loopback(), |v4| v4.is_loopback()),
        IpAddr::V4(v4) => v4.is_loopback(),
    }
}

fn is_on_this_host(own: IpAddr, peer: IpAddr) -> bool {
    is_loopback(peer) || own == peer
}

/// Whether a connection to this address would be one to this host: UDP, which sends nothing, knows where it would come
/// from.
fn leads_to_this_host(address: SocketAddr) -> bool {
    let any: IpAddr = match address {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let ends = UdpSocket::bind((any, 0)).and_then(|asked| {
        asked.connect(address)?;
        Ok((asked.local_addr()?.ip(), asked.peer_addr()?.ip()))
    });
    ends.map_or(is_loopback(address.ip()), |(own, peer)| is_on_this_host(own, peer))
}

/// A connection, of which the congestion control is chosen before bbr turns pacing on: that stays on when bbr goes.
async fn connect_tcp(address: SocketAddr, congestion: &LocalCongestion) -> io::Result<TcpStream> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    if *congestion != LocalCongestion::System && leads_to_this_host(address) {
        choose_congestion(&SockRef::from(&socket), congestion);
    }
    socket.connect(address).await
}

/// Does what is chosen for a connection to this host, as far as the system does: a name was tried at the open.
fn choose_congestion(socket: &Socket, choice: &LocalCongestion) {
    let _ = match choice {
        LocalCongestion::Auto => set_congestion(socket, "cubic").or_else(|_| set_congestion(socket, "reno")),
        LocalCongestion::System => Ok(()),
        LocalCongestion::Name(name) => set_congestion(socket, name),
    };
}

/// Whether the system gives a congestion control of this name to this process: it is tried, since no list tells.
fn check_congestion(choice: &LocalCongestion) -> Result<(), Error> {
    let LocalCongestion::Name(name) = choice else {
        return Ok(());
    };
    let v4 = Socket::new(Domain::IPV4, Type::STREAM, None);
    let Ok(socket) = v4.or_else(|_| Socket::new(Domain::IPV6, Type::STREAM, None)) else {
        return Ok(());
    };
    set_congestion(&socket, name).map_err(|_| {
        let allowed = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_allowed_congestion_control");
        let allowed = allowed.map_or(String::new(), |names| format!("; it allows {}", names.trim()));
        Error::yours(
            0,
            format!("local congestion {name:?} is none that the system gives{allowed}"),
        )
    })
}

/// Names the congestion control of a socket.
#[cfg(target_os = "linux")]
fn set_congestion(socket: &Socket, name: &str) -> io::Result<()> {
    /// Linux would cut a longer name, or one at a 0.
    const LONGEST: usize = 15;
    if name.is_empty() || name.len() > LONGEST || name.contains('\0') {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    socket.set_tcp_congestion(name.as_bytes())
}

/// Nothing is named on other systems.
#[cfg(not(target_os = "linux"))]
fn set_congestion(_: &Socket, _: &str) -> io::Result<()> {
    Ok(())
}

/// Most addresses of a name that one try takes.
const MOST_ADDRESSES: usize = 32;
/// Time after which the next address of a name is tried beside those before it (RFC 8305).
const NEXT_ADDRESS: Duration = Duration::from_millis(250);

/// The addresses in the order of the system, but IPv6 and IPv4 in turns: one of them may lead nowhere.
fn in_turns(addresses: impl Iterator<Item = SocketAddr>) -> Vec<SocketAddr> {
    let all: Vec<SocketAddr> = addresses.take(MOST_ADDRESSES).collect();
    let first = all.first().is_some_and(SocketAddr::is_ipv6);
    let mut ones = all.iter().filter(|address| address.is_ipv6() == first);
    let mut others = all.iter().filter(|address| address.is_ipv6() != first);
    let mut turns = Vec::with_capacity(all.len());
    while turns.len() < all.len() {
        turns.extend(ones.next());
        turns.extend(others.next());
    }
    turns
}

/// The first connection that is made. The next address begins when one has failed, or has had its time; those that come
/// too late are closed.
async fn race<T, F>(addresses: Vec<SocketAddr>, connect: impl Fn(SocketAddr) -> F) -> io::Result<T>
where
    F: Future<Output = io::Result<T>>,
{
    let mut addresses = addresses.into_iter();
    let mut tries: Vec<Pin<Box<F>>> = Vec::new();
    let mut turn = Box::pin(sleep(Duration::ZERO));
    let mut failure = None;
    poll_fn(|cx| loop {
        let mut has_failed = false;
        let mut i = 0;
        while i < tries.len() {
            match tries[i].as_mut().poll(cx) {
                Poll::Ready(Ok(made)) => return Poll::Ready(Ok(made)),
                Poll::Ready(Err(e)) => {
                    failure = Some(e);
                    drop(tries.swap_remove(i));
                    has_failed = true;
                }
                Poll::Pending => i += 1,
            }
        }
        if !has_failed && !tries.is_empty() && turn.as_mut().poll(cx).is_pending() {
            return Poll::Pending;
        }
        match addresses.next() {
            Some(address) => {
                tries.push(Box::pin(connect(address)));
                turn.as_mut().reset(tokio::time::Instant::now() + NEXT_ADDRESS);
            }
            None if tries.is_empty() => {
                let nowhere = || io::Error::new(io::ErrorKind::NotFound, "the name has no address");
                return Poll::Ready(Err(failure.take().unwrap_or_else(nowhere)));
            }
            None => return Poll::Pending,
        }
    })
    .await
}

async fn connect(
    text: String,
    secrets: impl Future<Output = Result<Secrets, String>>,
    limit: Duration,
    is_plain_publisher: bool,
    congestion: LocalCongestion,
) -> Made {
    let failed = |e: &dyn std::fmt::Display| Failure::new(Advice::Again, 0, format!("connecting to {text}: {e}"));
    let mut expires = None;
    let made = timeout(limit, async {
        let Secrets {
            tls,
            token,
            expires: end,
        } = secrets.await.map_err(|e| failed(&e))?;
        expires = end;
        let (host, port) = match Endpoint::parse(&text).map_err(|e| failed(&e))? {
            Endpoint::Unix(path) => {
                let socket = UnixStream::connect(path).await.map_err(|e| failed(&e))?;
                return Ok((Transport::Unix(socket), token));
            }
            Endpoint::Tcp(host, port) => (host, port),
        };
        let addresses = lookup_host((host.as_str(), port)).await.map_err(|e| failed(&e))?;
        let socket = race(in_turns(addresses), |address| connect_tcp(address, &congestion))
            .await
            .map_err(|e| failed(&e))?;
        set_up_tcp(&socket, is_plain_publisher).map_err(|e| failed(&e))?;
        // A route may have put a choice of its own in the place of ours.
        if let (Ok(own), Ok(peer)) = (socket.local_addr(), socket.peer_addr()) {
            if is_on_this_host(own.ip(), peer.ip()) {
                choose_congestion(&SockRef::from(&socket), &congestion);
            }
        }
        let transport = match tls {
            None => Transport::Tcp(socket),
            #[cfg(feature = "tls")]
            Some(tls) => {
                let mut session = tls.begin(socket, &host)?;
                let secured = poll_fn(|cx| session.poll_handshake(cx)).await;
                secured.map_err(|e| session.failure(&text, &e))?;
                Transport::Tls(Box::new(session))
            }
            #[cfg(not(feature = "tls"))]
            Some(_) => return Err(failed(&"TLS needs the feature tls of this crate")),
        };
        Ok((transport, token))
    });
    let made = made.await;
    let made = made.unwrap_or_else(|_| Err(failed(&format!("took more than {limit:?}"))));
    (made, expires)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    const NO_SECRETS: Secrets = Secrets {
        tls: None,
        token: None,
        expires: None,
    };

    /// A made-up address: `dead` answers nothing, `refused` at once, `late` connects after a second.
    fn address(what: &str) -> SocketAddr {
        let port = match what {
            "dead" => 1,
            "refused" => 2,
            "late" => 3,
            _ => 4,
        };
        ([192, 0, 2, 1], port).into()
    }

    /// Races for these addresses; what came of it, and the milliseconds at which each one began.
    async fn race_of(addresses: &[&str]) -> (io::Result<u16>, Vec<u64>) {
        let start = tokio::time::Instant::now();
        let begun = Mutex::new(Vec::new());
        let connect = |address: SocketAddr| {
            begun.lock().unwrap().push(start.elapsed().as_millis() as u64);
            async move {
                match address.port() {
                    1 => std::future::pending().await,
                    2 => return Err(io::ErrorKind::ConnectionRefused.into()),
                    3 => sleep(Duration::from_secs(1)).await,
                    _ => {}
                }
                Ok(address.port())
            }
        };
        let addresses = addresses.iter().map(|what| address(what)).collect();
        let won = timeout(Duration::from_secs(5), race(addresses, connect)).await;
        let won = won.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        (won, begun.into_inner().unwrap())
    }

    #[tokio::test(start_paused = true)]
    async fn a_dead_address_does_not_keep_the_next_one_waiting() {
        let (won, begun) = race_of(&["dead", "good"]).await;
        assert_eq!((won.unwrap(), begun), (4, vec![0, 250]));
        let (won, begun) = race_of(&["dead", "refused", "dead", "good"]).await;
        assert_eq!((won.unwrap(), begun), (4, vec![0, 250, 250, 500]));
        // The first one goes on beside the others.
        let (won, begun) = race_of(&["late", "dead", "dead"]).await;
        assert_eq!((won.unwrap(), begun), (3, vec![0, 250, 500]));
        let (won, begun) = race_of(&["refused", "refused"]).await;
        assert_eq!(won.unwrap_err().kind(), io::ErrorKind::ConnectionRefused);
        assert_eq!(begun, [0, 0]);
        let (won, begun) = race_of(&["dead", "dead"]).await;
        assert_eq!(won.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert_eq!(begun, [0, 250]);
        assert_eq!(race_of(&[]).await.0.unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn the_families_take_turns() {
        let address = |text: &str| text.parse::<SocketAddr>().unwrap();
        let system = ["[::1]:1", "[::2]:1", "[::3]:1", "127.0.0.1:1", "127.0.0.2:1"].map(address);
        let turns = ["[::1]:1", "127.0.0.1:1", "[::2]:1", "127.0.0.2:1", "[::3]:1"].map(address);
        assert_eq!(in_turns(system.into_iter()), turns);
        assert_eq!(in_turns(std::iter::repeat(turns[0]).take(1000)).len(), MOST_ADDRESSES);
    }

    #[tokio::test]
    async fn a_peer_that_is_cut_off_is_noticed() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        for is_plain_publisher in [false, true] {
            let made = connect(
                listener.local_addr().unwrap().to_string(),
                std::future::ready(Ok(NO_SECRETS)),
                Duration::from_secs(60),
                is_plain_publisher,
                LocalCongestion::System,
            );
            let (Ok((Transport::Tcp(socket), None)), None) = made.await else {
                panic!("not connected");
            };
            let options = SockRef::from(&socket);
            assert!(options.keepalive().unwrap());
            assert_eq!(options.tcp_keepalive_time().unwrap(), Duration::from_secs(15));
            assert_eq!(options.tcp_keepalive_interval().unwrap(), Duration::from_secs(5));
            assert_eq!(options.tcp_keepalive_retries().unwrap(), 3);
            #[cfg(target_os = "linux")]
            assert_eq!(
                options.tcp_user_timeout().unwrap(),
                is_plain_publisher.then_some(Duration::from_secs(30))
            );
        }
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn connections_to_this_host_choose() {
        let of = |socket: &TcpStream| SockRef::from(socket).tcp_congestion().unwrap();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        // What a socket has that nobody has touched, and one that was asked for these names in turn.
        let untouched = TcpStream::connect(address).await.unwrap();
        let system = of(&untouched);
        if let Err(e) = set_congestion(&SockRef::from(&untouched), "reno") {
            eprintln!("skipped: the system lets nobody choose a congestion control: {e}");
            return;
        }
        let reno = of(&untouched);
        assert!(reno.starts_with(b"reno"));
        let _ = set_congestion(&SockRef::from(&untouched), "cubic");
        for (choice, expected) in [
            (LocalCongestion::Name("reno".into()), reno),
            (LocalCongestion::System, system),
            (LocalCongestion::default(), of(&untouched)),
        ] {
            let made = connect(
                address.to_string(),
                std::future::ready(Ok(NO_SECRETS)),
                Duration::from_secs(60),
                false,
                choice,
            );
            let (Ok((Transport::Tcp(socket), None)), None) = made.await else {
                panic!("not connected");
            };
            assert_eq!(of(&socket), expected);
        }
        for unknown in ["nonesuch", "", "renorenorenoreno", "reno\0"] {
            let error = check_congestion(&LocalCongestion::Name(unknown.into())).unwrap_err();
            assert_eq!(error.kind(), crate::Kind::Yours);
            assert!(error.to_string().contains(&format!("{unknown:?}")));
        }
    }

    #[test]
    fn what_is_on_this_host() {
        assert!(leads_to_this_host(([127, 3, 2, 1], 1).into()));
        for (own, peer, expected) in [
            ("127.0.0.1", "127.3.2.1", true),
            ("::1", "::1", true),
            ("::ffff:127.0.0.1", "::ffff:127.0.0.1", true),
            ("192.0.2.1", "192.0.2.1", true),
            ("192.0.2.1", "192.0.2.2", false),
            ("2001:db8::1", "2001:db8::1", true),
            ("2001:db8::1", "2001:db8::2", false),
            ("::ffff:192.0.2.1", "::ffff:192.0.2.2", false),
        ] {
            let here = is_on_this_host(own.parse().unwrap(), peer.parse().unwrap());
            assert_eq!(here, expected, "{own} to {peer}");
        }
    }
}
