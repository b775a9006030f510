package dev.msgrelay.loadgen.evidence;

import static dev.msgrelay.loadgen.render.Unit.format;

import java.util.Optional;
import java.util.function.Consumer;

/** Parses /proc/net/tcp and tcp6. */
final class SocketTable {
    private static final String ESTABLISHED = "01";

    /** The state of a half-closed connection, which still has its queues. */
    private static final String CLOSE_WAIT = "08";

    private static final int LOCAL = 1;
    private static final int REMOTE = 2;
    private static final int STATE = 3;
    private static final int QUEUES = 4;
    private static final int INODE = 9;
    private static final int HEX = 16;

    private SocketTable() {}

    /** One end of a connection, with the bytes in its queues. */
    record Entry(int localPort, int remotePort, long sendBytes, long receiveBytes, String inode) {}

    /**
     * Passes every connection with this TCP port at one end to {@code each}. Only lines with the port are parsed, for
     * speed.
     */
    static void read(String text, int port, Consumer<Entry> each) {
        String wanted = format(":%04X ", port);
        int at = 0;
        while ((at = text.indexOf(wanted, at)) >= 0) {
            int begin = text.lastIndexOf('\n', at) + 1;
            int end = text.indexOf('\n', at);
            end = end < 0 ? text.length() : end;
            parse(text.substring(begin, end).strip()).ifPresent(each);
            at = end;
        }
    }

    private static Optional<Entry> parse(String line) {
        String[] fields = line.split("\\s+", INODE + 2);
        if (fields.length <= INODE || !(fields[STATE].equals(ESTABLISHED) || fields[STATE].equals(CLOSE_WAIT))) {
            return Optional.empty();
        }
        int colon = fields[QUEUES].indexOf(':');
        try {
            return Optional.of(new Entry(
                    port(fields[LOCAL]),
                    port(fields[REMOTE]),
                    Long.parseLong(fields[QUEUES].substring(0, Math.max(0, colon)), HEX),
                    Long.parseLong(fields[QUEUES].substring(colon + 1), HEX),
                    fields[INODE]));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static int port(String address) {
        int colon = address.lastIndexOf(':');
        if (colon < 0) {
            throw new NumberFormatException("no port in '" + address + "'");
        }
        return Integer.parseInt(address.substring(colon + 1), HEX);
    }
}
