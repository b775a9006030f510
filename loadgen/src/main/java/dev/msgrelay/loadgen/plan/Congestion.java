package dev.msgrelay.loadgen.plan;

import dev.msgrelay.server.host.SystemTree;
import dev.msgrelay.server.net.CongestionControl;
import java.util.List;
import java.util.stream.Stream;

/**
 * The TCP congestion control that one side of a run uses for sending, if it is known.
 *
 * @param names the kernel's names, each once and sorted; empty if the side has no TCP connection
 * @param why reason why the names differ from those that were chosen; null if they do not
 */
public record Congestion(List<String> names, String why) {
    /** The value if nothing is sent over TCP. */
    public static final Congestion NONE = new Congestion(List.of(), null);
    /** The value if the sender is another program, whose congestion control is not known. */
    public static final Congestion UNKNOWN = of("unknown");

    private static final String DEFAULT = "sys/net/ipv4/tcp_congestion_control";

    public static Congestion of(String name) {
        return new Congestion(List.of(name), null);
    }

    /** Converts a relay's choice; {@link CongestionControl#SYSTEM} becomes the default of this host. */
    public static Congestion ofChoice(String choice) {
        return choice.equals(CongestionControl.SYSTEM) ? ofSystem(null) : of(choice);
    }

    /** Returns the default of this host; {@link CongestionControl#SYSTEM} if the host does not report it. */
    public static Congestion ofSystem(String why) {
        String name = SystemTree.proc().text(DEFAULT).orElse(CongestionControl.SYSTEM);
        return new Congestion(List.of(name), why);
    }

    /** Returns whether the names are the same, or one side is {@link #UNKNOWN}. */
    public boolean isLike(Congestion other) {
        return names.equals(other.names) || equals(UNKNOWN) || other.equals(UNKNOWN);
    }

    /** Adds the congestion control of further connections of the same side. */
    public Congestion and(Congestion other) {
        List<String> both = Stream.concat(names.stream(), other.names.stream())
                .sorted()
                .distinct()
                .toList();
        return new Congestion(both, why == null ? other.why : why);
    }

    @Override
    public String toString() {
        return String.join(" and ", names) + (why == null ? "" : " (" + why + ")");
    }
}
