//! What a connection needs before its first byte: the token and the files of TLS, as they are now.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use tokio::sync::oneshot;

use crate::options::{check_token, Connection, TlsFiles, Token};
#[cfg(feature = "tls")]
use crate::tls::Tls;
use crate::wire::MAX_NAME;

#[cfg(not(feature = "tls"))]
pub(crate) struct Tls;

/// Where the secrets of each connection come from.
pub(crate) struct Sources {
    tls: Option<TlsFiles>,
    token: Option<Token>,
    /// A thread reads them, perhaps since an earlier try: an endless function holds one thread, not one for each try.
    reads: AtomicBool,
}

/// Those of one connection.
pub(crate) struct Secrets {
    pub(crate) tls: Option<Tls>,
    pub(crate) token: Option<String>,
    /// Seconds from 1970 to the end of this client's certificate.
    pub(crate) expires: Option<u64>,
}

/// The thread that reads; with its end, also by a panic of the user's function, another one may begin.
struct Reader(Arc<Sources>);

impl Drop for Reader {
    fn drop(&mut self) {
        self.0.reads.store(false, Ordering::Release);
    }
}

impl Sources {
    pub(crate) fn new(options: &Connection) -> Sources {
        Sources {
            tls: options.tls.clone(),
            token: options.token.clone(),
            reads: AtomicBool::new(false),
        }
    }

    /// Reads them now.
    pub(crate) fn read(&self) -> Result<Secrets, String> {
        #[cfg(feature = "tls")]
        let tls = self.tls.as_ref().map(Tls::new).transpose()?;
        #[cfg(feature = "tls")]
        let expires = tls.as_ref().and_then(|tls| tls.expires);
        #[cfg(not(feature = "tls"))]
        let expires = None;
        #[cfg(not(feature = "tls"))]
        let tls = match &self.tls {
            Some(_) => return Err("TLS needs the feature tls of this crate".into()),
            None => None,
        };
        let token = match &self.token {
            None => None,
            Some(Token::Text(text)) => Some(text.clone()),
            Some(Token::File(path)) => Some(token_in(path)?),
            Some(Token::Call(function)) => Some(function().map_err(|e| failed("the token's function", &e))?),
        };
        if let Some(token) = &token {
            check_token(token).map_err(|e| e.to_string())?;
        }
        Ok(Secrets { tls, token, expires })
    }

    /// Reads them on a thread of their own: disks and functions may take their time.
    pub(crate) async fn read_apart(self: Arc<Self>) -> Result<Secrets, String> {
        if self.tls.is_none() && !self.token.as_ref().is_some_and(Token::may_change) {
            return self.read();
        }
        if self.reads.swap(true, Ordering::Acquire) {
            return Err("the files or the token's function of an earlier try are not read yet".into());
        }
        let reader = Reader(self);
        let (answer, come) = oneshot::channel();
        let thread = std::thread::Builder::new().name("msgrelay-files".into());
        thread
            .spawn(move || {
                let read = reader.0.read();
                drop(reader);
                // Nobody may wait any more.
                let _ = answer.send(read);
            })
            .map_err(|e| failed("no thread for the files", &e))?;
        come.await
            .unwrap_or_else(|_| Err("the token's function has panicked".into()))
    }
}

fn failed(what: &str, e: &dyn fmt::Display) -> String {
    format!("{what}: {e}")
}

/// The token in a file, which a line end may follow.
fn token_in(path: &Path) -> Result<String, String> {
    let what = format!("token in {}", path.display());
    let mut text = String::new();
    let file = File::open(path).map_err(|e| failed(&what, &e))?;
    // More is no token, and is not read.
    file.take(4 * MAX_NAME as u64)
        .read_to_string(&mut text)
        .map_err(|e| failed(&what, &e))?;
    text.truncate(text.trim_end_matches(['\r', '\n']).len());
    Ok(text)
}
