package dev.msgrelay.testing;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Ports for relays that are stopped and started again. */
public final class FreePort {
    /** Below those that systems give to whoever asks for any. */
    private static final int FIRST = 20_000;

    private static final int COUNT = 10_000;

    private FreePort() {}

    /**
     * A port that nobody gets while its relay is away: no other test, and not the very connection that is tried meanwhile,
     * which would be connected with itself.
     */
    public static int next() throws IOException {
        while (true) {
            int port = FIRST + ThreadLocalRandom.current().nextInt(COUNT);
            try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return free.getLocalPort();
            } catch (BindException taken) {
                // another one
            }
        }
    }
}
