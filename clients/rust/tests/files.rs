//! Tokens and files that change while a client lives.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use msgrelay::{Event, Kind, Reconnect, Subscriber, SubscriberOptions, TlsFiles, Token};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use tokio::time::timeout;

/// Only a hang takes so long.
const DEADLINE: Duration = Duration::from_secs(60);

/// HELLO's token: its last field, with a length before it.
fn token_of(socket: &mut impl Read) -> String {
    let mut header = [0; 8];
    socket.read_exact(&mut header).unwrap();
    assert_eq!(header[..4], [0x80, 0, 0, 1]);
    let mut body = vec![0; usize::from(header[6]) << 8 | usize::from(header[7])];
    socket.read_exact(&mut body).unwrap();
    // Up to the producer id: fixed fields, and an empty name.
    String::from_utf8(body[42 + 16 + 2..].to_vec()).unwrap()
}

fn welcome() -> Vec<u8> {
    let mut frame = vec![0x80, 0, 0, 2, 0, 0, 0, 50, 0, 1, 1, 0, 0, 0, 0, 2];
    for field in [9i64, 1, 0] {
        frame.extend_from_slice(&field.to_be_bytes());
    }
    for field in [1u32 << 20, 1000, 5000] {
        frame.extend_from_slice(&field.to_be_bytes());
    }
    frame.extend_from_slice(&[4, 0, 0, 0, 0, 0]);
    frame
}

const NOT_AUTHENTICATED: [u8; 10] = [0x80, 0, 0, 9, 0, 0, 0, 2, 0, 28];

type Told = Arc<Mutex<VecDeque<Event>>>;

/// A subscriber of a relay on loopback, its events, and the relay.
fn subscriber_of(listener: &TcpListener) -> (SubscriberOptions, Told) {
    let mut options = SubscriberOptions::new([listener.local_addr().unwrap().to_string()]);
    options.connection.reconnect = Reconnect {
        first: Duration::from_millis(1),
        longest: Duration::from_millis(5),
        ..Reconnect::default()
    };
    let told = Told::default();
    let its = told.clone();
    options.connection.hook = Some(Box::new(move |event| its.lock().unwrap().push_back(event.clone())));
    (options, told)
}

/// Polls the subscriber until it has told of a connection; returns the texts of the tries that were lost before.
async fn connect(subscriber: &mut Subscriber, told: &Told) -> Vec<String> {
    let mut lost = Vec::new();
    let connected = async {
        loop {
            let _ = timeout(Duration::from_millis(5), subscriber.next()).await;
            while let Some(event) = told.lock().unwrap().pop_front() {
                match event {
                    Event::Connected { .. } => return,
                    Event::Lost(error) => lost.push(error.to_string()),
                    other => panic!("{other:?}"),
                }
            }
        }
    };
    timeout(DEADLINE, connected).await.expect("no hang");
    lost
}

/// Polls the subscriber until it has lost a try with this text.
async fn lose(subscriber: &mut Subscriber, told: &Told, text: &str) {
    let lost = async {
        loop {
            let event = told.lock().unwrap().pop_front();
            match event {
                Some(Event::Lost(error)) if error.to_string().contains(text) => return,
                Some(Event::Lost(_)) => {}
                Some(other) => panic!("{other:?}"),
                None => drop(timeout(Duration::from_millis(5), subscriber.next()).await),
            }
        }
    };
    timeout(DEADLINE, lost).await.expect("no hang");
}

