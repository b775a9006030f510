package dev.msgrelay.server.config;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;

/**
 * Where a relay listens.
 *
 * @param host address to bind TCP to; 127.0.0.1 unless told otherwise
 * @param publishPort TCP port for publishers, 0 for any free one, {@link #OFF} for none
 * @param subscribePort TCP port for subscribers, likewise
 * @param publishSocket Unix socket for publishers, or null
 * @param subscribeSocket Unix socket for subscribers, or null
 */
public record ListenConfig(String host, int publishPort, int subscribePort, Path publishSocket, Path subscribeSocket) {
    public static final String DEFAULT_HOST = "127.0.0.1";
    public static final int DEFAULT_PUBLISH_PORT = 7401;
    public static final int DEFAULT_SUBSCRIBE_PORT = 7400;
    public static final int OFF = -1;

    /** The kernel's limit of a Unix socket's path, less the closing zero. */
    private static final int MAX_SOCKET_PATH = 107;

    public ListenConfig {
        Objects.requireNonNull(host, "host");
        checkPort("publish port", publishPort);
        checkPort("subscribe port", subscribePort);
        if (publishPort > 0 && publishPort == subscribePort) {
            throw new IllegalArgumentException(
                    "publish port and subscribe port are both " + publishPort + ": they must differ");
        }
        checkPath("publish socket", publishSocket);
        checkPath("subscribe socket", subscribeSocket);
        if (publishSocket != null && publishSocket.equals(subscribeSocket)) {
            throw new IllegalArgumentException(
                    "publish socket and subscribe socket are both " + publishSocket + ": they must differ");
        }
    }

    /** Whether only this host's own processes get to it. A name that is not known is told when it is listened on. */
    public boolean isOnThisHostOnly() {
        try {
            return Arrays.stream(InetAddress.getAllByName(host)).allMatch(InetAddress::isLoopbackAddress);
        } catch (UnknownHostException e) {
            return true;
        }
    }

    static void checkPort(String what, int port) {
        if (port < OFF || port > 65_535) {
            throw new IllegalArgumentException(what + " " + port + " is not within 0..65535");
        }
    }

    private static void checkPath(String what, Path path) {
        if (path != null && path.toString().isEmpty()) {
            throw new IllegalArgumentException(what + " is empty: it is the path of a file");
        }
        int length = path == null ? 0 : path.toString().getBytes(StandardCharsets.UTF_8).length;
        if (length > MAX_SOCKET_PATH) {
            throw new IllegalArgumentException(what + " path of " + length + " bytes is over the system's limit of "
                    + MAX_SOCKET_PATH + ": " + path);
        }
    }
}
