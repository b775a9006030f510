package dev.msgrelay.server.cli;

import dev.msgrelay.protocol.text.Durations;
import dev.msgrelay.protocol.text.ShortText;
import dev.msgrelay.protocol.text.TextWidth;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.RelayServer.RecoveredJournal;
import dev.msgrelay.server.admin.AdminServer;
import dev.msgrelay.server.admin.Look;
import dev.msgrelay.server.assembly.MemoryPlan;
import dev.msgrelay.server.cli.StartScreen.Doors;
import dev.msgrelay.server.config.JournalConfig;
import dev.msgrelay.server.config.ListenConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.figures.ConnectionRow;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.figures.RelayStats;
import dev.msgrelay.server.journal.JournalException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The report for people: lines of at most 120 characters. */
final class TextReport implements ServerReport {
    /** The slowest subscriber is named if it lags by this many bytes or more. */
    private static final long LAGS = 1 << 20;

    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private static final String HEADER =
            "    id name         address                   policy       types      cursor     lag   msg/s  age state     waits";
    private static final String TABLE = "%6s %s %s %-3s %s %s %7s %7s %7s %4s %s %s";

    private final PrintWriter out;
    private final RelayServer relay;
    private final CommandOutput output;
    private RelayStats before;
    private long beforeNanos = System.nanoTime();

    TextReport(PrintWriter out, RelayServer relay, CommandOutput output) {
        this.out = out;
        this.relay = relay;
        this.output = output;
        this.before = relay.stats();
    }

    @Override
    public void ready(AdminPorts ports) {
        RelayConfig config = relay.config();
        ListenConfig listen = config.listen();
        MemoryPlan memory = relay.memory();
        StartScreen screen = new StartScreen(
                version(),
                Instant.now(),
                memory.direct() + memory.heap(),
                doors(relay.publishAddress(), listen.publishSocket(), relay.tlsPublishAddress()),
                doors(relay.subscribeAddress(), listen.subscribeSocket(), relay.tlsSubscribeAddress()),
                Optional.of(relay.tls().text()).filter(words -> !words.isEmpty()),
                ports.admin().map(AdminServer::place),
                ports.health().map(port -> port.place() + "health/ready"),
                relay.recovered()
                        .map(found -> journal(config.journal(), found))
                        .orElseGet(() -> noJournal(config.cluster().on())),
                access(config));
        screen.lines().forEach(out::println);
        out.flush();
        LOG.debug(
                "transport {}, congestion control {} of local connections, {} of others, {}, packets of {} bytes (MTU {}), slow subscribers: {}",
                config.transport().text(),
                relay.congestion().local(),
                relay.congestion().links(),
                loops(),
                config.stream().packetBytes(),
                config.stream().mtu(),
                config.clients().slowSubscriber().flag());
        memory.table().forEach(LOG::debug);
    }

    private static Doors doors(InetSocketAddress tcp, Path unix, InetSocketAddress tls) {
        return new Doors(Optional.ofNullable(tcp), Optional.ofNullable(unix), Optional.ofNullable(tls));
    }

    @Override
    public void progress(Look look) {
        RelayStats now = look.stats();
        double seconds = (look.nanos() - beforeNanos) / 1e9;
        StringBuilder line = new StringBuilder(time(look.time()))
                .append(String.format(
                        Locale.ROOT,
                        "  in %s %s  out %s %s  pub %d sub %d",
                        rate(now, Counter.MESSAGES_IN, seconds, "msg/s"),
                        rate(now, Counter.BYTES_IN, seconds, "B/s"),
                        rate(now, Counter.MESSAGES_OUT, seconds, "msg/s"),
                        rate(now, Counter.BYTES_OUT, seconds, "B/s"),
                        now.get(Counter.PUBLISHERS),
                        now.get(Counter.SUBSCRIBERS)));
        lag(line, look);
        // Rare events are printed only if there were any since the last line.
        rare(line, "skipped", since(now, Counter.MESSAGES_SKIPPED));
        rare(line, "duplicates", since(now, Counter.DUPLICATES));
        rare(line, "wait for memory", now.get(Counter.ASSEMBLY_WAITING));
        rare(line, "pins evicted", since(now, Counter.PINS_EVICTED));
        rare(line, "waits for the journal", since(now, Counter.JOURNAL_WAITS));
        rare(line, "ms of a full disk", since(now, Counter.JOURNAL_FULL_MILLIS));
        rare(line, "replays", now.get(Counter.JOURNAL_REPLAYS));
        rare(line, "missed in the journal", since(now, Counter.JOURNAL_REPLAY_MISSED));
        rare(line, "conflated", since(now, Counter.STATE_CONFLATED));
        rare(line, "ticks missed", since(now, Counter.STATE_TICKS_MISSED));
        rare(line, "types forgotten", since(now, Counter.STATE_FORGOTTEN));
        rare(line, "faults", since(now, Counter.FAILURES));
        rare(line, "log lines suppressed", since(now, Counter.LOG_LINES_SUPPRESSED));
        out.println(line);
        out.flush();
        before = now;
        beforeNanos = look.nanos();
    }

    private static void lag(StringBuilder line, Look look) {
        long lag = look.stats().get(Counter.LARGEST_LAG_BYTES);
        line.append("  lag ").append(ShortText.of(lag, "B"));
        look.slowest().filter(row -> lag >= LAGS).ifPresent(slowest -> {
            line.append(" (#").append(slowest.id());
            if (!slowest.name().isEmpty()) {
                line.append(' ').append(ShortText.cut(slowest.name(), 12));
            }
            line.append(')');
        });
    }

    private static void rare(StringBuilder line, String what, long count) {
        if (count > 0) {
            line.append("  ").append(what).append(' ').append(ShortText.of(count));
        }
    }

