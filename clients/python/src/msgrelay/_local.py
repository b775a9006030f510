"""Connections to this host, and their congestion control."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import sys
from typing import Any

from .errors import UsageError

AUTO, SYSTEM = "auto", "system"
_TRIED = {AUTO: ("cubic", "reno"), SYSTEM: ()}

# TCP_CONGESTION of linux/tcp.h, and how much of a name Linux takes.
TCP_CONGESTION = 13
_LONGEST = 15


def is_loopback(address: Any) -> bool:
    """Whether a socket's address, as ``getpeername`` gives it, is one of the loopback."""
    host = ipaddress.ip_address(address[0].partition("%")[0])
    # Before Python 3.13 a mapped address is none of the loopback.
    return (getattr(host, "ipv4_mapped", None) or host).is_loopback


def is_to_this_host(made: socket.socket) -> bool:
    """Whether the peer of a connected socket is on this host."""
    peer = made.getpeername()
    return is_loopback(peer) or peer[0] == made.getsockname()[0]


def leads_to_this_host(family: int, address: Any) -> bool:
    """Whether a connection to this address would be one to this host. A socket of UDP, which sends nothing, tells the
    address that such a connection would come from."""
    with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as asked:
        asked.connect(address)
        return is_to_this_host(asked)
    return is_loopback(address)


def choose_congestion(made: socket.socket, choice: str) -> None:
    """Gives a connection to this host what ``local_congestion`` says, as far as the system does."""
    # A name was tried as the options were made.
    for name in _TRIED.get(choice, (choice,)):
        with contextlib.suppress(OSError):
            _set(made, name)
            return


def check_congestion(choice: str) -> None:
    """Tries a name of a congestion control: no list tells what this process may use.

    :raises UsageError: the system does not give it
    """
    if choice in _TRIED:
        return
    try:
        made = _any_socket()
    except OSError:
        return
    with made:
        try:
            _set(made, choice)
        except (OSError, ValueError) as e:
            allowed = ""
            with contextlib.suppress(OSError), open("/proc/sys/net/ipv4/tcp_allowed_congestion_control") as file:
                allowed = f"; it allows {file.read().strip()}"
            raise UsageError(f"local congestion {choice!r} is none that the system gives{allowed}") from e


def _any_socket() -> socket.socket:
    try:
        return socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    except OSError:
        return socket.socket(socket.AF_INET6, socket.SOCK_STREAM)


def _set(made: socket.socket, name: str) -> None:
    if sys.platform == "linux":
        encoded = name.encode()
        if not 0 < len(encoded) <= _LONGEST or b"\0" in encoded:
            raise ValueError("no name of a congestion control")
        made.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, encoded)
