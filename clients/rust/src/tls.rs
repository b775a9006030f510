//! TLS by rustls over a tokio socket.

use std::io::{self, Read, Write};
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{ready, Context, Poll};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::error::{Advice, Failure};
use crate::options::TlsFiles;

pub(crate) struct Tls {
    config: Arc<ClientConfig>,
    server_name: Option<String>,
    has_certificate: bool,
}

impl Tls {
    pub(crate) fn new(files: &TlsFiles) -> Result<Tls, String> {
        let wrong = |what: &dyn std::fmt::Display| format!("TLS: {what}");
        let chain = |path: &std::path::Path| -> Result<Vec<CertificateDer<'static>>, String> {
            let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect);
            read.map_err(|e| wrong(&format!("{}: {e}", path.display())))
        };
        let mut roots = RootCertStore::empty();
        for certificate in chain(&files.ca)? {
            roots.add(certificate).map_err(|e| wrong(&e))?;
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&rustls::version::TLS13])
            .map_err(|e| wrong(&e))?
            .with_root_certificates(roots);
        let config = match &files.certificate {
            None => builder.with_no_client_auth(),
            Some((certificate, key)) => {
                let key = PrivateKeyDer::from_pem_file(key).map_err(|e| wrong(&format!("{}: {e}", key.display())))?;
                builder
                    .with_client_auth_cert(chain(certificate)?, key)
                    .map_err(|e| wrong(&e))?
            }
        };
        Ok(Tls {
            config: Arc::new(config),
            server_name: files.server_name.clone(),
            has_certificate: files.certificate.is_some(),
        })
    }

    /// Begins TLS over a connected socket.
    pub(crate) fn begin(&self, socket: TcpStream, host: &str) -> Result<TlsStream, Failure> {
        let host = self.server_name.as_deref().unwrap_or(host);
        let name = match host.parse::<IpAddr>() {
            Ok(address) => Ok(ServerName::from(address)),
            Err(_) => ServerName::try_from(host.to_owned()),
        };
        let session = name
            .map_err(|e| e.to_string())
            .and_then(|name| ClientConnection::new(self.config.clone(), name).map_err(|e| e.to_string()))
            .map_err(|e| Failure::new(Advice::Stop, 0, format!("TLS with {host}: {e}")))?;
        Ok(TlsStream {
            session,
            socket,
            has_certificate: self.has_certificate,
        })
    }
}

pub(crate) struct TlsStream {
    session: ClientConnection,
    socket: TcpStream,
    /// This client has a certificate, which the relay may refuse.
    has_certificate: bool,
}

/// The socket for rustls, which knows no `Poll`.
struct Adapter<'a, 'b> {
    socket: &'a mut TcpStream,
    cx: &'a mut Context<'b>,
}

fn unless_pending<T>(polled: Poll<io::Result<T>>) -> io::Result<T> {
    match polled {
        Poll::Ready(done) => done,
        Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
    }
}

impl Read for Adapter<'_, '_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let mut buffer = ReadBuf::new(bytes);
        unless_pending(Pin::new(&mut *self.socket).poll_read(self.cx, &mut buffer))?;
        Ok(buffer.filled().len())
    }
}

impl Write for Adapter<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        unless_pending(Pin::new(&mut *self.socket).poll_write(self.cx, bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn pending_if_blocked<T>(done: io::Result<T>) -> Poll<io::Result<T>> {
    match done {
        Err(e) if e.kind() == io::ErrorKind::WouldBlock => Poll::Pending,
        done => Poll::Ready(done),
    }
}

impl TlsStream {
    pub(crate) fn socket(&self) -> &TcpStream {
        &self.socket
    }

    /// Sends records that wait.
    pub(crate) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.session.wants_write() {
            let mut adapter = Adapter {
                socket: &mut self.socket,
                cx,
            };
            let n = ready!(pending_if_blocked(self.session.write_tls(&mut adapter)))?;
            if n == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Reads records once; 0: the end.
    fn poll_records(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let mut adapter = Adapter {
            socket: &mut self.socket,
            cx,
        };
        let n = ready!(pending_if_blocked(self.session.read_tls(&mut adapter)))?;
        if let Err(e) = self.session.process_new_packets() {
            // The other end is told why, if the socket takes it at once.
            let _ = self.poll_flush(cx);
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, e)));
        }
        Poll::Ready(Ok(n))
    }

    pub(crate) fn poll_handshake(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.session.is_handshaking() {
            ready!(self.poll_flush(cx))?;
            if self.session.is_handshaking() && ready!(self.poll_records(cx))? == 0 {
                return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
            }
        }
        // A handshake that has not sent its end yet sends it with the first bytes.
        Poll::Ready(Ok(()))
    }

    pub(crate) fn poll_read(&mut self, cx: &mut Context<'_>, bytes: &mut [u8]) -> Poll<io::Result<usize>> {
        loop {
            match self.session.reader().read(bytes) {
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
                // A relay that is killed sends no close_notify; the frames tell whether the stream is whole.
                Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Poll::Ready(Ok(0)),
                done => return Poll::Ready(done),
            }
            ready!(self.poll_records(cx))?;
        }
    }

    pub(crate) fn poll_write(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_flush(cx))?;
        let n = self.session.writer().write(bytes)?;
        let _ = self.poll_flush(cx)?;
        Poll::Ready(Ok(n))
    }

    pub(crate) fn poll_shutdown(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.session.send_close_notify();
        self.poll_flush(cx)
    }
}

impl TlsStream {
    /// The failure of a handshake. A certificate that is refused may be renewed a moment later; a wrong name stays.
    pub(crate) fn failure(&self, endpoint: &str, e: &io::Error) -> Failure {
        use rustls::AlertDescription as Alert;
        use rustls::CertificateError::{NotValidForName, NotValidForNameContext};
        let inner = e.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
        let advice = match inner {
            Some(rustls::Error::InvalidCertificate(NotValidForName | NotValidForNameContext { .. })) => Advice::Stop,
            Some(rustls::Error::InvalidCertificate(_)) => Advice::Again,
            // The relay refuses this client's.
            Some(rustls::Error::AlertReceived(
                Alert::BadCertificate
                | Alert::UnsupportedCertificate
                | Alert::CertificateRevoked
                | Alert::CertificateExpired
                | Alert::CertificateUnknown
                | Alert::UnknownCA,
            )) if self.has_certificate => Advice::Again,
            _ => Advice::Few,
        };
        Failure::new(advice, 0, format!("TLS with {endpoint}: {e}"))
    }
}
