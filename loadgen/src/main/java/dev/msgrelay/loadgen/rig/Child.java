package dev.msgrelay.loadgen.rig;

import dev.msgrelay.loadgen.host.ProcessTimes;
import dev.msgrelay.loadgen.host.Site;
import dev.msgrelay.loadgen.plan.Json;
import dev.msgrelay.server.host.SystemTree;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** A child process that speaks JSON lines, see worker.Control; its output has two daemon threads. Thread-safe. */
public final class Child {
    /** A figure that this system does not tell. */
    static final long UNKNOWN = -1;

    /** Events of one kind that are kept, over two hours of one a second; then the oldest go. */
    private static final int MAX_EVENTS = 8_000;

    private static final int MAX_STDERR_LINES = 20;
    private static final String STACK_FRAME = "\tat ";

    /** A JVM's message on options in its environment, which is no fault. */
    private static final Pattern PICKED_UP = Pattern.compile("(NOTE: )?Picked up \\w*JAVA\\w*OPTIONS: .*");

    private static final long LAST_WORDS_MILLIS = 10_000;
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long END_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final String name;
    private final Site site;
    private final Process process;
    private final Map<String, Deque<Event>> events = new HashMap<>();
    private final Deque<String> stderr = new ArrayDeque<>();
    private boolean stdoutEnded;

    public record Event(long nanos, JsonNode json) {}

    Child(String name, Site site, Process process) {
        this.name = name;
        this.site = site;
        this.process = process;
        Thread stderrReader = startReader(process.getErrorStream(), this::onStderr, "stderr");
        startReader(process.getInputStream(), line -> onStdout(line, stderrReader), "stdout");
    }

    public String name() {
        return name;
    }

    public long pid() {
        return process.pid();
    }

    public Site site() {
        return site;
    }

    /** CPU time of the process, in nanoseconds, in steps of 10 ms, or {@link #UNKNOWN}. */
    public long cpuNanos() {
        return process.info().totalCpuDuration().map(Duration::toNanos).orElse(UNKNOWN);
    }

    /** The kernel's part of {@link #cpuNanos}, likewise. */
    public long kernelNanos() {
        String stat = SystemTree.proc().text(pid() + "/stat").orElse("");
        return ProcessTimes.parse(stat).map(ProcessTimes::kernelNanos).orElse(UNKNOWN);
    }

