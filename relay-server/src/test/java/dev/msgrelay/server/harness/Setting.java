package dev.msgrelay.server.harness;

import dev.msgrelay.server.net.Transport;
import dev.msgrelay.testing.ThisMachine;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** How a relay under test is driven and reached. Methods are sources of parameters. */
public record Setting(Transport transport, boolean unix, int loops) {
    /**
     * {@code -Dtest.settings=all}: all that a source names; otherwise two of them, which have each transport, socket,
     * loop.
     */
    private static final boolean ALL = "all".equals(ThisMachine.setting("test.settings"));

    public static final Setting NIO_TCP = new Setting(Transport.NIO, false, 1);

    /** Both transports over TCP, one loop. */
    public static Stream<Setting> transports() {
        return available().map(t -> new Setting(t, false, 1));
    }

    /** Both transports, TCP and Unix sockets, one loop. */
    public static Stream<Setting> sockets() {
        return available().flatMap(t -> some(t, new Setting(t, false, 1), new Setting(t, true, 1)));
    }

    /** Both transports over TCP, one and two loops. */
    public static Stream<Setting> oneAndTwoLoops() {
        return available().flatMap(t -> some(t, new Setting(t, false, 1), new Setting(t, false, 2)));
    }

    /** Each transport, socket and number of loops with each of the others, by two and two. */
    public static Stream<Setting> pairs() {
        return available()
                .flatMap(t -> some(
                        t,
                        new Setting(t, false, t == Transport.NIO ? 1 : 2),
                        new Setting(t, true, t == Transport.NIO ? 2 : 1)));
    }

    /** The plain setting of NIO, and the other one of a faster transport. */
    private static Stream<Setting> some(Transport transport, Setting one, Setting other) {
        return ALL ? Stream.of(one, other) : Stream.of(transport == Transport.NIO ? one : other);
    }

    public static boolean all() {
        return ALL;
    }

    private static Stream<Transport> available() {
        List<Transport> transports = new ArrayList<>(List.of(Transport.NIO));
        if (io.netty.channel.epoll.Epoll.isAvailable()) {
            transports.add(Transport.EPOLL);
        }
        return transports.stream();
    }

    @Override
    public String toString() {
        return transport.flag() + (unix ? " unix" : " tcp") + (loops == 1 ? ", 1 loop" : ", " + loops + " loops");
    }
}
