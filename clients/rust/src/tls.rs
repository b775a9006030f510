//! TLS by rustls over a tokio socket.

use std::io::{self, Read, Write};
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{ready, Context, Poll};
use std::time::Duration;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::{CertificateError, ClientConfig, ClientConnection, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::error::{Advice, Failure};
use crate::options::TlsFiles;

pub(crate) struct Tls {
    config: Arc<ClientConfig>,
    server_name: Option<String>,
    has_certificate: bool,
    /// Seconds from 1970 to the end of this client's certificate.
    pub(crate) expires: Option<u64>,
}

/// Seconds from 1970 to the end of a certificate. rustls reads the dates as it verifies, and names the end of a certificate
/// that is over, as each one is after the last day that it could have.
fn end_of(certificate: &CertificateDer<'_>, roots: &RootCertStore, provider: &Arc<CryptoProvider>) -> Option<u64> {
    /// The year 10000, which no certificate can name.
    const BEYOND: Duration = Duration::from_secs(253_402_300_800);
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots.clone()), provider.clone());
    let verifier = verifier.build().ok()?;
    match verifier.verify_client_cert(certificate, &[], UnixTime::since_unix_epoch(BEYOND)) {
        Err(rustls::Error::InvalidCertificate(CertificateError::ExpiredContext { not_after, .. })) => {
            Some(not_after.as_secs())
        }
        _ => None,
    }
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
        let own = files.certificate.as_ref().map(|(path, _)| chain(path)).transpose()?;
        let first = own.as_ref().and_then(|chain| chain.first());
        let expires = first.and_then(|own| end_of(own, &roots, &provider));
        let builder = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&rustls::version::TLS13])
            .map_err(|e| wrong(&e))?
            .with_root_certificates(roots);
        let config = match (own, &files.certificate) {
            (Some(own), Some((_, key))) => {
                let key = PrivateKeyDer::from_pem_file(key).map_err(|e| wrong(&format!("{}: {e}", key.display())))?;
                builder.with_client_auth_cert(own, key).map_err(|e| wrong(&e))?
            }
            _ => builder.with_no_client_auth(),
        };
        Ok(Tls {
            config: Arc::new(config),
            server_name: files.server_name.clone(),
            has_certificate: files.certificate.is_some(),
            expires,
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Ends at 2033-05-18 03:33:20, and is for servers: its use does not matter here.
    const PEM: &[u8] = b"-----BEGIN CERTIFICATE-----\n\
MIIBOzCB46ADAgECAgEBMAoGCCqGSM49BAMCMAwxCjAIBgNVBAMMAWEwHhcNMjAw\n\
MTAxMDAwMDAwWhcNMzMwNTE4MDMzMzIwWjAMMQowCAYDVQQDDAFhMFkwEwYHKoZI\n\
zj0CAQYIKoZIzj0DAQcDQgAECFGpv88Tubr3CbvA3HtfmBk6iIVKquH74zwbUCKk\n\
0+PeWNR9qmZYhnrssMsUm4CHY+h9h1awmvFb8ofdiqUgUaM2MDQwEwYDVR0lBAww\n\
CgYIKwYBBQUHAwEwHQYDVR0OBBYEFMsrIWcQRGn6hkmPu9errcOvW2I5MAoGCCqG\n\
SM49BAMCA0cAMEQCIAayJkIvo8v4DONMSUEQ9DbpasSmexnJFdIjTpD7ZRqFAiBt\n\
zENiXIliVkXf0tkVIz8YhAHtqVLaPCzM9CURGcMlDQ==\n\
-----END CERTIFICATE-----";

    #[test]
    fn the_end_of_a_certificate() {
        let certificate = CertificateDer::from_pem_slice(PEM).unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(certificate.clone()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        assert_eq!(end_of(&certificate, &roots, &provider), Some(2_000_000_000));
        assert_eq!(end_of(&CertificateDer::from_slice(b"none"), &roots, &provider), None);
    }
}
