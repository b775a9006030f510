package dev.msgrelay.testing.scripted;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import com.grack.nanojson.JsonParserException;
import com.grack.nanojson.JsonWriter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** A client's driver: commands to it, and the events that it has reported and nobody has taken yet. */
final class Driver implements AutoCloseable {
    /** Starts drivers of the client under test. */
    @FunctionalInterface
    interface Starter {
        Driver start() throws IOException;
    }

    /** Events whose order among each other is that of the stream. */
    private static final Set<String> IN_ORDER =
            Set.of("message", "gap", "stream_changed", "rolled_back", "missed", "state_complete");

    /** What a driver may say that its client is able to do; a case names those that it needs. */
    static final Set<String> CAPABILITIES = Set.of(
            "subscriber",
            "publisher",
            "plain",
            "levels",
            "types",
            "tls",
            "token",
            "unix",
            "endpoints",
            "producer_file",
            "pause",
            "time",
            "state",
            "peer",
            "certificate",
            Congestion.CAPABILITY);

    /** Fields of 64 bits: a number of JSON would lose digits above 2^53 in many languages. */
    private static final Set<String> STRINGS = Set.of(
            "sequence",
            "epoch",
            "next",
            "head",
            "accepted",
            "from",
            "to",
            "lost_from",
            "number",
            "messages",
            "bytes",
            "settled",
            "confirmed",
            "first_number",
            "unsettled");

    private static final int REMEMBERED = 12;
    private static final int QUIET_MS = 100;

    private final Process process;
    private final InputStream in;
    private final OutputStream out;
    private final Deque<JsonObject> events = new ArrayDeque<>();
    private final Deque<String> last = new ArrayDeque<>();
    private Set<String> capabilities = Set.of();
    private String end;
    private Runnable onError;

    private Driver(Process process, InputStream in, OutputStream out) {
        this.process = process;
        this.in = in;
        this.out = out;
        Thread reader = new Thread(this::read, "driver's events");
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts a program; its stderr is this process's. */
    static Driver start(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        return new Driver(process, process.getInputStream(), process.getOutputStream());
    }

    /** Starts a driver in this process. */
    static Driver of(DriverProgram program) throws IOException {
        Pipe commands = Pipe.open();
        Pipe events = Pipe.open();
        Thread thread = new Thread(
                () -> {
                    try (OutputStream out = Channels.newOutputStream(events.sink())) {
                        program.serve(Channels.newInputStream(commands.source()), out);
                    } catch (Exception e) {
                        e.printStackTrace();
                    }
                },
                "driver");
        thread.setDaemon(true);
        thread.start();
        return new Driver(null, Channels.newInputStream(events.source()), Channels.newOutputStream(commands.sink()));
    }

    /** Waits for the driver's first event, which says what its client is able to do. */
    void awaitReady(long deadline) {
        JsonObject ready;
        try {
            ready = await("ready", event -> true, deadline);
        } catch (AssertionError e) {
            throw new AssertionError("the driver has not said that it is ready: " + e.getMessage(), e);
        }
        if (!(ready.get("capabilities") instanceof JsonArray can)) {
            throw new AssertionError("the driver's ready has no list of capabilities: " + JsonWriter.string(ready));
        }
        capabilities = new TreeSet<>(can.stream().map(String::valueOf).toList());
        List<String> unknown =
                capabilities.stream().filter(one -> !CAPABILITIES.contains(one)).toList();
        if (!unknown.isEmpty()) {
            throw new AssertionError("no case needs the driver's capabilities " + unknown + "; those that there are: "
                    + new TreeSet<>(CAPABILITIES));
        }
    }

    boolean can(String capability) {
        return capabilities.contains(capability);
    }

    void send(JsonObject command) throws IOException {
        out.write((JsonWriter.string(command) + "\n").getBytes(UTF_8));
        out.flush();
    }

    /**
     * The first event of this name that is wanted; waits for it. Other events in stream order must not come before one
     * of these, and no {@code error} that ends the client before any other event.
     *
     * @throws AssertionError something else came, or the driver ended
     */
    synchronized JsonObject await(String name, Predicate<JsonObject> wanted, long deadline) {
        while (true) {
            for (Iterator<JsonObject> all = events.iterator(); all.hasNext(); ) {
                JsonObject event = all.next();
                String its = event.getString("event");
                if (name.equals(its) && wanted.test(event)) {
                    all.remove();
                    return event;
                }
                boolean before = IN_ORDER.contains(name) && IN_ORDER.contains(its);
                boolean refusal = its.equals("error");
                if (before || refusal) {
                    throw new AssertionError("the client reported " + JsonWriter.string(event));
                }
            }
            if (end != null) {
                throw new AssertionError("the driver ended: " + end);
            }
            waitUntil(deadline, name);
        }
    }

    /** The next event in stream order, whatever it is. */
    synchronized JsonObject awaitInOrder(long deadline) {
        while (true) {
            for (Iterator<JsonObject> all = events.iterator(); all.hasNext(); ) {
                JsonObject event = all.next();
                String its = event.getString("event");
                if (IN_ORDER.contains(its)) {
                    all.remove();
                    return event;
                }
                if (its.equals("error")) {
                    throw new AssertionError("the client reported " + JsonWriter.string(event));
                }
            }
            if (end != null) {
                throw new AssertionError("the driver ended: " + end);
            }
            waitUntil(deadline, "message");
        }
    }

    /**
     * Waits for a tenth of a second in which the driver's process has computed for less than half of it; a driver in
     * this process is taken for a quiet one.
     *
     * @throws AssertionError it computes all the time, while there is nothing to do
     */
    void awaitQuiet(long deadline) throws InterruptedException {
        long used;
        do {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("the driver computes all the time");
            }
            long before = cpuNanos();
            Thread.sleep(QUIET_MS);
            used = cpuNanos() - before;
        } while (used > TimeUnit.MILLISECONDS.toNanos(QUIET_MS) / 2);
    }

