"""Client of the Relay message relay.

``msgrelay.aio`` has the clients for asyncio, ``msgrelay.threads`` those for plain threads. Both take the options,
report the events and raise the errors that are here.
"""

from .errors import BrokenRule, ConnectionFailed, NotDone, RelayError, UsageError
from .events import (
    DAMAGED,
    NOT_HELD,
    SLOW,
    UNEXPLAINED,
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
    StreamChanged,
    Unsettled,
)
from .options import FromSequence, FromTime, PublisherOptions, Reconnect, SubscriberOptions, Tls

__version__ = "0.1.0"

__all__ = [
    "DAMAGED",
    "NOT_HELD",
    "SLOW",
    "UNEXPLAINED",
    "BrokenRule",
    "Certificate",
    "Connected",
    "ConnectionFailed",
    "Event",
    "FromSequence",
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
    "StreamChanged",
    "SubscriberOptions",
    "Tls",
    "Unsettled",
    "UsageError",
]
