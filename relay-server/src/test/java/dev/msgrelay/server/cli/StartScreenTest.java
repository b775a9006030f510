package dev.msgrelay.server.cli;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.RelayServer.RecoveredJournal;
import dev.msgrelay.server.cli.StartScreen.Doors;
import dev.msgrelay.server.config.JournalConfig;
import dev.msgrelay.server.config.RelayConfig;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The first lines of a relay, for relays that are made up. */
class StartScreenTest {
    private static final Instant TIME = Instant.parse("2026-01-02T03:04:05.678Z");

    @Test
    void eightLinesOfEightyColumns() {
        List<String> lines = screen(plain(7401), plain(7400), null).lines();
        assertThat(lines)
                .containsExactly(
                        "relay-server: publishers 127.0.0.1:7401, subscribers 127.0.0.1:7400",
                        "  1.2.3, 2026-01-02T03:04:05Z, memory at most 238 MB (--check-config lists it)",
                        "  read:    relay-client subscribe",
                        "  write:   relay-client publish --message hello",
                        "  page:    http://127.0.0.1:7402/",
                        "  journal: none: the stream ends with the relay (--journal DIR)",
                        "  access:  everybody on this host",
                        "  Ctrl-C ends it.")
                .allMatch(line -> line.length() <= 80);
    }

    /** What a client has to be told, it is told: another port, another address, a socket alone, TLS alone. */
    @Test
    void examplesThatWork() {
        Doors far = tcp("192.0.2.7", 7401);
        Doors six = tcp("2001:db8::1", 7400);
        assertThat(screen(far, six, null).lines())
                .contains(
                        "  read:    relay-client subscribe [2001:db8::1]:7400",
                        "  write:   relay-client publish --message hello 192.0.2.7:7401");
        Doors all = tcp("0.0.0.0", 9);
        assertThat(screen(all, plain(9), null).lines())
                .contains(
                        "  read:    relay-client subscribe 127.0.0.1:9",
                        "  write:   relay-client publish --message hello 127.0.0.1:9");
        Doors socket = new Doors(Optional.empty(), Optional.of(Path.of("/run/r/p")), Optional.empty());
        Doors secured = new Doors(
                Optional.empty(), Optional.empty(), tcp("192.0.2.7", 7410).tcp());
        assertThat(screen(socket, secured, "certificate of relay.example").lines())
                .contains(
                        "relay-server: publishers unix:/run/r/p, subscribers none",
                        "  TLS publishers none, subscribers 192.0.2.7:7410",
                        "  certificate of relay.example",
                        "  read:    relay-client subscribe --tls-ca CA.pem 192.0.2.7:7410",
                        "  write:   relay-client publish --message hello unix:/run/r/p");
        Doors none = new Doors(Optional.empty(), Optional.empty(), Optional.empty());
        assertThat(screen(none, plain(7400), null).lines())
                .noneMatch(line -> line.contains("write:"))
                .anyMatch(line -> line.contains("publishers none,"));
    }

    @Test
    void theJournalAndWhatItTakes() {
        assertThat(TextReport.noJournal(true)).isEqualTo("none: the nodes of the cluster keep the stream");
        JournalConfig bySize = RelayConfig.builder()
                .set(JOURNAL, Path.of("/var/stream"))
                .set(JOURNAL_SEGMENT, 64 << 20)
                .set(JOURNAL_KEEP, 1L << 30)
                .build()
                .journal();
        assertThat(TextReport.journal(bySize, new RecoveredJournal(1, 1, 1, 1)))
                .isEqualTo("/var/stream, no messages yet; takes 67.1 MB at a time, up to 1.07 GB");
        JournalConfig byTime = RelayConfig.builder()
                .set(JOURNAL, Path.of("/var/stream"))
                .set(JOURNAL_KEEP_TIME, Duration.ofHours(12))
                .build()
                .journal();
        assertThat(TextReport.journal(byTime, new RecoveredJournal(5, 11, 11, 13)))
                .isEqualTo(
                        "/var/stream, messages 5 to 10; takes 134 MB at a time, kept for 12h; cut off, not forced: 11 to 12");
    }

    private static Doors plain(int port) {
        return tcp("127.0.0.1", port);
    }

    private static Doors tcp(String host, int port) {
        return new Doors(Optional.of(new InetSocketAddress(host, port)), Optional.empty(), Optional.empty());
    }

    private static StartScreen screen(Doors publish, Doors subscribe, String tls) {
        return new StartScreen(
                "1.2.3",
                TIME,
                238_000_000,
                publish,
                subscribe,
                Optional.ofNullable(tls),
                Optional.of("http://127.0.0.1:7402/"),
                Optional.empty(),
                TextReport.noJournal(false),
                "everybody on this host");
    }
}
