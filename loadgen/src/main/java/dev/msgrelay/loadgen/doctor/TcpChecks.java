package dev.msgrelay.loadgen.doctor;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.host.SystemTree;
import java.util.Arrays;
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
        String chosen = tree.text(IPV4 + "tcp_congestion_control").orElse(null);
        String available = tree.text(IPV4 + "tcp_available_congestion_control").orElse("unknown");
        return Finding.at("TCP congestion control", chosen)
                .unknown("it moves the speed of loopback by half")
                .fine("cubic".equals(chosen) || "reno".equals(chosen), "does not pace: the faster kind for loopback")
                .note("bbr".equals(chosen), "paces: over loopback, runs under cubic were seen to be 1.5 times as fast")
                .note("compare with runs under the same one only")
                .with("chosen", chosen)
                .with("available", chosen == null ? null : available);
    }

    static Finding socketLimits(SystemTree tree) {
        String name = "socket buffer limits";
        OptionalLong read = tree.number(CORE + "rmem_max");
        OptionalLong write = tree.number(CORE + "wmem_max");
        String meaning = "only for programs that size their buffers themselves; Relay leaves that to the kernel";
        if (read.isEmpty() || write.isEmpty()) {
            return Finding.at(name, null).unknown(meaning);
        }
        long most = read.getAsLong();
        return Finding.at(name, "rmem_max " + Finding.bytes(most) + ", wmem_max " + Finding.bytes(write.getAsLong()))
                .fine(meaning)
                .with("rmemMaxBytes", most)
                .with("wmemMaxBytes", write.getAsLong());
    }

    /** @param kind {@code tcp_rmem} or {@code tcp_wmem} */
    static Finding buffers(SystemTree tree, String kind) {
        long[] sizes = tree.text(IPV4 + kind).map(TcpChecks::numbers).orElse(new long[0]);
        if (sizes.length != LEAST_DEFAULT_MOST) {
            return Finding.at(kind, null).unknown("how much of a connection's stream may be in flight");
        }
        long most = sizes[2];
        String meaning = format(
                "of a connection may be in flight: at 10 Gbit/s enough for a round trip of about %.1f ms",
                most / TEN_GBE_PER_MILLI);
        return Finding.at(kind, "up to " + Finding.bytes(most))
                .warning(most < SMALL_BUFFER, meaning)
                .note(most < ENOUGH_BUFFER, meaning)
                .fine(meaning)
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
        OptionalLong number = tree.number(CORE + "somaxconn");
        Long told = number.isPresent() ? (Long) number.getAsLong() : null;
        return Finding.at("somaxconn", told)
                .unknown("how many connections may arrive at once")
                .fine(told != null && told >= BACKLOG, "at least the backlog of 1,024 that the relay asks for")
                .note("less than the 1,024 that the relay asks for: when more connect at once, some wait 1 s")
                .with("connections", told);
    }

    static Finding timestamps(SystemTree tree) {
        Boolean on = tree.flag(IPV4 + "tcp_timestamps");
        return Finding.at("TCP time stamps", on == null ? null : on ? "on" : "off")
                .unknown("they take 12 bytes of every segment: 'ceiling' assumes that they are on")
                .fine(Boolean.TRUE.equals(on), "12 bytes of every segment, as 'ceiling' assumes")
                .note("12 bytes more in every segment: 'ceiling' needs --no-timestamps")
                .with("on", on);
    }

    /** @param failure what kept a connection over loopback from being made, or null */
    static Finding loopback(String failure) {
        return Finding.at("loopback", failure == null ? "connects" : failure)
                .fine(failure == null, "runs on this host can be made")
                .when(true, Level.IMPOSSIBLE, "relay, publishers and subscribers cannot connect here");
    }
}
