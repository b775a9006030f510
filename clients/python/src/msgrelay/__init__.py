"""Client of the Relay message relay.

``msgrelay.aio`` has the clients for asyncio, ``msgrelay.threads`` those for plain threads. Both take the options,
report the events and raise the errors that are here.
"""

from .errors import BrokenRule, ConnectionFailed, NotDone, RelayError, UsageError
from .events import (
    DAMAGED,
    NOT_HELD,
    SLOW,
    SUPERSEDED,
    UNEXPLAINED,
    AtPing,
    Certificate,
    Connected,
    Event,
    Gap,
    GaveUp,
    GoingAway,
    InDoubt,
    Item,
    Lost,
    Message,
    Missed,
    RolledBack,
    StateComplete,
    StateLate,
    StreamChanged,
    Unsettled,
)
from .options import FromSequence, FromState, FromTime, PublisherOptions, Reconnect, SubscriberOptions, Tls
from .view import StateView

__version__ = "0.1.0"

__all__ = [
    "DAMAGED",
    "NOT_HELD",
    "SLOW",
    "SUPERSEDED",
    "UNEXPLAINED",
    "AtPing",
    "BrokenRule",
    "Certificate",
    "Connected",
    "ConnectionFailed",
    "Event",
    "FromSequence",
    "FromState",
    "FromTime",
    "Gap",
    "GaveUp",
    "GoingAway",
    "InDoubt",
    "Item",
    "Lost",
    "Message",
    "Missed",
    "NotDone",
    "PublisherOptions",
    "Reconnect",
    "RelayError",
    "RolledBack",
    "StateComplete",
    "StateLate",
    "StateView",
    "StreamChanged",
    "SubscriberOptions",
    "Tls",
    "Unsettled",
    "UsageError",
]