    /** The peak of resident memory, in bytes, or {@link #UNKNOWN}. */
    public long peakResidentBytes() {
        return SystemTree.proc()
                .field(pid() + "/status", "VmHWM")
                .map(kibibytes -> Long.parseLong(kibibytes.replaceAll("\\D", "")) << 10)
                .orElse(UNKNOWN);
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Sends one command; of a child that has ended, the wait for the answer tells. */
    public void send(String command, Object value) {
        try {
            String line = Json.line(Map.of(command, value)) + "\n";
            process.getOutputStream().write(line.getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            // The wait for the answer tells it.
        }
    }

    /**
     * Waits for the first event of this name.
     *
     * @throws RunException the child failed or ended, or the event did not come within {@code limitNanos}
     */
    public JsonNode await(String event, long limitNanos) throws RunException, InterruptedException {
        return await(event, "say '" + event + "'", limitNanos, List.of(this));
    }

    /**
     * Waits for an event while other children work, too.
     *
     * @param meaning of the event, for people
     * @param all children whose failure ends the wait, this one among them: a failed child may keep this one silent
     */
    JsonNode await(String event, String what, long limitNanos, List<Child> all)
            throws RunException, InterruptedException {
        long deadline = System.nanoTime() + limitNanos;
        while (!says(event, deadline)) {
            for (Child one : all) {
                if (one == this) {
                    checkHealthyUntil(event);
                } else {
                    one.checkHealthy();
                }
            }
            if (System.nanoTime() >= deadline) {
                throw new RunException(name + " did not " + what + " within "
                        + TimeUnit.NANOSECONDS.toMillis(limitNanos) + " ms" + said());
            }
        }
        return all(event).get(0).json();
    }

    /** Waits for the event for a moment, after which other children are looked at. */
    private synchronized boolean says(String event, long deadline) throws InterruptedException {
        long nanos = Math.min(LOOK_NANOS, deadline - System.nanoTime());
        if (!events.containsKey(event) && nanos > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, nanos);
        }
        return events.containsKey(event);
    }

    /** Throws where this child reported an error, or has ended; the message has its last words. */
    public synchronized void checkHealthy() throws RunException {
        if (events.containsKey("error")) {
            String said = events.get("error").getFirst().json().path("message").asString("");
            throw new RunException(said.startsWith(name + ":") ? said : name + ": " + said);
        }
        // Another project's program may close its output and live on.
        if (stdoutEnded && !process.isAlive()) {
            throw new RunException(name + " ended" + exitCode() + said());
        }
    }

    /** Throws likewise, unless the event has come, after which the child may end. */
    private synchronized void checkHealthyUntil(String event) throws RunException {
        if (!events.containsKey(event)) {
            checkHealthy();
        }
    }

    /** Throws likewise, for {@code millis}, within which the child's end becomes known. */
    synchronized void checkHealthy(long millis) throws RunException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        for (long left = millis; left > 0; left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())) {
            checkHealthy();
            wait(left);
        }
    }

    public synchronized Event latest(String event) {
        Deque<Event> known = events.get(event);
        return known == null ? null : known.getLast();
    }

    public synchronized List<Event> all(String event) {
        return new ArrayList<>(events.getOrDefault(event, new ArrayDeque<>()));
    }

    /** Gives a worker that stays its next job, and drops the events of the last one. */
    void startJob(Object job) {
        synchronized (this) {
            events.clear();
        }
        send("job", job);
    }

    /** Ends the job of a worker that stays, and waits until its connections are closed. */
    void endJob() throws RunException, InterruptedException {
        send("end", Map.of());
        await("ended", END_NANOS);
    }

    public void terminate() {
        // Process.destroy would close the streams as well, and lose the last words.
        process.toHandle().destroy();
    }

    public boolean awaitExit(long millis) throws InterruptedException {
        return process.waitFor(millis, TimeUnit.MILLISECONDS);
    }

    public int exitValue() {
        return process.exitValue();
    }

    /** Closes stdin, at whose end a child ends. */
    void closeStdin() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // The child has ended already.
        }
    }

    void kill() {
        process.destroyForcibly();
    }

    private String exitCode() {
        return process.isAlive() ? "" : " with exit code " + process.exitValue();
    }

    private synchronized String said() {
        return stderr.isEmpty() ? "" : "; it said: " + String.join(" | ", stderr);
    }

    private void onStdout(String line, Thread stderrReader) {
        if (line == null) {
            awaitLastWords(stderrReader);
        }
        remember(line);
    }

    /** Waits for the exit code and the last lines of stderr, which come a moment after the end of stdout. */
    private void awaitLastWords(Thread stderrReader) {
        try {
            process.waitFor(LAST_WORDS_MILLIS, TimeUnit.MILLISECONDS);
            stderrReader.join(LAST_WORDS_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void remember(String line) {
        if (line == null) {
            stdoutEnded = true;
        } else {
            JsonNode json = parse(line);
            Deque<Event> known = events.computeIfAbsent(json.path("event").asString(""), key -> new ArrayDeque<>());
            if (known.size() == MAX_EVENTS) {
                known.removeFirst();
            }
            known.addLast(new Event(System.nanoTime(), json));
            String level = json.path("level").asString("");
            if (json.has("message") && (level.equals("WARN") || level.equals("ERROR"))) {
                // A relay that speaks JSON has its log on stdout, other programs on stderr.
                onStderr(json.path("message").asString(""));
            }
        }
        notifyAll();
    }

    private static JsonNode parse(String line) {
        try {
            return Json.parse(line);
        } catch (JacksonException e) {
            return Json.tree(Map.of("event", "text", "text", line));
        }
    }

    private synchronized void onStderr(String line) {
        if (line == null
                || line.startsWith(STACK_FRAME)
                || PICKED_UP.matcher(line).matches()) {
            return;
        }
        if (stderr.size() == MAX_STDERR_LINES) {
            stderr.removeFirst();
        }
        stderr.addLast(line);
    }

    private Thread startReader(InputStream stream, Consumer<String> sink, String kind) {
        Thread thread = new Thread(
                () -> {
                    try (BufferedReader in =
                            new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                        in.lines().forEach(sink);
                    } catch (IOException | UncheckedIOException e) {
                        // The process was killed meanwhile.
                    }
                    sink.accept(null);
                },
                name + "-" + kind);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
