"""The ends of connections and calls, and what a client does about each."""

from __future__ import annotations

import enum

# Codes of ERROR that this library itself finds or handles: docs/protocol.md, "Errors".
NEGATIVE_LENGTH = 4
OVERSIZED_LENGTH = 5
SHUTDOWN = 10
MALFORMED_CONTROL = 12
UNSUPPORTED = 13
PROTOCOL_ORDER = 15
MESSAGE_GAP = 23
NOT_AUTHENTICATED = 28
TLS_KEY_USED_UP = 33

CODE_NAMES = (
    "NONE PEER_CLOSED CONNECTION_LOST TRUNCATED_FRAME NEGATIVE_LENGTH OVERSIZED_LENGTH RESERVED_TYPE UNEXPECTED_INPUT "
    "SLOW_SUBSCRIBER STALLED_SUBSCRIBER SHUTDOWN INTERNAL_ERROR MALFORMED_CONTROL UNSUPPORTED WRONG_ROLE "
    "PROTOCOL_ORDER HANDSHAKE_TIMEOUT IDLE_TIMEOUT TOO_MANY_CONNECTIONS TOO_MANY_PUBLISHERS NAME_TAKEN BAD_START "
    "TOO_MANY_NAMES MESSAGE_GAP NAME_HELD MEMORY_LIMIT FRAME_TIMEOUT TOO_MANY_FROM_ADDRESS NOT_AUTHENTICATED "
    "NOT_PERMITTED REVOKED TLS_FAILED RATE_LIMITED TLS_KEY_USED_UP JOURNAL_FAILED"
).split()


class Advice(enum.Enum):
    """What to do after the end of a connection."""

    STOP = "stop"
    AGAIN = "again"
    SLOWLY = "again, after the longest wait"
    FEW = "a few times"
    FEW_SLOWLY = "a few times, after the longest wait"

    @property
    def is_slow(self) -> bool:
        return self in (Advice.SLOWLY, Advice.FEW_SLOWLY)

    @property
    def is_few(self) -> bool:
        return self in (Advice.FEW, Advice.FEW_SLOWLY)


_ADVICE = {
    **dict.fromkeys((1, 2, 3, 8, 9, 10, 11, 16, 17, 25, 26, 30, 33, 34), Advice.AGAIN),
    **dict.fromkeys((18, 19, 27, 32), Advice.SLOWLY),
    **dict.fromkeys((4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29), Advice.STOP),
    24: Advice.FEW_SLOWLY,
}


class RelayError(Exception):
    """Base of this library's errors.

    ``code`` is that of the relay's ERROR, or of the rule that the relay broke; 0: none.
    """

    kind = "retry"
    code = 0


class UsageError(RelayError, ValueError):
    """A call or an option breaks a rule. It was refused before anything was sent; the client goes on."""

    kind = "yours"


class ConnectionFailed(RelayError):
    """A connection was lost, or none could be made. ``kind`` is ``retry``, or ``fatal`` if another try cannot help."""

    def __init__(self, text: str, advice: Advice = Advice.AGAIN, code: int = 0, *, unanswered: bool = False) -> None:
        super().__init__(text)
        self.advice = advice
        self.code = code
        self.kind = "fatal" if advice is Advice.STOP else "retry"
        # The relay ended the connection without an ERROR before its WELCOME.
        self.unanswered = unanswered

    def may_pass(self) -> None:
        """Another try may help after all."""
        self.advice = Advice.AGAIN
        self.kind = "retry"


class NotDone(RelayError):
    """Messages that a publisher has taken are not done: SPEC.md, "When a publisher is done".

    Without ACKS they are in doubt, or were not sent; with ACKS they are not acknowledged; plain, the socket has not
    taken them. ``kind`` and ``code`` are those of ``__cause__``, if there is one.
    """

    def __init__(self, text: str, messages: int, in_doubt: int, cause: RelayError | None) -> None:
        super().__init__(text if cause is None else f"{text}: {cause}")
        self.messages = messages
        """Number of messages that are not done; those in doubt are among them."""
        self.in_doubt = in_doubt
        """Number of messages that were sent without ACKS, and that the relay has not confirmed. It may lack them."""
        self.__cause__ = cause
        if cause is not None:
            self.kind = cause.kind
            self.code = cause.code


class AskAgain(RelayError):
    """The relay does not know this client's epoch, but an older one that it has; or it began again and a state was cut.
    The client greets the same relay again over another connection, with the older epoch, or for the whole state. Its
    user hears nothing of it."""


def from_relay(code: int, text: str) -> ConnectionFailed:
    """The error for the relay's ERROR; an unknown code is worth a few tries."""
    return ConnectionFailed(f"the relay: {name_of(code)}: {printable(text)}", _ADVICE.get(code, Advice.FEW), code)


def name_of(code: int) -> str:
    """A code in words."""
    return f"{CODE_NAMES[code] if code < len(CODE_NAMES) else 'unknown'} ({code})"


def broken_rule(code: int, text: str) -> ConnectionFailed:
    """The error for bytes of the relay that break a rule: perhaps a passing fault, perhaps no relay at all."""
    # A message over the limit is still in the stream, and an unknown frame comes again.
    hopeless = code in (OVERSIZED_LENGTH, UNSUPPORTED)
    return BrokenRule(text, Advice.STOP if hopeless else Advice.FEW, code)


class BrokenRule(ConnectionFailed):
    """The relay broke a rule of the protocol; it is told so as the connection is closed."""


def printable(text: str) -> str:
    """A peer's text, short and without control characters."""
    return "".join(c if c.isprintable() else "?" for c in text[:512])
