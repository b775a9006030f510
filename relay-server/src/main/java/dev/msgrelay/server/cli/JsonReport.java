package dev.msgrelay.server.cli;

import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.admin.AdminServer;
import dev.msgrelay.server.admin.JsonLine;
import dev.msgrelay.server.admin.Look;
import dev.msgrelay.server.assembly.MemoryPlan;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import io.netty.util.NetUtil;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.event.Level;

/**
 * The report for scripts: one JSON object per line. Its {@code event} is checked, ready, stats, connection, draining,
 * stopped or failed; each object has the {@code time} and the {@code level}. Objects of the {@link CommandLog} come
 * between them. Totals count from the start; every {@link Counter} is a member, named by its key.
 */
final class JsonReport implements ServerReport {
    private final PrintWriter out;
    private final RelayServer relay;
    private final CommandOutput output;
    private final long start = System.nanoTime();

    JsonReport(PrintWriter out, RelayServer relay, CommandOutput output) {
        this.out = out;
        this.relay = relay;
        this.output = output;
    }

    /** The event for a configuration in which {@code --check-config} has found no error. */
    static String checked(String message) {
        return event("checked", Instant.now(), Level.INFO)
                .text("message", message)
                .toLine();
    }

    @Override
    public void ready(AdminPorts ports) {
        JsonLine line = event("ready", Instant.now(), Level.INFO)
                .text("publish", endpoint(relay.publishAddress()))
                .text("subscribe", endpoint(relay.subscribeAddress()))
                .text("publishSocket", path(relay.config().listen().publishSocket()))
                .text("subscribeSocket", path(relay.config().listen().subscribeSocket()))
                .text("tlsPublish", endpoint(relay.tlsPublishAddress()))
                .text("tlsSubscribe", endpoint(relay.tlsSubscribeAddress()))
                .text("tls", relay.tls().text())
                .text("admin", endpoint(ports.admin()))
                .text("health", endpoint(ports.health()))
                .text("transport", relay.transport().flag())
                .text("localCongestion", relay.congestion().local())
                .text("congestion", relay.congestion().links())
                .text("access", TextReport.access(relay.config()))
                .number("eventLoops", relay.eventLoops())
                .number("readerLoops", relay.config().readerLoops())
                .number("mtu", relay.config().stream().mtu())
                .text(
                        "slowSubscriber",
                        relay.config().clients().slowSubscriber().flag());
        relay.recovered()
                .ifPresent(journal -> line.object("journal", found -> found.text(
                                "directory", path(relay.config().journal().directory()))
                        .number("firstSequence", journal.startSequence())
                        .number("endSequence", journal.endSequence())
                        .number("cutMessages", journal.cutMessages())));
        MemoryPlan memory = relay.memory();
        line.object("memory", parts -> {
            for (Part part : Part.values()) {
                parts.number(part.name().toLowerCase(Locale.ROOT), memory.of(part));
            }
            parts.number("direct", memory.direct()).number("heap", memory.heap());
        });
        print(line);
    }

    @Override
    public void progress(Look look) {
        print(stats("stats", look, Level.INFO));
    }

    @Override
    public void connections(Look look) {
        output.printTable(out, look.connections().stream().map(row -> {
            JsonLine line = event("connection", look.time(), Level.INFO);
            Look.row(line, row);
            return line.toLine();
        }));
    }

    @Override
    public void draining(Look look) {
        print(stats("draining", look, Level.INFO));
    }

    @Override
    public void stopped(Look look, double seconds) {
        print(stats("stopped", look, Level.INFO).decimal("drainSeconds", seconds));
    }

    @Override
    public void failed(Look look, Throwable cause) {
        print(stats("failed", look, Level.ERROR).text("cause", cause.toString()));
    }

    private static JsonLine event(String event, Instant time, Level level) {
        return JsonLine.event(event, time).text("level", level.name());
    }

    private JsonLine stats(String event, Look look, Level level) {
        JsonLine line = event(event, look.time(), level);
        line.decimal("elapsedSeconds", (look.nanos() - start) / 1e9);
        Look.totals(line, look);
        return line;
    }

    private void print(JsonLine line) {
        out.println(line.toLine());
        out.flush();
    }

    private static String endpoint(InetSocketAddress address) {
        return address == null ? null : NetUtil.toSocketAddressString(address);
    }

    private static String endpoint(Optional<AdminServer> port) {
        return port.map(AdminServer::address)
                .map(NetUtil::toSocketAddressString)
                .orElse(null);
    }

    private static String path(Path path) {
        return path == null ? null : path.toString();
    }
}