    private long cpuNanos() {
        return process == null
                ? 0
                : Stream.concat(Stream.of(process.toHandle()), process.descendants())
                        .mapToLong(one -> one.info()
                                .totalCpuDuration()
                                .map(Duration::toNanos)
                                .orElse(0L))
                        .sum();
    }

    /** The first event that is a reply to this command, by its name, or the refusal; taken by the next await. */
    synchronized void awaitReply(String command, String reply, long deadline) {
        while (true) {
            for (JsonObject event : events) {
                String its = event.getString("event");
                if (its.equals(reply) || its.equals("error") && command.equals(event.getString("command"))) {
                    return;
                }
            }
            if (end != null) {
                throw new AssertionError("the driver ended: " + end);
            }
            waitUntil(deadline, reply);
        }
    }

    /** Takes all events of these names. */
    synchronized List<JsonObject> removeEvents(Predicate<JsonObject> wanted) {
        List<JsonObject> taken = new ArrayList<>();
        events.removeIf(event -> wanted.test(event) && taken.add(event));
        return taken;
    }

    /** The events that a case should have taken: all in stream order, and errors. */
    synchronized List<JsonObject> leftOver() {
        List<JsonObject> left = new ArrayList<>();
        for (JsonObject event : events) {
            String its = event.getString("event");
            if (IN_ORDER.contains(its) || its.equals("error")) {
                left.add(event);
            }
        }
        events.clear();
        return left;
    }

    /** The first error that nobody has taken; null: none. */
    synchronized String error() {
        return events.stream()
                .filter(event -> event.getString("event").equals("error"))
                .findFirst()
                .map(JsonWriter::string)
                .orElse(null);
    }

    /** Calls this, at once, if there is an error that nobody has taken, and at the next one; null: calls nothing. */
    synchronized void onError(Runnable action) {
        onError = action;
        if (action != null
                && events.stream().anyMatch(event -> event.getString("event").equals("error"))) {
            action.run();
        }
    }

    /** The next case begins: what was reported before is no matter of it. */
    synchronized void forget() {
        last.clear();
    }

    synchronized String lastWords() {
        return String.join("\n    ", last);
    }

    @Override
    public void close() {
        try {
            out.close();
            if (process != null && !process.waitFor(5, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            // Ended already.
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /** Ends it at once: nobody knows what it would do next. */
    void kill() {
        if (process != null) {
            process.destroyForcibly();
        }
        close();
    }

    private void waitUntil(long deadline, String what) {
        long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (millis <= 0) {
            throw new AssertionError("no " + what + " in time");
        }
        try {
            wait(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    private void read() {
        String why = "end of its output";
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(in, UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                JsonObject event = JsonParser.object().from(line);
                for (String field : STRINGS) {
                    if (event.get(field) instanceof Number) {
                        throw new IOException(
                                field + " is a number, and must be a string, in the driver's line " + line);
                    }
                }
                synchronized (this) {
                    events.add(event);
                    if (onError != null && event.getString("event", "").equals("error")) {
                        onError.run();
                    }
                    last.add(line.length() > 200 ? line.substring(0, 200) + "..." : line);
                    if (last.size() > REMEMBERED) {
                        last.remove();
                    }
                    notifyAll();
                }
            }
        } catch (IOException e) {
            why = e.getMessage();
        } catch (JsonParserException e) {
            why = "a line is not JSON: " + e.getMessage();
        }
        synchronized (this) {
            end = why;
            notifyAll();
        }
    }
}