    private long since(RelayStats now, Counter counter) {
        return now.get(counter) - before.get(counter);
    }

    private String rate(RelayStats now, Counter counter, double seconds, String unit) {
        return ShortText.of(seconds <= 0 ? 0 : since(now, counter) / seconds, unit);
    }

    @Override
    public void connections(Look look) {
        print("%s  connections: %d", time(look.time()), look.connections().size());
        if (look.connections().isEmpty()) {
            out.flush();
            return;
        }
        out.println(HEADER);
        output.printTable(out, look.connections().stream().map(TextReport::row));
    }

    static String row(ConnectionRow row) {
        boolean pub = row.publisher();
        return String.format(
                        Locale.ROOT,
                        TABLE,
                        row.id(),
                        TextWidth.left(row.name(), 12),
                        address(row.address(), 21),
                        pub ? "pub" : "sub",
                        TextWidth.left(pub ? "" : policy(row), 12),
                        TextWidth.left(pub ? "" : row.types().isEmpty() ? "all" : row.types(), 9),
                        pub ? "" : ShortText.of(row.cursor(), "B"),
                        pub ? "" : ShortText.of(row.lagBytes(), "B"),
                        ShortText.of(row.messagesPerSecond()),
                        ShortText.age(row.ageMillis()),
                        TextWidth.left(row.state(), 9),
                        ShortText.cut(row.waitsFor(), 9))
                .stripTrailing();
    }

    private static String policy(ConnectionRow row) {
        String interval =
                row.intervalMillis() == 0 ? "" : " " + Durations.format(Duration.ofMillis(row.intervalMillis()));
        return row.policy().flag() + interval;
    }

    /** Cuts off the start of a long address, because its end has the port or the file. */
    private static String address(String address, int width) {
        return TextWidth.left(TextWidth.cutStart(address, width), width);
    }

    @Override
    public void draining(Look look) {
        RelayStats now = look.stats();
        print(
                "%s draining: %s, %s, the slowest %,d bytes behind",
                time(look.time()),
                ShortText.counted(now.get(Counter.PUBLISHERS), "publisher"),
                ShortText.counted(now.get(Counter.SUBSCRIBERS), "subscriber"),
                now.get(Counter.LARGEST_LAG_BYTES));
        out.flush();
    }

    @Override
    public void stopped(Look look, double seconds) {
        ended(look, String.format(Locale.ROOT, "after %.1f s of draining", seconds));
    }

    @Override
    public void failed(Look look, Throwable cause) {
        ended(look, cause instanceof JournalException ? "by the failure of its journal" : "by a fault of its own");
    }

    private void ended(Look look, String how) {
        print("%s stopped %s: %s", time(look.time()), how, totals(look.stats()));
        if (!look.stats().closes().isEmpty()) {
            out.println("  connections closed: "
                    + look.stats().closes().entrySet().stream()
                            .map(Map.Entry::toString)
                            .collect(Collectors.joining(", ")));
        }
        out.flush();
    }

    private static String totals(RelayStats now) {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "%,d %s (%,d bytes) in, %,d %s (%,d bytes) out",
                now.get(Counter.MESSAGES_IN),
                ShortText.plural(now.get(Counter.MESSAGES_IN), "message"),
                now.get(Counter.BYTES_IN),
                now.get(Counter.MESSAGES_OUT),
                ShortText.plural(now.get(Counter.MESSAGES_OUT), "message"),
                now.get(Counter.BYTES_OUT)));
        if (now.get(Counter.MESSAGES_SKIPPED) > 0) {
            text.append(String.format(Locale.ROOT, ", %,d skipped", now.get(Counter.MESSAGES_SKIPPED)));
        }
        if (now.get(Counter.DUPLICATES) > 0) {
            text.append(String.format(Locale.ROOT, ", %,d duplicates dropped", now.get(Counter.DUPLICATES)));
        }
        return text.toString();
    }

    /** The version that the build wrote into the jar. */
    static String version() {
        String version = TextReport.class.getPackage().getImplementationVersion();
        return version == null ? "(not from a jar)" : version;
    }

    static String noJournal(boolean inCluster) {
        return "none: the "
                + (inCluster ? "nodes of the cluster keep the stream" : "stream ends with the relay (--journal DIR)");
    }

    /** The messages of the journal, and its place on the disk, in words. */
    static String journal(JournalConfig config, RecoveredJournal found) {
        String keep = config.keepTime() != null
                ? "kept for " + ShortText.age(config.keepTime().toMillis())
                : "up to " + ShortText.of(config.keepBytes(), "B");
        return config.directory()
                + (found.endSequence() == found.startSequence()
                        ? ", no messages yet"
                        : ", messages " + found.startSequence() + " to " + (found.endSequence() - 1))
                + "; takes " + ShortText.of(config.segmentBytes(), "B") + " at a time, " + keep
                + (found.cutMessages() == 0
                        ? ""
                        : "; cut off, not forced: " + found.cutSequence() + " to " + (found.cutEndSequence() - 1));
    }

    static String access(RelayConfig config) {
        if (config.access() != null) {
            return identities(config);
        }
        return config.listen().isOnThisHostOnly() ? "everybody on this host" : "everybody who gets here (--insecure)";
    }

    static String identities(RelayConfig config) {
        int identities = config.access().identities().size();
        return ShortText.counted(identities, "identity");
    }

    private String loops() {
        String loops = ShortText.counted(relay.eventLoops(), "event loop");
        int readers = relay.config().readerLoops();
        return readers == 0 ? loops : loops + ", " + ShortText.counted(readers, "reader loop");
    }

    private void print(String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values));
    }

    private static String time(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
