package dev.msgrelay.loadgen.ssh;

import dev.msgrelay.loadgen.host.Machine;
import dev.msgrelay.loadgen.host.NetInterfaces;
import dev.msgrelay.loadgen.host.NetInterfaces.NetInterface;
import dev.msgrelay.loadgen.host.ProcessFigures;
import dev.msgrelay.loadgen.host.SystemTree;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a controller has on a second host beside its workers: it tells of the host and its clock, sends signals, and kills
 * the workers when the controller is gone. Lines come on stdin; those with a number are answered, the number first:
 *
 * <pre>
 *  N facts [ADDRESS]        {"machine":{...},"near":...,"far":...,...}, see Facts
 *  N clock                  System.nanoTime
 *  N figures PID            CPU time in nanoseconds, and the most memory that was resident, in bytes; -1: not known
 *  N reach ADDRESS PORT     "yes", or why a connection to there cannot be made
 *  watch PID                kill it when stdin ends, or nothing is heard for so many milliseconds as the argument says
 *  term PID, kill PID       send it SIGTERM, SIGKILL
 *  beat                     the controller is alive
 * </pre>
 */
final class HostMain {
    static final String YES = "yes";

    private static final int REACH_MILLIS = 4_000;

    private final Map<Long, ProcessHandle> watched = new ConcurrentHashMap<>();
    private final long silenceNanos;
    private volatile long lastHeard = System.nanoTime();

    private HostMain(long silenceNanos) {
        this.silenceNanos = silenceNanos;
    }

    public static void main(String[] args) {
        HostMain host = new HostMain(TimeUnit.MILLISECONDS.toNanos(Long.parseLong(args[0])));
        Thread silence = new Thread(host::watchForSilence, "silence");
        silence.setDaemon(true);
        silence.start();
        host.serve();
    }

    private void serve() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            String line;
            while ((line = in.readLine()) != null) {
                lastHeard = System.nanoTime();
                on(line.split(" "));
            }
        } catch (IOException | RuntimeException e) {
            System.err.println("controller: " + e);
        } finally {
            leave();
        }
    }

    private void watchForSilence() {
        try {
            long left;
            while ((left = lastHeard + silenceNanos - System.nanoTime()) > 0) {
                TimeUnit.NANOSECONDS.sleep(left);
            }
        } catch (InterruptedException e) {
            // nobody does that; leaving is right in any case
        }
        leave();
    }

    /** With all that the controller has started here. */
    private void leave() {
        watched.values().forEach(ProcessHandle::destroyForcibly);
        Runtime.getRuntime().halt(0);
    }

    private void on(String[] words) {
        switch (words[0]) {
            case "watch" ->
                process(words[1]).ifPresent(process -> {
                    watched.put(process.pid(), process);
                    process.onExit().thenRun(() -> watched.remove(process.pid()));
                });
            case "term" -> process(words[1]).ifPresent(ProcessHandle::destroy);
            case "kill" -> process(words[1]).ifPresent(ProcessHandle::destroyForcibly);
            case "beat" -> {
                // that it came is all that it says
            }
            default -> say(words[0] + " " + answer(words));
        }
    }

    private static String answer(String[] words) {
        return switch (words[1]) {
            case "facts" -> Facts.here(words.length > 2 ? words[2] : "").toJson();
            case "clock" -> Long.toString(System.nanoTime());
            case "figures" -> {
                long pid = Long.parseLong(words[2]);
                yield ProcessFigures.cpuNanos(pid) + " " + ProcessFigures.peakResidentBytes(pid);
            }
            case "reach" -> reach(words[2], Integer.parseInt(words[3]));
            default -> throw new IllegalArgumentException("unknown question '" + words[1] + "'");
        };
    }

    private static String reach(String address, int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address, port), REACH_MILLIS);
            return YES;
        } catch (IOException e) {
            return e.getMessage();
        }
    }

    private static Optional<ProcessHandle> process(String pid) {
        return ProcessHandle.of(Long.parseLong(pid));
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    /**
     * What a second host says of itself, and of how it and the controller see each other.
     *
     * @param machine cores, JDK, kernel and so on
     * @param near the controller's address, as sshd there sees it; empty where it does not tell
     * @param far the address at which what is started there listens; empty where none was given and sshd does not tell
     * @param mtu of the interface that has the far address
     * @param megabitsPerSecond of that interface
     */
    record Facts(Machine machine, String near, String far, OptionalInt mtu, OptionalLong megabitsPerSecond) {
        /** What sshd tells those that it starts: the client's address and port, the server's address and port. */
        private static final JsonMapper JSON = new JsonMapper();

        private static final String CONNECTION = "SSH_CONNECTION";

        private static final int CONNECTION_WORDS = 4;

        /**
         * Of this host.
         *
         * @param given the far address; empty: the one that ssh came to
         */
        static Facts here(String given) {
            String[] connection = System.getenv().getOrDefault(CONNECTION, "").split(" ");
            boolean told = connection.length == CONNECTION_WORDS;
            String far = given.isEmpty() && told ? connection[2] : given;
            Optional<NetInterface> own = interfaceOf(far);
            return new Facts(
                    Machine.here(),
                    told ? connection[0] : "",
                    far,
                    own.map(NetInterface::mtu).orElse(OptionalInt.empty()),
                    own.map(NetInterface::megabitsPerSecond).orElse(OptionalLong.empty()));
        }

        private static Optional<NetInterface> interfaceOf(String address) {
            try {
                return address.isEmpty()
                        ? Optional.empty()
                        : new NetInterfaces(SystemTree.ofThisHost()).withAddress(InetAddress.getByName(address));
            } catch (IOException e) {
                return Optional.empty();
            }
        }

        String toJson() {
            return JSON.writeValueAsString(this);
        }

        /** @throws JacksonException it is not what {@link #toJson} gave */
        static Facts of(String json) {
            return JSON.readValue(json, Facts.class);
        }
    }
}
