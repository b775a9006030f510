package dev.msgrelay.loadgen.host;

import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The network interfaces of a host: from /sys/class/net on Linux, from the JDK where there is none. */
public final class NetInterfaces {
    private static final String CLASS = "sys/class/net/";

    /** IFF_UP and IFF_LOOPBACK of linux/if.h. */
    private static final int FLAG_UP = 0x1;

    private static final int FLAG_LOOPBACK = 0x8;

    /** Drivers that do not know say -1, as a signed or as an unsigned number. */
    private static final long SPEED_UNKNOWN = 0xFFFF_FFFFL;

    private final SystemTree tree;

    public NetInterfaces(SystemTree tree) {
        this.tree = tree;
    }

    /** The names of all, up or not, sorted. */
    public Set<String> names() {
        Set<String> names = new TreeSet<>(tree.directories(CLASS));
        if (names.isEmpty()) {
            try {
                names.addAll(NetworkInterface.networkInterfaces()
                        .map(NetworkInterface::getName)
                        .collect(Collectors.toSet()));
            } catch (SocketException e) {
                // none that anyone could name
            }
        }
        return names;
    }

    public List<NetInterface> up() {
        return names().stream()
                .map(this::named)
                .flatMap(Optional::stream)
                .filter(NetInterface::up)
                .toList();
    }

    /** One of them; empty when there is none of that name. */
    public Optional<NetInterface> named(String name) {
        if (!names().contains(name)) {
            return Optional.empty();
        }
        return tree.exists(CLASS + name + "/flags") ? Optional.of(fromSystem(name)) : fromJdk(name);
    }

    private NetInterface fromSystem(String name) {
        String directory = CLASS + name + "/";
        int flags = tree.text(directory + "flags").map(NetInterfaces::hex).orElse(0);
        String state = tree.text(directory + "operstate").orElse("unknown");
        boolean down = state.equals("down") || state.equals("lowerlayerdown") || state.equals("notpresent");
        OptionalLong mtu = tree.number(directory + "mtu");
        return new NetInterface(
                name,
                (flags & FLAG_UP) != 0 && !down,
                (flags & FLAG_LOOPBACK) != 0,
                state,
                mtu.isPresent() ? OptionalInt.of((int) mtu.getAsLong()) : OptionalInt.empty(),
                speed(tree.number(directory + "speed")),
                tree.text(directory + "duplex").filter(duplex -> !duplex.equals("unknown")));
    }

    private static OptionalLong speed(OptionalLong told) {
        boolean known = told.isPresent() && told.getAsLong() > 0 && told.getAsLong() < SPEED_UNKNOWN;
        return known ? told : OptionalLong.empty();
    }

    private static int hex(String text) {
        try {
            return Integer.decode(text);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static Optional<NetInterface> fromJdk(String name) {
        try {
            return Optional.ofNullable(NetworkInterface.getByName(name)).map(NetInterfaces::told);
        } catch (SocketException e) {
            return Optional.empty();
        }
    }

    private static NetInterface told(NetworkInterface found) {
        try {
            return new NetInterface(
                    found.getName(),
                    found.isUp(),
                    found.isLoopback(),
                    found.isUp() ? "up" : "down",
                    OptionalInt.of(found.getMTU()),
                    OptionalLong.empty(),
                    Optional.empty());
        } catch (SocketException e) {
            return null;
        }
    }

    /**
     * One network interface, as the system tells of it.
     *
     * @param state one word: up, down, unknown, ...
     * @param mtu in bytes; empty where the system does not tell
     * @param megabitsPerSecond the link's speed in each direction; empty where the system does not tell, as most virtual
     *     interfaces do not
     * @param duplex full or half, where it is known
     */
    public record NetInterface(
            String name,
            boolean up,
            boolean loopback,
            String state,
            OptionalInt mtu,
            OptionalLong megabitsPerSecond,
            Optional<String> duplex) {}
}
