"""Certificates and tokens that change while a client lives."""

import calendar
import contextlib
import shutil
import socket
import ssl
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from test_clients import HANG, SOON, FakeRelay
from test_core import message, welcome

from msgrelay import Certificate, ConnectionFailed, GaveUp, Lost, SubscriberOptions, Tls, UsageError, _wire, threads
from msgrelay._certificate import DAY, CertificateWatch, end_of

# A key of no use, with a password.
ENCRYPTED = """\
-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAijFbTe9hVPIwICCAAw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEED4Rcq3m4Y4soxrC0IIrqIEgZB8
o1XKv8rHifqrhC8+7o0W41zOe1a6wHBELGydVWsktf3WdhT7lISqb2ZGICvnKW56
omM94CmRHD8kPLn0ObQl3X8vYoF4FINF4fr+T3GjN6akyI3IvsOqb1z48sGzsI0e
Ri2A5T2UZtT4NrElAV9NnUoKVPQt2DH/U5DLA11ytanKfGoUnlqdSTjhFVRRDtk=
-----END ENCRYPTED PRIVATE KEY-----
"""
CERTIFICATES = Path(__file__).parents[2] / "conformance/tls"


class FilesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.relay = FakeRelay()
        self.addCleanup(self.relay.close)
        self.events: list = []
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.here = Path(directory.name)

    def lay(self, file: str, content: str) -> Path:
        return Path(shutil.copy(CERTIFICATES / content, self.here / file))

    def subscriber(self, **options: Any) -> threads.Subscriber:
        given = {"reconnect": SOON, "on_event": self.events.append, **options}
        subscriber = threads.Subscriber(SubscriberOptions(self.relay.endpoint, **given))
        self.addCleanup(subscriber.close)
        return subscriber

    def accept(self, certificate: str = "server", clients_of: str = "") -> ssl.SSLSocket:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATES / f"{certificate}.pem", CERTIFICATES / f"{certificate}.key")
        if clients_of:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(CERTIFICATES / clients_of)
        plain = self.relay.accept_plain()
        plain.settimeout(HANG)
        try:
            return context.wrap_socket(plain, server_side=True)
        except BaseException:
            plain.close()
            raise

    def refused(self, **how: str) -> None:
        with self.assertRaises(ssl.SSLError):
            self.accept(**how).close()

    def serves(self, connection: socket.socket, subscriber: threads.Subscriber) -> tuple:
        """Welcomes the connection and sends a message; returns HELLO."""
        connection.settimeout(HANG)
        hello = self.relay.read_frame(connection)
        connection.sendall(welcome(subscriber.next or 1) + message("a"))
        self.assertEqual(1, len(subscriber.batch(HANG)))
        return hello

    def lost(self, text: str) -> None:
        self.assertTrue(any(isinstance(e, Lost) and text in str(e.error) for e in self.events), self.events)

    def test_authority_is_renewed(self) -> None:
        subscriber = self.subscriber(tls=Tls(ca=self.lay("ca.pem", "other-ca.pem")))
        self.refused()
        self.lay("ca.pem", "ca.pem")
        while True:
            # Another try may have read the file before.
            try:
                connection = self.accept()
                break
            except ssl.SSLError:
                pass
        with connection:
            self.serves(connection, subscriber)
        self.lost("certificate verify failed")

    def test_certificate_of_the_relay_is_renewed(self) -> None:
        subscriber = self.subscriber(tls=Tls(ca=self.lay("ca.pem", "ca.pem")))
        self.refused(certificate="expired")
        with self.accept() as connection:
            self.serves(connection, subscriber)
        self.lost("expired")

    def test_wrong_name_stays_wrong(self) -> None:
        subscriber = self.subscriber(tls=Tls(ca=self.lay("ca.pem", "ca.pem")))
        self.refused(certificate="other-name")
        with self.assertRaises(ConnectionFailed) as caught:
            subscriber.batch(HANG)
        self.assertEqual("fatal", caught.exception.kind)

    def test_certificate_of_the_client_is_renewed(self) -> None:
        certificate, key = self.lay("own.pem", "other-client.pem"), self.lay("own.key", "other-client.key")
        subscriber = self.subscriber(tls=Tls(CERTIFICATES / "ca.pem", certificate, key))
        # More often than what is tried a few times.
        for _ in range(10):
            self.refused(clients_of="ca.pem")
        # Half of the pair is there.
        self.lay("own.pem", "client.pem")
        while not any(isinstance(e, Lost) and "TLS files" in str(e.error) for e in self.events):
            with contextlib.suppress(OSError):
                self.relay.accept_plain(0.01).close()
        self.lay("own.key", "client.key")
        while True:
            try:
                connection = self.accept(clients_of="ca.pem")
                break
            except OSError:
                pass
        with connection:
            self.serves(connection, subscriber)

    def test_relay_that_refuses_a_certificate_as_boringssl_does(self) -> None:
        client = CERTIFICATES / "client.pem", CERTIFICATES / "client.key"
        subscriber = self.subscriber(tls=Tls(CERTIFICATES / "ca.pem", *client))
        for _ in range(10):
            with self.relay.accept_plain() as plain:
                plain.settimeout(HANG)
                plain.recv(1 << 16)
                # A fatal alert, internal_error.
                plain.sendall(bytes.fromhex("15030300020250"))
        with self.accept() as connection:
            self.serves(connection, subscriber)
        self.lost("INTERNAL_ERROR")

    def test_encrypted_key_asks_nobody(self) -> None:
        key = self.here / "encrypted.key"
        key.write_text(ENCRYPTED)
        with self.assertRaisesRegex(UsageError, "encrypted"):
            Tls(CERTIFICATES / "ca.pem", CERTIFICATES / "client.pem", key)
        self.assertIsNone(end_of(CERTIFICATES / "client.pem", key))

    def test_end_of_certificates(self) -> None:
        for name, end in (("client", (2126, 11, 3, 15, 4, 41)), ("expired", (2026, 11, 27, 15, 4, 41))):
            found = end_of(CERTIFICATES / f"{name}.pem", CERTIFICATES / f"{name}.key")
            self.assertEqual(calendar.timegm(end), found)
        for certificate, key in (
            ("client.pem", "server.key"),
            ("client.key", "client.key"),
            ("none.pem", "client.key"),
            ("ca.pem", "client.key"),
        ):
            self.assertIsNone(end_of(CERTIFICATES / certificate, CERTIFICATES / key))

    def test_intermediate_certificates_behind_it(self) -> None:
        both = self.here / "both.pem"
        both.write_text((CERTIFICATES / "client.pem").read_text() + (CERTIFICATES / "ca.pem").read_text())
        found = end_of(both, CERTIFICATES / "client.key")
        self.assertEqual(calendar.timegm((2126, 11, 3, 15, 4, 41)), found)

    def test_days_that_are_told(self) -> None:
        told: list = []
        watch = CertificateWatch(told.append)
        end = 1000 * DAY
        for days in (40, 30.1, 30, 29, 8, 7.5, 6.9, 6, 2, 1, 0.5, 0.1, -0.1, -1, -20):
            watch.look(end, end - days * DAY)
        self.assertEqual([30, 7, 1, 0], told)
        # Another certificate in the same file.
        watch.look(end + 400 * DAY, end)
        watch.look(end + 3 * DAY, end)
        watch.look(end + 3 * DAY, end)
        watch.look(end - 3 * DAY, end)
        self.assertEqual([30, 7, 1, 0, 3, -3], told)

    def test_certificate_that_has_ended_is_told_once(self) -> None:
        tls = Tls(CERTIFICATES / "ca.pem", CERTIFICATES / "expired.pem", CERTIFICATES / "expired.key")
        subscriber = self.subscriber(tls=tls)
        for _ in range(3):
            with self.accept() as connection:
                self.serves(connection, subscriber)
        told = [e for e in self.events if isinstance(e, Certificate)]
        self.assertEqual(1, len(told))
        self.assertLessEqual(told[0].days, 0)
        self.assertIs(told[0], self.events[0])

    def test_certificate_that_lasts_is_not_told(self) -> None:
        subscriber = self.subscriber(
            tls=Tls(CERTIFICATES / "ca.pem", CERTIFICATES / "client.pem", CERTIFICATES / "client.key")
        )
        with self.accept() as connection:
            self.serves(connection, subscriber)
        self.assertFalse(any(isinstance(e, Certificate) for e in self.events))

    def test_hook_that_fails_at_a_certificate_ends_the_client(self) -> None:
        def hook(_event: object) -> None:
            raise OSError("a fault of the user")

        tls = Tls(CERTIFICATES / "ca.pem", CERTIFICATES / "expired.pem", CERTIFICATES / "expired.key")
        with self.assertRaisesRegex(ConnectionFailed, "a fault of the user") as caught:
            self.subscriber(tls=tls, on_event=hook).batch(HANG)
        self.assertEqual("fatal", caught.exception.kind)

    def test_token_in_a_file(self) -> None:
        file = self.here / "token"
        file.write_text("first\n")
        subscriber = self.subscriber(token_file=file)
        with self.relay.accept_plain() as connection:
            self.assertTrue(self.serves(connection, subscriber)[1].endswith(b"\x00\x05first"))
            file.unlink()
        while not any(isinstance(e, Lost) and "token in" in str(e.error) for e in self.events):
            subscriber.batch(0.001)
        file.write_text("another")
        # The relay may know it a moment later.
        for _ in range(10):
            with self.relay.accept_plain() as connection:
                self.assertTrue(self.relay.read_frame(connection)[1].endswith(b"\x00\x07another"))
                connection.sendall(_wire.error(28, "not known"))
        with self.relay.accept_plain() as connection:
            self.serves(connection, subscriber)

    def test_token_of_a_function(self) -> None:
        answers: list = ["first", RuntimeError("no vault"), "", 7, "second"]
        asked_on: set = set()

        def token() -> str:
            asked_on.add(threading.current_thread().name)
            answer = answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer

        subscriber = self.subscriber(token=token)
        for text in ("first", "second"):
            with self.relay.accept_plain() as connection:
                self.assertTrue(self.serves(connection, subscriber)[1].endswith(text.encode()))
        self.lost("no vault")
        self.lost("token of 0 bytes")
        self.lost("no string, but int")
        self.assertEqual({"msgrelay-token"}, asked_on)

    def test_token_that_cannot_be_had_at_first(self) -> None:
        def token() -> str:
            raise RuntimeError("no vault")

        with self.assertRaisesRegex(UsageError, "no vault"):
            self.subscriber(token=token).batch(HANG)
        self.assertIsInstance(self.events[-1], GaveUp)

    def test_function_that_does_not_return(self) -> None:
        end = threading.Event()
        self.addCleanup(end.set)
        calls: list = []

        def token() -> str:
            calls.append(1)
            if len(calls) > 1:
                end.wait()
            return "token"

        # Also the limit on the first connect, which must not be lost.
        subscriber = self.subscriber(token=token, connect_timeout=1)
        with self.relay.accept_plain() as connection:
            self.serves(connection, subscriber)
        while sum(isinstance(e, Lost) and "has not returned" in str(e.error) for e in self.events) < 3:
            subscriber.batch(0.001)
        # One thread, however many tries.
        self.assertEqual(2, len(calls))

    def test_string_that_the_relay_does_not_know(self) -> None:
        subscriber = self.subscriber(token="wrong")
        with self.relay.accept_plain() as connection, self.assertRaises(ConnectionFailed) as caught:
            self.relay.read_frame(connection)
            connection.sendall(_wire.error(28, "not known"))
            subscriber.batch(HANG)
        self.assertEqual(("fatal", 28), (caught.exception.kind, caught.exception.code))


if __name__ == "__main__":
    unittest.main()
