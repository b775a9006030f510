package dev.msgrelay.testing.scripted;

import dev.msgrelay.testing.TestProcess;
import dev.msgrelay.testing.ThisMachine;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;

/**
 * The congestion control of the client's socket at the other end of a connection. The kernel tells it by {@code ss},
 * since both ends are on this machine: no driver is asked.
 *
 * @param other a name that each process here may choose, and that is not what a socket has without a choice
 * @param missing why there is nothing to see here; empty: nothing is missing, and {@code other} is there
 */
record Congestion(String other, String missing) {
    /** The capability of clients that choose one. */
    static final String CAPABILITY = "congestion";

    /** What this machine has. */
    static Congestion here() {
        return of(
                ThisMachine.proc("sys", "net", "ipv4"),
                ThisMachine.program("ss").isPresent());
    }

    /** @param settings the directory with the kernel's settings of TCP */
    static Congestion of(Path settings, boolean hasSs) {
        try {
            String standard =
                    Files.readString(settings.resolve("tcp_congestion_control")).strip();
            List<String> allowed = words(Files.readString(settings.resolve("tcp_allowed_congestion_control")));
            String other = allowed.stream()
                    .filter(Predicate.not(standard::equals))
                    .findFirst()
                    .orElse("");
            if (other.isEmpty()) {
                return new Congestion("", "this machine allows no congestion control but " + standard);
            }
            return hasSs ? new Congestion(other, "") : new Congestion("", "ss of iproute2 is not on the PATH");
        } catch (IOException none) {
            return new Congestion("", "this machine has no TCP_CONGESTION");
        }
    }

    /** Why this case cannot be played here; empty: it can be. */
    String missing(Case one) {
        return one.needs().contains(CAPABILITY) ? missing : "";
    }

    /**
     * Looks at the client's end of a TCP connection.
     *
     * @param wanted one name, or several with strokes between them
     * @throws AssertionError it has another congestion control
     */
    static void check(SocketChannel accepted, String wanted) throws IOException, InterruptedException {
        String client = "sport = :" + ((InetSocketAddress) accepted.getRemoteAddress()).getPort();
        String relay = "dport = :" + ((InetSocketAddress) accepted.getLocalAddress()).getPort();
        String said = TestProcess.run("ss", "-tinH", client, relay).said();
        if (words(said).stream().noneMatch(word -> Variables.matches(wanted, word))) {
            throw new AssertionError("the client's socket has another congestion control than " + wanted + ": " + said);
        }
    }

    private static List<String> words(String text) {
        return List.of(text.strip().split("\\s+"));
    }
}
