package dev.msgrelay.testing;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/** Ports for relays that are stopped and started again. */
public final class FreePort {
    /** Ports below those that systems give to sockets without a port of their own. */
    private static final int FIRST = 20_000;

    private static final int COUNT = 10_000;

    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

    private FreePort() {}

    /**
     * A port that nobody gets while its relay is away: no other call, and not a connect to it in the meantime, which
     * would connect to itself.
     */
    public static int next() throws IOException {
        while (true) {
            int port = FIRST + ThreadLocalRandom.current().nextInt(COUNT);
            try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                if (GIVEN.add(free.getLocalPort())) {
                    return free.getLocalPort();
                }
            } catch (BindException taken) {
                // another try
            }
        }
    }
}