/// A relay that takes the tokens of connections, until it welcomes the one with this token.
fn relay_of_tokens(listener: TcpListener, good: &'static str) -> JoinHandle<Vec<String>> {
    std::thread::spawn(move || {
        let mut tokens = Vec::new();
        loop {
            let (mut socket, _) = listener.accept().unwrap();
            tokens.push(token_of(&mut socket));
            if tokens.last().is_some_and(|token| token == good) {
                socket.write_all(&welcome()).unwrap();
                return tokens;
            }
            socket.write_all(&NOT_AUTHENTICATED).unwrap();
        }
    })
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("msgrelay-files-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[tokio::test]
async fn a_token_that_is_renewed() {
    let folder = Folder::new("token");
    let path = folder.file("token");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (mut options, _) = subscriber_of(&listener);
    options.connection.token = Some(Token::File(path.clone()));
    let missing = Subscriber::open(options).err().expect("the token is missing");
    assert_eq!(missing.kind(), Kind::Yours);
    assert!(missing.to_string().contains("token"));

    std::fs::write(&path, "old\n").unwrap();
    let (mut options, told) = subscriber_of(&listener);
    options.connection.token = Some(Token::File(path.clone()));
    let mut subscriber = Subscriber::open(options).unwrap();
    let relay = relay_of_tokens(listener, "new");
    lose(&mut subscriber, &told, "NOT_AUTHENTICATED").await;
    std::fs::remove_file(&path).unwrap();
    lose(&mut subscriber, &told, "token in").await;
    std::fs::write(folder.file("draft"), "new\r\n").unwrap();
    std::fs::rename(folder.file("draft"), &path).unwrap();
    connect(&mut subscriber, &told).await;
    let mut tokens = relay.join().unwrap();
    assert_eq!(tokens.pop().as_deref(), Some("new"));
    assert!(tokens.iter().all(|token| token == "old"), "{tokens:?}");
}

#[tokio::test]
async fn a_function_for_the_token() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (mut options, _) = subscriber_of(&listener);
    options.connection.token = Some(Token::Call(Arc::new(|| Err("no vault here".into()))));
    let failed = Subscriber::open(options).err().expect("there is no token");
    assert_eq!(failed.kind(), Kind::Yours);
    assert!(failed.to_string().contains("no vault here"));

    // The third call fails, and the fourth panics.
    let calls = Arc::new(AtomicU32::new(0));
    let its = calls.clone();
    let (mut options, told) = subscriber_of(&listener);
    options.connection.token = Some(Token::Call(Arc::new(move || {
        match its.fetch_add(1, Ordering::Relaxed) + 1 {
            3 => Err("sealed".into()),
            4 => panic!("a fault of the user"),
            call => Ok(format!("token {call}")),
        }
    })));
    let mut subscriber = Subscriber::open(options).unwrap();
    let relay = relay_of_tokens(listener, "token 5");
    let lost = connect(&mut subscriber, &told).await;
    assert_eq!(relay.join().unwrap(), ["token 1", "token 2", "token 5"]);
    assert_eq!(lost.len(), 4);
    assert!(lost[0].contains("NOT_AUTHENTICATED") && lost[1].contains("NOT_AUTHENTICATED"));
    assert!(lost[2].contains("sealed") && lost[3].contains("panicked"));
}

/// A token that the caller gives stays as it is: the relay's refusal is the end.
#[tokio::test]
async fn a_token_of_the_options_is_not_tried_again() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (mut options, _) = subscriber_of(&listener);
    options.connection.token = Some("old".into());
    let mut subscriber = Subscriber::open(options).unwrap();
    relay_of_tokens(listener, "new");
    let error = timeout(DEADLINE, subscriber.next())
        .await
        .expect("no hang")
        .unwrap_err();
    assert_eq!((error.kind(), error.code()), (Kind::Fatal, 28));
}

fn kit(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../conformance/tls")
        .join(name)
}

/// A relay with TLS, which goes on until a handshake is done and the client welcomed.
fn relay_of_certificates(listener: TcpListener, client_authority: Option<&str>) -> JoinHandle<()> {
    let chain: Vec<_> = CertificateDer::pem_file_iter(kit("server.pem"))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    let key = PrivateKeyDer::from_pem_file(kit("server.key")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&[&rustls::version::TLS13])
        .unwrap();
    let builder = match client_authority {
        None => builder.with_no_client_auth(),
        Some(authority) => {
            let mut roots = RootCertStore::empty();
            for certificate in CertificateDer::pem_file_iter(kit(authority)).unwrap() {
                roots.add(certificate.unwrap()).unwrap();
            }
            let verifier = rustls::server::WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            builder.with_client_cert_verifier(verifier.build().unwrap())
        }
    };
    let config = Arc::new(builder.with_single_cert(chain, key).unwrap());
    std::thread::spawn(move || loop {
        let (socket, _) = listener.accept().unwrap();
        let mut stream: StreamOwned<ServerConnection, TcpStream> =
            StreamOwned::new(ServerConnection::new(config.clone()).unwrap(), socket);
        let mut header = [0; 8];
        if stream.read_exact(&mut header).is_ok() {
            stream.write_all(&welcome()).unwrap();
            return;
        }
    })
}

/// After a change of authority, and of the client's own certificate, the files are good again: the client comes back.
#[tokio::test]
async fn files_that_are_renewed() {
    if !kit("ca.pem").exists() {
        eprintln!("skipped: the kit's certificates are not here");
        return;
    }
    let folder = Folder::new("tls");
    let put = |from: &str, to: &str| {
        std::fs::copy(kit(from), folder.file("draft")).unwrap();
        std::fs::rename(folder.file("draft"), folder.file(to)).unwrap();
    };
    for client in [false, true] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (mut options, told) = subscriber_of(&listener);
        put(if client { "ca.pem" } else { "other-ca.pem" }, "ca.pem");
        put("other-client.pem", "client.pem");
        put("other-client.key", "client.key");
        options.connection.tls = Some(TlsFiles {
            ca: folder.file("ca.pem"),
            certificate: client.then(|| (folder.file("client.pem"), folder.file("client.key"))),
            server_name: None,
        });
        let mut subscriber = Subscriber::open(options).unwrap();
        let relay = relay_of_certificates(listener, client.then_some("ca.pem"));
        // More tries than the five that any other failure of TLS has.
        for _ in 0..8 {
            lose(&mut subscriber, &told, "TLS with").await;
        }
        // Half of a pair is a lost try too.
        put("client.key", "client.key");
        put("ca.pem", "ca.pem");
        let _ = timeout(Duration::from_millis(20), subscriber.next()).await;
        put("client.pem", "client.pem");
        connect(&mut subscriber, &told).await;
        relay.join().unwrap();
    }
}
