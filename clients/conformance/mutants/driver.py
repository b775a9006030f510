"""Wrong clients: the driver of the Python client, with one fault put into it.

``driver.py NAME`` is the client with this fault; ``driver.py --list`` prints the faults, each with the case of the kit
that has to find it. ``mutants/run`` tries them all.
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

CLIENT = Path(__file__).resolve().parent.parent.parent / "python"
sys.path.insert(0, str(CLIENT / "src"))

from msgrelay import _connect, _core, _io, _local, _retry, _wire, errors, options  # noqa: E402

Link: Any = _core.Link
Subscriber: Any = _core.SubscriberCore
Publisher: Any = _core.PublisherCore
Reconnector: Any = _retry.Reconnector
Fault = Callable[[], None]

FAULTS: dict[str, tuple[str, Fault]] = {}


def found_by(case: str) -> Callable[[Fault], Fault]:
    def noted(fault: Fault) -> Fault:
        FAULTS[fault.__name__.replace("_", "-")] = case, fault
        return fault

    return noted


def nothing(*_: Any, **__: Any) -> None:
    pass


def before(owner: Any, name: str, also: Callable[..., Any]) -> None:
    """Calls ``also`` with the same arguments before a method."""
    method = getattr(owner, name)

    def both(self: Any, *arguments: Any, **named: Any) -> Any:
        also(self, *arguments, **named)
        return method(self, *arguments, **named)

    setattr(owner, name, both)


def after(owner: Any, name: str, also: Callable[..., Any]) -> None:
    """Puts the result of a method through ``also(self, result)``."""
    method = getattr(owner, name)
    setattr(owner, name, lambda self, *a, **n: also(self, method(self, *a, **n)))


def hello_with(change: Callable[[dict[str, Any]], None]) -> None:
    hello = _wire.hello

    def changed(role: int, **fields: Any) -> bytes:
        change(fields)
        return hello(role, **fields)

    _wire.hello = changed


# HELLO and WELCOME.


@found_by("hello/subscriber-minimal")
def asks_for_no_narrowed() -> None:
    hello_with(lambda fields: fields.update(features=fields["features"] & ~_wire.NARROWED))


@found_by("hello/messages-before-welcome-are-discarded")
def takes_messages_before_welcome() -> None:
    before(Link, "receive", lambda link, _data: setattr(link, "take", link.items.append))


@found_by("hello/second-welcome")
def takes_a_second_welcome() -> None:
    control = Link._control

    def lenient(link: Any, type_: int, body: bytes) -> None:
        if type_ != _wire.WELCOME or not link.open:
            control(link, type_, body)

    Link._control = lenient


@found_by("hello/wrong-version-chosen")
def takes_any_version() -> None:
    after_decode(lambda welcome: object.__setattr__(welcome, "version", 1))


def after_decode(change: Callable[[Any], None]) -> None:
    decode = _wire.decode_welcome

    def changed(body: bytes) -> Any:
        welcome = decode(body)
        change(welcome)
        return welcome

    _wire.decode_welcome = changed


@found_by("hello/no-welcome-in-time")
def waits_for_welcome_for_ever() -> None:
    subscriber = options.SubscriberOptions
    after(subscriber, "__post_init__", lambda one, _none: object.__setattr__(one, "handshake_timeout", 3600.0))


# Frames and their limits.


@found_by("lies/frame-that-must-be-understood")
def skips_what_must_be_understood() -> None:
    _wire.MUST_UNDERSTAND = 1 << 31


@found_by("hello/unknown-frames-before-welcome-are-skipped")
def refuses_what_may_be_skipped() -> None:
    _wire.MUST_UNDERSTAND = _wire.RETRY_AFTER + 1


@found_by("lies/message-beyond-a-smaller-limit")
def takes_one_byte_more_than_max_body() -> None:
    after(Link, "__init__", lambda link, _none: setattr(link, "_max_body", link._max_body + 1))


@found_by("lies/control-frame-beyond-the-limit")
def takes_control_frames_of_any_length() -> None:
    _wire.MAX_CONTROL = 1 << 30


@found_by("frames/every-cut-of-control-frames")
def forgets_the_rest_of_a_read() -> None:
    after(Link, "receive", lambda link, _none: link._rest.clear())


@found_by("lies/gap-with-reserved-bits")
def looks_at_no_reserved_field() -> None:
    _wire._reserved = nothing


# The count of a subscriber.


@found_by("sequences/counts-from-welcome")
def counts_from_one() -> None:
    after(Subscriber, "on_welcome", lambda core, _none: setattr(core.link, "next", 1))


@found_by("sequences/jump-by-ping-is-asked-for-again")
def takes_every_jump_for_a_gap() -> None:
    before(Subscriber, "_jump", lambda core, *_: setattr(core, "_doubted", core.next))


@found_by("sequences/jump-that-comes-again-is-a-gap")
def asks_again_at_every_jump() -> None:
    before(Subscriber, "_jump", lambda core, *_: setattr(core, "_doubted", 0))


@found_by("sequences/jump-by-welcome")
def overlooks_jumps() -> None:
    Subscriber._jump = nothing


@found_by("lies/sequence-backwards")
def goes_back() -> None:
    Subscriber._not_back = nothing


@found_by("gaps/slow")
def tells_no_gap() -> None:
    item = Subscriber._item
    Subscriber._item = lambda core, one: None if isinstance(one, _core.Gap) else item(core, one)


@found_by("gaps/resumes-after-a-gap")
def counts_a_gap_short() -> None:
    decode = _wire.decode_gap
    at = Subscriber._at

    def short(body: bytes) -> tuple[int, int, int]:
        first, last, reason = decode(body)
        Subscriber._at = lambda core, following: at(core, following - (following == last + 1))
        return first, last, reason

    _wire.decode_gap = short


@found_by("sequences/resumes-over-twenty-cuts")
def resumes_one_too_late() -> None:
    hello_with(lambda fields: fields.update(number=fields["number"] + 1 if fields["number"] > 1 else fields["number"]))


@found_by("sequences/handed-over-once-at-any-cut")
def resumes_one_too_early() -> None:
    hello_with(lambda fields: fields.update(number=fields["number"] - 1 if fields["number"] > 1 else fields["number"]))


@found_by("sequences/resumes-over-twenty-cuts")
def begins_anew_after_a_cut() -> None:
    hello_with(lambda fields: fields.update(start=_wire.LIVE, number=0))


@found_by("filters/without-sequences-numbers-are-unknown")
def numbers_what_has_no_number() -> None:
    after(Subscriber, "on_welcome", lambda core, _none: setattr(core, "_numbered", True))
    before(Subscriber, "_at", lambda core, _following: setattr(core, "_numbered", True))


# Another stream.


@found_by("backup/rolled-back-to-the-last-common-epoch")
def knows_no_older_epoch() -> None:
    _core.older_epoch = nothing


@found_by("backup/its-next-life-began-earlier-at-the-client")
def looks_at_the_relays_epochs_alone() -> None:
    def common(mine: Any, welcome: Any) -> Any:
        if not welcome.epoch_changed or welcome.rolled_back:
            return None
        there = _wire.MAX_NUMBER
        for epoch, first in welcome.epochs:
            for i in range(1, len(mine)):
                if mine[i][0] == epoch:
                    return epoch, there, mine[i:]
            there = min(there, first)
        return None

    _core.older_epoch = common


@found_by("backup/no-epoch-in-common")
def takes_another_stream_for_its_own() -> None:
    after_decode(lambda welcome: object.__setattr__(welcome, "epoch_changed", False))


# The state.


def as_if(name: str, **attributes: Any) -> None:
    """Calls a method of the subscriber with these attributes."""
    method = getattr(Subscriber, name)

    def lying(core: Any, *arguments: Any) -> Any:
        truth = {attribute: getattr(core, attribute) for attribute in attributes}
        for attribute, value in attributes.items():
            setattr(core, attribute, value)
        try:
            return method(core, *arguments)
        finally:
            for attribute, value in truth.items():
                if getattr(core, attribute) == attributes[attribute]:
                    setattr(core, attribute, value)

    setattr(Subscriber, name, lying)


@found_by("state/resumes-with-its-number")
def comes_back_by_sequence() -> None:
    hello_with(lambda fields: fields.update(start=_wire.FROM_SEQUENCE) if fields["number"] else None)


@found_by("state/resumes-with-its-number")
def asks_for_the_whole_state_again() -> None:
    hello_with(lambda fields: fields.update(number=0))


@found_by("state/resumes-with-its-number")
def begins_anew_with_each_connection() -> None:
    as_if("_begin_state", _asked_for_all=True)


@found_by("state/start")
def never_begins_anew() -> None:
    as_if("_begin_state", _asked_for_all=False)


@found_by("state/a-welcome-beyond-the-first")
def begins_wherever_welcome_says() -> None:
    before(Subscriber, "_not_back", lambda core, type_, at: type_ == _wire.WELCOME and setattr(core, "next", at))


@found_by("state/widened")
def overlooks_wider_types() -> None:
    _core.covers = lambda types, others: True


@found_by("state/made-fewer-goes-on")
def takes_every_change_for_wider_types() -> None:
    _core.covers = lambda types, others: types == others


@found_by("state/a-ping-in-its-beginning")
def is_complete_at_the_first_ping() -> None:
    at_ping = Subscriber._at_ping
    Subscriber._at_ping = lambda core, following, _head: at_ping(core, following, following - 1)


@found_by("state/pings-within-it-say-nothing")
def takes_a_ping_that_says_nothing_for_the_end() -> None:
    before(Subscriber, "on_ping", lambda core, following, head: following or core._at_ping(head + 1, head))


@found_by("state/complete-is-told-once")
def is_complete_at_each_ping() -> None:
    before(Subscriber, "_at_ping", lambda core, *_: setattr(core, "awaits_state", True))


@found_by("state/an-older-backup-is-taken-from-the-first-on")
def goes_back_to_an_older_epoch() -> None:
    def back(core: Any, welcome: Any) -> None:
        common = _core.older_epoch(core.epochs, welcome)
        if common is not None:
            core._go_back(*common)

    before(Subscriber, "on_welcome", back)


@found_by("state/cut-while-it-runs-and-that-life-has-ended")
def goes_on_with_a_cut_state_in_another_life() -> None:
    Subscriber._check_cut_state = lambda core, welcome: None


@found_by("state/number-not-above-the-fork")
def takes_a_complete_state_for_a_cut_one() -> None:
    before(Subscriber, "_check_cut_state", lambda core, *_: setattr(core, "_passed_over", core.next > 0))


@found_by("state/superseded-ones-are-told-singly")
def tells_no_superseded_ones() -> None:
    item = Subscriber._item
    Subscriber._item = lambda core, one: None if getattr(one, "reason", 0) == 4 else item(core, one)


@found_by("state/a-relay-that-is-older-says-so-in-words")
def does_not_say_that_a_relay_is_older() -> None:
    after(Subscriber, "connect", lambda core, result: (setattr(core.link, "asks_for", ""), result)[1])


@found_by("state/late")
def is_never_late() -> None:
    _io.STATE_IS_LATE = 1e9


@found_by("state/not-late-once-it-is-complete")
def is_late_though_it_is_complete() -> None:
    before(_io.SubscriberSession, "on_input", lambda session: setattr(session.core, "awaits_state", True))


# What the relay sees, and what a client sees of itself.


@found_by("peer/publisher")
def does_not_ask_what_the_relay_sees() -> None:
    hello_with(lambda fields: fields.update(features=fields["features"] & ~_wire.PEER))


@found_by("peer/control-character-in-the-identity")
def takes_any_character() -> None:
    _wire.control_character = lambda text: None


@found_by("tls/own-certificate-has-ended")
def tells_of_its_certificate_each_time() -> None:
    before(_io.CertificateWatch, "look", lambda watch, *_: setattr(watch, "_end", None))


# Types.


@found_by("filters/change-that-a-cut-met")
def forgets_a_change_at_a_cut() -> None:
    before(Subscriber, "connect", lambda core, *_: (core._sent.clear(), core._waiting.clear()))


@found_by("lies/subscribed-for-another-request")
def takes_any_answer_for_its_own() -> None:
    decode = _wire.decode_subscribed
    control = Subscriber.on_control

    def lenient(core: Any, type_: int, body: bytes) -> None:
        waits = core._sent[0].request if core._sent else 0
        _wire.decode_subscribed = lambda body: (waits, decode(body)[1])
        control(core, type_, body)

    Subscriber.on_control = lenient


# Heartbeats.


@found_by("heartbeats/pong-to-ping")
def answers_no_ping() -> None:
    Link.output = lambda link: b""


@found_by("heartbeats/pong-to-ping")
def answers_with_another_id() -> None:
    pong = _wire.pong
    _wire.pong = lambda id_: pong(id_ + 1)


@found_by("heartbeats/silence-of-a-subscribers-relay")
def waits_for_a_silent_relay() -> None:
    after_decode(lambda welcome: object.__setattr__(welcome, "idle_ms", 3_600_000))


@found_by("reserved/pong-unasked")
def says_nothing_while_it_holds_back() -> None:
    pong = _wire.pong
    _wire.pong = lambda id_: pong(id_) if id_ else b""


# Errors, tries and waits.


@found_by("errors/code-04-negative-length")
def tries_again_whatever_the_code() -> None:
    errors._ADVICE = dict.fromkeys(range(100), errors.Advice.AGAIN)


@found_by("errors/code-11-internal-error")
def gives_up_whatever_the_code() -> None:
    errors._ADVICE = dict.fromkeys(range(100), errors.Advice.STOP)


@found_by("lies/lies-for-ever-end")
def hopes_for_ever() -> None:
    _retry.FEW = 1 << 30


@found_by("errors/code-31-tls-failed")
def hopes_once_less() -> None:
    _retry.FEW = 4


@found_by("waits/grow")
def waits_never_grow() -> None:
    _retry._MOST_DOUBLINGS = 0


@found_by("waits/of-slow-codes-are-the-longest")
def waits_no_longer_for_slow_codes() -> None:
    errors.Advice.is_slow = property(lambda advice: False)  # type: ignore[assignment,method-assign]


@found_by("waits/input-alone-begins-no-new-count")
def any_input_begins_a_new_count() -> None:
    after(Reconnector, "__init__", lambda reconnector, _none: setattr(reconnector, "_steady_after", 0.0))


@found_by("waits/a-connection-that-worked-begins-a-new-count")
def nothing_begins_a_new_count() -> None:
    after(Reconnector, "__init__", lambda reconnector, _none: setattr(reconnector, "_steady_after", 1e9))


@found_by("retry-after/waits-as-long-as-the-relay-says")
def does_not_hear_when_to_come_again() -> None:
    Reconnector.retry_after = nothing


@found_by("retry-after/no-longer-than-the-longest-wait")
def waits_as_long_as_a_relay_likes() -> None:
    Reconnector._told_wait = lambda reconnector, told: told


@found_by("tls/key-used-up-comes-back-to-the-same")
def leaves_a_relay_whose_key_is_used_up() -> None:
    Reconnector.leaving = lambda reconnector, _code: setattr(reconnector, "_leaving", True)


@found_by("resume/another-endpoint-after-shutdown")
def comes_back_to_a_relay_that_shuts_down() -> None:
    errors.SHUTDOWN = -1


# Publishers.


@found_by("acks/waits-for-welcome-with-number-0")
def publishes_before_it_has_a_number() -> None:
    frames = Publisher.frames

    def hasty(core: Any, most: int) -> Any:
        was_open, core.link.open = core.link.open, True
        try:
            return frames(core, most)
        finally:
            core.link.open = was_open

    Publisher.frames = hasty
    _io.Session.usable = property(lambda session: session.connection)  # type: ignore[assignment]


@found_by("acks/goaway")
def publishes_on_behind_goaway() -> None:
    frames = Publisher.frames

    def deaf(core: Any, most: int) -> bytes:
        code, core.link.going_away = core.link.going_away, 0
        try:
            data: bytes = frames(core, most)
            return data
        finally:
            core.link.going_away = code

    Publisher.frames = deaf


@found_by("lies/ack-beyond-what-was-sent")
def believes_any_ack() -> None:
    before(Publisher, "on_control", lambda core, *_: setattr(core, "_sent_to", _wire.MAX_NUMBER))


@found_by("acks/resends-what-is-not-acknowledged")
def sends_nothing_again() -> None:
    after(Publisher, "connect", lambda core, result: (core._unsent.clear() if core._first > 1 else None, result)[1])


@found_by("acks/accepted-of-welcome-is-an-acknowledgement")
def does_not_look_at_accepted() -> None:
    after_decode(lambda welcome: object.__setattr__(welcome, "accepted", 0))


@found_by("acks/written")
def takes_every_level_for_the_highest() -> None:
    decode = _wire.decode_ack

    def lenient(body: bytes) -> tuple[int, int, int, int]:
        number, sequence, _written, _forced = decode(body)
        return number, sequence, number, number

    _wire.decode_ack = lenient


@found_by("confirm/pong-with-another-id")
def takes_any_pong_for_its_own() -> None:
    pong = Publisher.on_pong
    Publisher.on_pong = lambda core, _id: pong(core, core.ping_id)


@found_by("confirm/pong-with-a-guessed-id")
def counts_its_pings() -> None:
    _core.next_ping_id = lambda last: last + 1


@found_by("confirm/one-ping-at-a-time")
def sends_a_ping_for_each_flush() -> None:
    before(Publisher, "_due_ping", lambda core: setattr(core, "_pinged_to", 0))


@found_by("confirm/each-mebibyte")
def sends_no_ping_by_size() -> None:
    _core.BYTES_A_PING = 1 << 60


@found_by("confirm/flush-waits-for-the-pong")
def takes_sent_for_read() -> None:
    Publisher.confirms = property(lambda core: False, nothing)


@found_by("confirm/lost-connection-is-told-by-the-next-flush")
def forgets_what_is_in_doubt() -> None:
    before(
        Publisher, "lost", lambda core, *_: setattr(core, "_confirmed", core._confirmed + core._sent - core._known_to)
    )


# The interval.


@found_by("interval/asks-for-the-policy-latest")
def asks_for_the_relays_policy_with_an_interval() -> None:
    hello_with(lambda fields: fields.update(policy=0) if fields["features"] & _wire.INTERVAL else None)


@found_by("interval/asked-for-again")
def asks_for_its_interval_once() -> None:
    asked: list[int] = []

    def once(fields: dict[str, Any]) -> None:
        if asked:
            fields["features"] &= ~_wire.INTERVAL
        asked.append(fields["features"] & _wire.INTERVAL)

    hello_with(once)


@found_by("interval/asked-for-again-as-it-was")
def asks_for_the_granted_interval_again() -> None:
    granted: list[int] = []
    after_decode(lambda welcome: granted.append(welcome.interval_ms))
    hello_with(lambda fields: fields.update(interval_ms=granted[-1]) if granted else None)


@found_by("interval/raised")
def tells_the_wanted_interval() -> None:
    wanted: list[int] = []
    hello_with(lambda fields: wanted.append(fields["interval_ms"]))
    after_decode(lambda welcome: object.__setattr__(welcome, "interval_ms", wanted[-1]))


@found_by("interval/under-the-least-is-malformed")
def takes_an_interval_of_any_length() -> None:
    _wire.MIN_INTERVAL = 0


@found_by("interval/with-another-policy-is-refused")
def takes_an_interval_with_any_policy() -> None:
    options.SubscriberOptions._check_interval = nothing


@found_by("interval/cut-within-a-tick-and-another-life-goes-back")
def goes_on_with_a_cut_state_from_the_first_message() -> None:
    check = Subscriber._check_cut_state
    Subscriber._check_cut_state = lambda core, welcome: None if welcome.next == 1 else check(core, welcome)


# The congestion control of a connection to this host.


@found_by("congestion/by-name")
def chooses_no_congestion_control() -> None:
    _connect.choose_congestion = nothing


@found_by("congestion/by-name")
def chooses_for_the_first_connection_alone() -> None:
    choose = _connect.choose_congestion
    chosen: list[Any] = []

    def once(made: Any, choice: str) -> None:
        if made in chosen or not chosen:
            chosen.append(made)
            choose(made, choice)

    _connect.choose_congestion = once


@found_by("congestion/unknown-name-is-refused")
def takes_any_name() -> None:
    _local.check_congestion = nothing


def main() -> None:
    if sys.argv[1:] == ["--list"]:
        for name, (case, _fault) in FAULTS.items():
            print(name, case)
        return
    _case, fault = FAULTS[sys.argv.pop(1)]
    fault()
    runpy.run_path(str(CLIENT / "conformance" / "driver.py"), run_name="__main__")


if __name__ == "__main__":
    main()
