package dev.msgrelay.loadgen.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Finds listening sockets of this host in the tables of /proc/net, without a connection that the listener would notice.
 */
public final class ListeningSockets {
    private static final Path NET = Path.of("/proc/net");

    /** The flags of a listening Unix socket ({@code __SO_ACCEPTCON}). */
    private static final String ACCEPTS = " 00010000 ";

    private ListeningSockets() {}

    /** Whether a process listens at this TCP port, at any address; throws if the system has no such tables. */
    public static boolean hasPort(int port) throws IOException {
        return isListed(lines("tcp"), port) || Files.exists(NET.resolve("tcp6")) && isListed(lines("tcp6"), port);
    }

    /** Searches lines with the columns {@code sl local_address rem_address st}. The state 0A means LISTEN. */
    static boolean isListed(Stream<String> lines, int port) {
        String local = String.format(Locale.ROOT, ":%04X", port);
        try (lines) {
            return lines.map(line -> line.strip().split("\\s+", 5))
                    .anyMatch(fields -> fields.length == 5 && fields[1].endsWith(local) && fields[3].equals("0A"));
        }
    }

    /** Whether a process listens at this Unix socket. */
    public static boolean hasPath(String path) throws IOException {
        try (Stream<String> lines = lines("unix")) {
            return lines.anyMatch(line -> line.contains(ACCEPTS) && line.endsWith(" " + path));
        }
    }

    private static Stream<String> lines(String table) throws IOException {
        return Files.lines(NET.resolve(table));
    }
}
