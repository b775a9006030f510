package dev.msgrelay.loadgen.doctor;

import dev.msgrelay.loadgen.host.SystemTree;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;

/** TCP of this host: what it does to a stream, and how much of it may be in flight. */
final class TcpChecks {
    private static final String IPV4 = "proc/sys/net/ipv4/";
    private static final String CORE = "proc/sys/net/core/";

    /** Below, a single connection does not fill a fast link over any distance. */
    private static final long ENOUGH_BUFFER = 4_000_000;

    private static final long SMALL_BUFFER = 1_000_000;

    /** Bytes a millisecond of 10 Gbit/s. */
    private static final double TEN_GBE_PER_MILLI = 1_250_000;

    /** What the relay asks for when it listens. */
    private static final long BACKLOG = 1_024;

    private static final int LEAST_DEFAULT_MOST = 3;

    private TcpChecks() {}

    static Finding congestionControl(SystemTree tree) {
        String name = "TCP congestion control";
        Optional<String> told = tree.text(IPV4 + "tcp_congestion_control");
        if (told.isEmpty()) {
            return Finding.unknown(name, "it moves the speed of loopback by half");
        }
        Finding finding =
                switch (told.get()) {
                    case "cubic", "reno" ->
                        Finding.fine(name, told.get(), "does not pace: the faster kind for loopback");
                    case "bbr" ->
                        Finding.note(
                                name,
                                "bbr",
                                "paces: over loopback, runs under cubic were seen to be 1.5 times as fast");
                    default -> Finding.note(name, told.get(), "compare with runs under the same one only");
                };
        return finding.with("chosen", told.get())
                .with(
                        "available",
                        tree.text(IPV4 + "tcp_available_congestion_control").orElse("unknown"));
    }

    static Finding socketLimits(SystemTree tree) {
        String name = "socket buffer limits";
        OptionalLong read = tree.number(CORE + "rmem_max");
        OptionalLong write = tree.number(CORE + "wmem_max");
        String meaning = "only for programs that size their buffers themselves; Relay leaves that to the kernel";
        if (read.isEmpty() || write.isEmpty()) {
            return Finding.unknown(name, meaning);
        }
        String value = "rmem_max " + Texts.bytes(read.getAsLong()) + ", wmem_max " + Texts.bytes(write.getAsLong());
        return Finding.fine(name, value, meaning)
                .with("rmemMaxBytes", read.getAsLong())
                .with("wmemMaxBytes", write.getAsLong());
    }

    /** @param kind {@code tcp_rmem} or {@code tcp_wmem} */
    static Finding buffers(SystemTree tree, String kind) {
        long[] sizes = tree.text(IPV4 + kind).map(TcpChecks::numbers).orElse(new long[0]);
        if (sizes.length != LEAST_DEFAULT_MOST) {
            return Finding.unknown(kind, "how much of a connection's stream may be in flight");
        }
        long most = sizes[2];
        String value = "up to " + Texts.bytes(most);
        String meaning = Texts.format(
                "of a connection may be in flight: at 10 Gbit/s enough for a round trip of about %.1f ms",
                most / TEN_GBE_PER_MILLI);
        Level level = most >= ENOUGH_BUFFER ? Level.FINE : Level.NOTE;
        if (most < SMALL_BUFFER) {
            level = Level.WARNING;
        }
        return Finding.of(level, kind, value, meaning)
                .with("leastBytes", sizes[0])
                .with("defaultBytes", sizes[1])
                .with("mostBytes", most);
    }

    private static long[] numbers(String text) {
        try {
            return Arrays.stream(text.split("\\s+")).mapToLong(Long::parseLong).toArray();
        } catch (NumberFormatException e) {
            return new long[0];
        }
    }

    static Finding backlog(SystemTree tree) {
        String name = "somaxconn";
        OptionalLong told = tree.number(CORE + "somaxconn");
        if (told.isEmpty()) {
            return Finding.unknown(name, "how many connections may arrive at once");
        }
        String value = Long.toString(told.getAsLong());
        Finding finding = told.getAsLong() >= BACKLOG
                ? Finding.fine(name, value, "at least the backlog of 1,024 that the relay asks for")
                : Finding.note(
                        name,
                        value,
                        "less than the 1,024 that the relay asks for: when more connect at once, some wait 1 s");
        return finding.with("connections", told.getAsLong());
    }

    static Finding timestamps(SystemTree tree) {
        String name = "TCP time stamps";
        OptionalLong told = tree.number(IPV4 + "tcp_timestamps");
        if (told.isEmpty()) {
            return Finding.unknown(name, "they take 12 bytes of every segment: 'ceiling' assumes that they are on");
        }
        boolean on = told.getAsLong() != 0;
        Finding finding = on
                ? Finding.fine(name, "on", "12 bytes of every segment, as 'ceiling' assumes")
                : Finding.note(name, "off", "12 bytes more in every segment: 'ceiling' needs --no-timestamps");
        return finding.with("on", on);
    }

    /** @param failure what kept a connection over loopback from being made, or null */
    static Finding loopback(String failure) {
        return failure == null
                ? Finding.fine("loopback", "connects", "runs on this host can be made")
                : Finding.of(
                        Level.IMPOSSIBLE, "loopback", failure, "relay, publishers and subscribers cannot connect here");
    }
}
