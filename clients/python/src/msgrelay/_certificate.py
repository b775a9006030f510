"""When a client's own certificate ends, and whom it is told. No clock: times are parameters, in seconds since 1970."""

from __future__ import annotations

import contextlib
import math
import os
import ssl
from typing import Callable

DAY = 86_400
# Days before the end at which it is told.
_STEPS = (0, 1, 7, 30)
# OpenSSL's flags, which hold for certificates that have ended, and with no authority beside them.
_ANY_TIME = 0x200000
_WITHOUT_AUTHORITY = 0x80000


def no_password() -> str:
    # OpenSSL would ask for it at the terminal, for each connection.
    raise ValueError("the key is encrypted")


def end_of(certificate: str | os.PathLike[str], key: str | os.PathLike[str] | None) -> float | None:
    """The end of a certificate for clients; ``None``: it is none that a relay could read.

    The ssl module decodes the certificate of the other side only. So both sides of a handshake in memory have it.
    """
    try:
        asking = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        asking.verify_mode = ssl.CERT_REQUIRED
        asking.verify_flags |= _ANY_TIME | _WITHOUT_AUTHORITY
        asking.load_verify_locations(certificate)
        showing = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        showing.check_hostname = False
        showing.verify_mode = ssl.CERT_NONE
        to_asking, to_showing = ssl.MemoryBIO(), ssl.MemoryBIO()
        for context in (asking, showing):
            context.load_cert_chain(certificate, key, no_password)
        shown = asking.wrap_bio(to_asking, to_showing, server_side=True)
        for side in (showing.wrap_bio(to_showing, to_asking), shown) * 2:
            with contextlib.suppress(ssl.SSLWantReadError):
                side.do_handshake()
        peer = shown.getpeercert()
        return ssl.cert_time_to_seconds(str(peer["notAfter"])) if peer else None
    except (OSError, ValueError):
        return None


class CertificateWatch:
    """Tells each step once, and that of another certificate again."""

    def __init__(self, tell: Callable[[int], None]) -> None:
        self._tell = tell
        self._end: float | None = None
        self._told = _STEPS[-1] + 1

    def look(self, end: float, now: float) -> None:
        """Tells the days that are left, rounded up, if they have reached another step."""
        if end != self._end:
            self._end = end
            self._told = _STEPS[-1] + 1
        days = math.ceil((end - now) / DAY)
        reached = next((step for step in _STEPS if days <= step), self._told)
        if reached < self._told:
            self._told = reached
            self._tell(days)
