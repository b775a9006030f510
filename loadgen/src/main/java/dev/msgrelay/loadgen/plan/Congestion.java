package dev.msgrelay.loadgen.plan;

import dev.msgrelay.server.host.SystemTree;
import dev.msgrelay.server.net.CongestionControl;
import java.util.List;
import java.util.stream.Stream;

/**
 * The TCP congestion control by which one side of a run sends, as far as it is known.
 *
 * @param names the kernel's names, each once, in their order; empty where the side has no TCP connection
 * @param why reason why the names are not those that were chosen; null: they are
 */
public record Congestion(List<String> names, String why) {
    /** Nothing is sent over TCP. */
    public static final Congestion NONE = new Congestion(List.of(), null);
    /** Another program sends, and does not tell. */
    public static final Congestion UNKNOWN = of("unknown");

    private static final String DEFAULT = "sys/net/ipv4/tcp_congestion_control";

    public static Congestion of(String name) {
        return new Congestion(List.of(name), null);
    }

    /** The choice of a relay, in which {@link CongestionControl#SYSTEM} stands for the default of this host. */
    public static Congestion ofChoice(String choice) {
        return choice.equals(CongestionControl.SYSTEM) ? ofSystem(null) : of(choice);
    }

    /** The default of this host; of a host that does not tell it, {@link CongestionControl#SYSTEM}. */
    public static Congestion ofSystem(String why) {
        String name = SystemTree.proc().text(DEFAULT).orElse(CongestionControl.SYSTEM);
        return new Congestion(List.of(name), why);
    }

    /** This one and that of further connections of the same side. */
    public Congestion and(Congestion other) {
        List<String> both = Stream.concat(names.stream(), other.names.stream())
                .sorted()
                .distinct()
                .toList();
        return new Congestion(both, why == null ? other.why : why);
    }

    /** "cubic", "bbr (relay-client cannot choose)"; empty where there is no TCP connection. */
    @Override
    public String toString() {
        return String.join(" and ", names) + (why == null ? "" : " (" + why + ")");
    }
}
