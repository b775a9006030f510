package dev.msgrelay.server.cli;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.MemoryPlan;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.RelayStats;
import io.netty.util.NetUtil;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The report for scripts: one JSON object a line, told apart by {@code event}: ready, stats, draining, stopped. Totals
 * are since the start.
 */
final class JsonReport implements ServerReport {
    private final PrintWriter out;
    private final RelayServer relay;
    private final long start = System.nanoTime();

    JsonReport(PrintWriter out, RelayServer relay) {
        this.out = out;
        this.relay = relay;
    }

    @Override
    public void ready() {
        StringBuilder line = new StringBuilder("{\"event\":\"ready\"");
        text(line, "publish", endpoint(relay.publishAddress()));
        text(line, "subscribe", endpoint(relay.subscribeAddress()));
        text(line, "publishSocket", path(relay.config().listen().publishSocket()));
        text(line, "subscribeSocket", path(relay.config().listen().subscribeSocket()));
        text(line, "transport", relay.transport().flag());
        number(line, "eventLoops", relay.eventLoops());
        number(line, "mtu", relay.config().stream().mtu());
        text(line, "slowSubscriber", relay.config().clients().slowSubscriber().flag());
        MemoryPlan memory = relay.memory();
        line.append(",\"memory\":{");
        for (MemoryPlan.Item item : memory.fixed()) {
            quote(line, item.name()).append(':').append(item.bytes()).append(',');
        }
        line.append("\"sum\":").append(memory.total());
        number(line, "perPublisher", memory.perPublisher());
        number(line, "perSubscriber", memory.perSubscriber());
        number(line, "perName", memory.perName());
        print(line.append('}'));
    }

    @Override
    public void second() {
        print(stats("stats"));
    }

    @Override
    public void draining() {
        print(stats("draining"));
    }

    @Override
    public void stopped(double seconds) {
        StringBuilder line = stats("stopped");
        seconds(line, "drainSeconds", seconds);
        print(line);
    }

    private StringBuilder stats(String event) {
        RelayStats s = relay.stats();
        StringBuilder line = new StringBuilder("{\"event\":\"" + event + "\"");
        seconds(line, "elapsedSeconds", (System.nanoTime() - start) / 1e9);
        number(line, "messagesIn", s.messagesIn());
        number(line, "bytesIn", s.bytesIn());
        number(line, "messagesOut", s.messagesOut());
        number(line, "bytesOut", s.bytesOut());
        number(line, "messagesSkipped", s.messagesSkipped());
        number(line, "publishers", s.publishers());
        number(line, "subscribers", s.subscribers());
        number(line, "largestLagBytes", s.largestLagBytes());
        number(line, "largestLagMessages", s.largestLagMessages());
        number(line, "duplicates", s.duplicates());
        number(line, "heldBack", s.heldBack());
        number(line, "heldBackMillis", TimeUnit.NANOSECONDS.toMillis(s.heldBackNanos()));
        number(line, "backpressureMillis", TimeUnit.NANOSECONDS.toMillis(s.backpressureNanos()));
        number(line, "ringCells", s.ringCells());
        number(line, "ringUsedCells", s.ringUsedCells());
        number(line, "chunksAside", s.chunksAside());
        number(line, "loopsInUse", s.loopsInUse());
        GarbageCollections gc = GarbageCollections.now();
        number(line, "gcCount", gc.count());
        number(line, "gcMillis", gc.millis());
        line.append(",\"closes\":{");
        String comma = "";
        for (Map.Entry<CloseReason, Long> close : s.closes().entrySet()) {
            line.append(comma).append('"').append(close.getKey()).append("\":").append(close.getValue());
            comma = ",";
        }
        return line.append('}');
    }

    private void print(StringBuilder line) {
        out.println(line.append('}'));
        out.flush();
    }

    private static void number(StringBuilder line, String name, long value) {
        line.append(",\"").append(name).append("\":").append(value);
    }

    /** With three decimals: String.format would be the dearest part of a line, and there is one every second. */
    private static void seconds(StringBuilder line, String name, double seconds) {
        long millis = Math.round(seconds * 1000);
        number(line, name, millis / 1000);
        line.append('.').append(String.valueOf(1000 + millis % 1000), 1, 4);
    }

    private static void text(StringBuilder line, String name, String value) {
        line.append(",\"").append(name).append("\":");
        if (value == null) {
            line.append("null");
        } else {
            quote(line, value);
        }
    }

    private static StringBuilder quote(StringBuilder line, String value) {
        line.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                line.append('\\').append(c);
            } else if (c < ' ') {
                line.append(String.format("\\u%04x", (int) c));
            } else {
                line.append(c);
            }
        }
        return line.append('"');
    }

    /** As clients take it: an IPv6 address is in brackets. */
    private static String endpoint(InetSocketAddress address) {
        return address == null ? null : NetUtil.toSocketAddressString(address);
    }

    private static String path(Path path) {
        return path == null ? null : path.toString();
    }
}
