package dev.msgrelay.testing;

import java.io.IOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;

/** Ports for relays that are stopped and started again. */
public final class FreePort {
    /** Ports below those that systems give to sockets without a port of their own. */
    private static final int FIRST = 20_000;

    private static final int COUNT = 10_000;

    /** UDP ports of the same numbers, which this process keeps, so that no other process of tests takes the number. */
    private static final Queue<DatagramSocket> KEPT = new ConcurrentLinkedQueue<>();

    private FreePort() {}

    /**
     * A port that nobody gets while its relay is away: no other call, in this process or another, and not a connect to
     * it in the meantime, which would connect to itself.
     */
    public static int next() throws IOException {
        InetAddress host = InetAddress.getLoopbackAddress();
        while (true) {
            int port = FIRST + ThreadLocalRandom.current().nextInt(COUNT);
            DatagramSocket kept;
            try {
                kept = new DatagramSocket(port, host);
            } catch (BindException taken) {
                continue;
            }
            try (ServerSocket free = new ServerSocket(port, 1, host)) {
                KEPT.add(kept);
                return free.getLocalPort();
            } catch (BindException taken) {
                kept.close();
            }
        }
    }
}
