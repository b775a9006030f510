package dev.msgrelay.server.config;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The addresses that a relay listens on.
 *
 * @param publishPort TCP port for publishers; 0 for any free one, {@link #OFF} for none
 * @param subscribePort TCP port for subscribers; 0 for any free one, {@link #OFF} for none
 * @param publishSocket Unix socket for publishers; null for none
 * @param subscribeSocket Unix socket for subscribers; null for none
 * @param socketMode permissions of the sockets' files, in octal digits; null if the umask decides
 * @param socketGroup group of the sockets' files, by name or number; null for the process's group
 */
public record ListenConfig(
        String host,
        int publishPort,
        int subscribePort,
        Path publishSocket,
        Path subscribeSocket,
        String socketMode,
        String socketGroup) {
    public static final String DEFAULT_HOST = "127.0.0.1";
    public static final int OFF = -1;

    /** The system's limit of a Unix socket's path, less the zero byte at its end. */
    private static final int MAX_SOCKET_PATH = 107;

    private static final String MODE = "0?[0-7]{1,3}";

    public ListenConfig {
        Objects.requireNonNull(host, "host");
        checkPorts("", publishPort, subscribePort);
        if (socketMode != null && !socketMode.matches(MODE)) {
            throw new IllegalArgumentException(
                    "socket mode '" + socketMode + "' is not octal, such as 0660: clients need the right to write");
        }
        if (socketGroup != null && socketGroup.isBlank()) {
            throw new IllegalArgumentException("socket group is empty: it is a name or a number");
        }
        checkPath("publish socket", publishSocket);
        checkPath("subscribe socket", subscribeSocket);
        if (publishSocket != null && publishSocket.equals(subscribeSocket)) {
            throw new IllegalArgumentException(
                    "publish socket and subscribe socket are both " + publishSocket + ": they must differ");
        }
    }

    /** The permissions of the sockets' files; empty if the umask decides. */
    public Optional<Set<PosixFilePermission>> socketPermissions() {
        // The enum's values have the order of the bits, from the highest bit.
        return Optional.ofNullable(socketMode)
                .map(mode -> Integer.parseInt(mode, 8))
                .map(bits -> Stream.of(PosixFilePermission.values())
                        .filter(permission -> (bits & 0400 >> permission.ordinal()) != 0)
                        .collect(Collectors.toUnmodifiableSet()));
    }

    /** Whether only processes of this host can connect. Also true for an unknown host, which fails at the start. */
    public boolean isOnThisHostOnly() {
        try {
            return isLoopback(host);
        } catch (UnknownHostException e) {
            return true;
        }
    }

    static boolean isLoopback(String host) throws UnknownHostException {
        return Arrays.stream(InetAddress.getAllByName(host)).allMatch(InetAddress::isLoopbackAddress);
    }

    static void checkPorts(String prefix, int publishPort, int subscribePort) {
        checkPort(prefix + "publish port", publishPort);
        checkPort(prefix + "subscribe port", subscribePort);
        if (publishPort > 0 && publishPort == subscribePort) {
            throw new IllegalArgumentException(prefix + "publish port and " + prefix + "subscribe port are both "
                    + publishPort + ": they must differ");
        }
    }

    private static void checkPort(String what, int port) {
        if (port != OFF) {
            Range.check(what, port, 0, Range.MOST_PORT);
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
