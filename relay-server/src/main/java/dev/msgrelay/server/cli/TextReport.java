package dev.msgrelay.server.cli;

import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.RelayStats;
import dev.msgrelay.server.config.ListenConfig;
import dev.msgrelay.server.config.RelayConfig;
import io.netty.util.NetUtil;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.stream.Collectors;

/** The report for people. */
final class TextReport implements ServerReport {
    private final PrintWriter out;
    private final RelayServer relay;
    private final long start = System.nanoTime();
    private RelayStats before;
    private long beforeNanos = start;

    TextReport(PrintWriter out, RelayServer relay) {
        this.out = out;
        this.relay = relay;
        this.before = relay.stats();
    }

    @Override
    public void ready() {
        ListenConfig listen = relay.config().listen();
        out.printf(
                "relay-server: publishers %s, subscribers %s%n",
                places(relay.publishAddress(), listen.publishSocket()),
                places(relay.subscribeAddress(), listen.subscribeSocket()));
        out.printf(
                "transport %s, %s, packets of %d bytes (MTU %d), slow subscribers: %s%n",
                relay.transport().flag(),
                loops(),
                relay.config().stream().packetBytes(),
                relay.config().stream().mtu(),
                relay.config().clients().slowSubscriber().flag());
        out.println("memory beside the Java heap:");
        relay.memory().lines().forEach(out::println);
        out.flush();
    }

    @Override
    public void second() {
        RelayStats now = relay.stats();
        long nanos = System.nanoTime();
        double seconds = (nanos - beforeNanos) / 1e9;
        out.printf(
                "%6.0f s  in %,11.0f msg/s %8.1f MB/s  out %,11.0f msg/s %8.1f MB/s  pub %d sub %d  lag %,d bytes%s%s%s%n",
                (nanos - start) / 1e9,
                (now.messagesIn() - before.messagesIn()) / seconds,
                (now.bytesIn() - before.bytesIn()) / seconds / 1e6,
                (now.messagesOut() - before.messagesOut()) / seconds,
                (now.bytesOut() - before.bytesOut()) / seconds / 1e6,
                now.publishers(),
                now.subscribers(),
                now.largestLagBytes(),
                followsLoad() && now.loopsInUse() > 1 ? "  " + now.loopsInUse() + " loops" : "",
                now.messagesSkipped() == 0 ? "" : String.format("  skipped %,d", now.messagesSkipped()),
                now.duplicates() == 0 ? "" : String.format("  duplicates %,d", now.duplicates()));
        out.flush();
        before = now;
        beforeNanos = nanos;
    }

    @Override
    public void draining() {
        RelayStats now = relay.stats();
        out.printf(
                "draining: %d publishers, %d subscribers, the slowest %,d bytes behind%n",
                now.publishers(), now.subscribers(), now.largestLagBytes());
        out.flush();
    }

    @Override
    public void stopped(double seconds) {
        RelayStats now = relay.stats();
        out.printf(
                "stopped after %.1f s of draining: %,d messages (%,d bytes) in, %,d messages (%,d bytes) out%s%s%n",
                seconds,
                now.messagesIn(),
                now.bytesIn(),
                now.messagesOut(),
                now.bytesOut(),
                now.messagesSkipped() == 0 ? "" : String.format(", %,d skipped", now.messagesSkipped()),
                now.duplicates() == 0 ? "" : String.format(", %,d duplicates dropped", now.duplicates()));
        if (!now.closes().isEmpty()) {
            out.println("connections closed: "
                    + now.closes().entrySet().stream().map(Map.Entry::toString).collect(Collectors.joining(", ")));
        }
        out.flush();
    }

    private String loops() {
        int loops = relay.eventLoops();
        if (loops == 1) {
            return "1 event loop";
        }
        return followsLoad() ? "1 event loop, " + loops + " while it is busy" : loops + " event loops";
    }

    private boolean followsLoad() {
        return relay.config().eventLoops() == RelayConfig.AUTO_EVENT_LOOPS;
    }

    private static String places(InetSocketAddress tcp, Object unix) {
        String first = tcp == null ? "" : NetUtil.toSocketAddressString(tcp);
        String second = unix == null ? "" : "unix:" + unix;
        return first + (first.isEmpty() || second.isEmpty() ? "" : " and ") + second;
    }
}
