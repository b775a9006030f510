package dev.msgrelay.loadgen.ssh;

import com.grack.nanojson.JsonWriter;
import dev.msgrelay.loadgen.measure.ProcessFigures;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * What a controller has on a second host beside its workers: it tells of the host and its clock, sends signals, and kills
 * the workers when the controller is gone. Lines come on stdin; those with a number are answered, the number first:
 *
 * <pre>
 *  N facts [ADDRESS]        {"machine":{...},"near":...,"far":...,...}, see HostFacts
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
            case "facts" ->
                JsonWriter.string(
                        HostFacts.here(words.length > 2 ? words[2] : "").toJson());
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
}
