package dev.msgrelay.server.cli;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.host.SystemTree;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Describes the program that listens at a port: its process, whether it is a relay, and which option to change. */
final class TakenPort {
    private static final Pattern CANNOT = Pattern.compile("cannot listen on (.*):(\\d+): .*", Pattern.DOTALL);

    /** Longest time to connect to the program, and longest time to wait for its first bytes. */
    static final int PATIENCE_MILLIS = 1_000;

    /** The state of a socket that listens, in the kernel's tables. */
    private static final String LISTENS = "0A";

    /** Columns of the kernel's tables: local address, state, inode. */
    private static final int LOCAL = 1;

    private static final int STATE = 3;
    private static final int INODE = 9;

    private TakenPort() {}

    /**
     * Words to add to the message of a failed start; empty if no port was in use. {@code proc} is the folder /proc; a
     * program that answers later than {@code patienceMillis} is taken for no relay.
     */
    static String words(String failure, RelayConfig config, SystemTree proc, int patienceMillis) {
        Matcher cannot = CANNOT.matcher(failure);
        if (!cannot.matches()) {
            return "";
        }
        int port = Integer.parseInt(cannot.group(2));
        List<String> inodes = listeners(port, proc);
        if (inodes.isEmpty() && !failure.contains("in use")) {
            return "";
        }
        boolean publish = port == config.listen().publishPort();
        boolean plain = publish || port == config.listen().subscribePort();
        List<String> who = new ArrayList<>();
        if (plain && isRelay(cannot.group(1), port, publish, patienceMillis)) {
            who.add("a relay answers there");
        }
        inodes.stream()
                .flatMap(inode -> holder(inode, proc).stream())
                .findFirst()
                .ifPresent(who::add);
        String option = option(port, config);
        return (who.isEmpty() ? "" : ": " + String.join(", ", who))
                + (option.isEmpty() ? "" : "; " + option + " takes another port");
    }

    /** The option that has set the port; empty for a port for HTTP. */
    private static String option(int port, RelayConfig config) {
        if (port == config.listen().publishPort()) {
            return "--publish-port";
        }
        if (port == config.listen().subscribePort()) {
            return "--subscribe-port";
        }
        boolean tls = config.tls().on();
        return tls && port == config.tls().publishPort()
                ? "--tls-publish-port"
                : tls && port == config.tls().subscribePort() ? "--tls-subscribe-port" : "";
    }

    /** The inodes of sockets that listen at this port, at any address. */
    private static List<String> listeners(int port, SystemTree proc) {
        String local = String.format(Locale.ROOT, ":%04X", port);
        return Stream.of("net/tcp", "net/tcp6")
                .flatMap(table -> proc.text(table).stream())
                .flatMap(String::lines)
                .map(line -> line.strip().split("\\s+"))
                .filter(columns ->
                        columns.length > INODE && columns[LOCAL].endsWith(local) && columns[STATE].equals(LISTENS))
                .map(columns -> columns[INODE])
                .toList();
    }

    /** The process that has a socket; empty if the system hides the process, as it hides those of other users. */
    private static Optional<String> holder(String inode, SystemTree proc) {
        String socket = "socket:[" + inode + "]";
        return proc.names("").stream()
                .filter(name -> name.matches("\\d+"))
                .filter(pid -> proc.names(pid + "/fd").stream().anyMatch(fd -> proc.link(pid + "/fd/" + fd)
                        .filter(socket::equals)
                        .isPresent()))
                .findFirst()
                .map(pid -> "process " + pid
                        + proc.text(pid + "/comm")
                                .map(name -> " (" + name + ")")
                                .orElse("") + " has it");
    }

    /** Whether the program answers HELLO with any control frame. */
    private static boolean isRelay(String host, int port, boolean publish, int patienceMillis) {
        HelloFrame.Builder hello = publish ? HelloFrame.publisher() : HelloFrame.subscriber();
        try (Socket socket = new Socket()) {
            InetAddress address = InetAddress.getByName(host.replaceAll("[\\[\\]]", ""));
            socket.connect(
                    new InetSocketAddress(
                            address.isAnyLocalAddress() ? InetAddress.getLoopbackAddress() : address, port),
                    patienceMillis);
            socket.setSoTimeout(patienceMillis);
            socket.getOutputStream().write(hello.build().encode().array());
            return ControlFrames.isControl(new DataInputStream(socket.getInputStream()).readInt());
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }
}
