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

/**
 * A child process that exchanges JSON lines with this JVM, see worker.Control. Two daemon threads read its stdout and
 * stderr. Thread-safe.
 */
public final class Child {
    /** The value of a figure that this system does not report. */
    static final long UNKNOWN = -1;

    /**
     * The most events of one kind that are stored: over two hours at one a second. After that, the oldest are dropped.
     */
    private static final int MAX_EVENTS = 8_000;

    private static final int MAX_STDERR_LINES = 20;
    private static final String STACK_FRAME = "\tat ";

    /** A JVM prints this message for options in its environment; it is not an error. */
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
        Thread stderrThread = startThread(process.getErrorStream(), this::onStderr, "stderr");
        startThread(process.getInputStream(), line -> onStdout(line, stderrThread), "stdout");
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

    /** Returns the CPU time of the process, in nanoseconds with steps of 10 ms, or {@link #UNKNOWN}. */
    public long cpuNanos() {
        return process.info().totalCpuDuration().map(Duration::toNanos).orElse(UNKNOWN);
    }

    /** Returns the CPU time of all present threads, to the nanosecond where the kernel has it, or {@link #UNKNOWN}. */
    long exactCpuNanos() {
        long sum = 0;
        for (String thread : SystemTree.proc().names(pid() + "/task")) {
            String schedstat = SystemTree.proc()
                    .text(pid() + "/task/" + thread + "/schedstat")
                    .orElse("");
            try {
                sum += Long.parseLong(schedstat.strip().split(" ")[0]);
            } catch (NumberFormatException e) {
                // The thread has ended, or the kernel has no such file.
            }
        }
        return sum == 0 ? cpuNanos() : sum;
    }

    public long kernelNanos() {
        String stat = SystemTree.proc().text(pid() + "/stat").orElse("");
        return ProcessTimes.parse(stat).map(ProcessTimes::kernelNanos).orElse(UNKNOWN);
    }

    public long peakResidentBytes() {
        return SystemTree.proc()
                .field(pid() + "/status", "VmHWM")
                .map(kibibytes -> Long.parseLong(kibibytes.replaceAll("\\D", "")) << 10)
                .orElse(UNKNOWN);
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Sends one command. The caller notices a failure when it waits for the answer. */
    public void send(String command, Object value) {
        try {
            String line = Json.line(Map.of(command, value)) + "\n";
            process.getOutputStream().write(line.getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            // The caller notices the failure when it waits for the answer.
        }
    }

    public JsonNode await(String event, long limitNanos) throws RunException, InterruptedException {
        return await(event, "say '" + event + "'", limitNanos, List.of(this));
    }

    /**
     * Waits for an event of this child, and meanwhile checks other children.
     *
     * @param what text of the error message after "did not": "say 'ready'"
     * @param all children whose failure ends the wait, including this one: the failure of another child may be why this
     *     one sends nothing
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

    /** Waits a moment for the event. Then the caller checks the other children. */
    private synchronized boolean says(String event, long deadline) throws InterruptedException {
        long nanos = Math.min(LOOK_NANOS, deadline - System.nanoTime());
        if (!events.containsKey(event) && nanos > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, nanos);
        }
        return events.containsKey(event);
    }

    /** Throws if this child reported an error, or has ended. The message includes its last lines on stderr. */
    public synchronized void checkHealthy() throws RunException {
        if (events.containsKey("error")) {
            String said = events.get("error").getFirst().json().path("message").asString("");
            throw new RunException(said.startsWith(name + ":") ? said : name + ": " + said);
        }
        // A program of another project may close its stdout and continue.
        if (stdoutEnded && !process.isAlive()) {
            throw new RunException(name + " ended" + exitCode() + said());
        }
    }

    /** Checks the health if the event has not arrived. Once it has arrived, the child may end. */
    private synchronized void checkHealthyUntil(String event) throws RunException {
        if (!events.containsKey(event)) {
            checkHealthy();
        }
    }

    /** Checks the health repeatedly for {@code millis}, since a child's end is noticed with a delay. */
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

    /** Sends a job to a worker that serves several runs, and drops the events of its previous job. */
    void startJob(Object job) {
        synchronized (this) {
            events.clear();
        }
        send("job", job);
    }

    /** Ends the job of a worker that serves several runs, and waits until its connections are closed. */
    void endJob() throws RunException, InterruptedException {
        send("end", Map.of());
        await("ended", END_NANOS);
    }

    public void terminate() {
        // Process.destroy would also close the streams, and so lose the last output.
        process.toHandle().destroy();
    }

    public boolean awaitExit(long millis) throws InterruptedException {
        return process.waitFor(millis, TimeUnit.MILLISECONDS);
    }

    public int exitValue() {
        return process.exitValue();
    }

    /** Closes the child's stdin. A worker ends when its stdin ends. */
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

    private void onStdout(String line, Thread stderrThread) {
        if (line == null) {
            awaitLastWords(stderrThread);
        }
        remember(line);
    }

    /** Waits for the exit code and the last lines of stderr, which arrive a moment after the end of stdout. */
    private void awaitLastWords(Thread stderrThread) {
        try {
            process.waitFor(LAST_WORDS_MILLIS, TimeUnit.MILLISECONDS);
            stderrThread.join(LAST_WORDS_MILLIS);
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
                // With --json, the relay logs to stdout. Its warnings and errors are stored like lines of stderr.
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

    private Thread startThread(InputStream stream, Consumer<String> sink, String kind) {
        Thread thread = new Thread(
                () -> {
                    try (BufferedReader in =
                            new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                        in.lines().forEach(sink);
                    } catch (IOException | UncheckedIOException e) {
                        // The process was killed while this thread was reading.
                    }
                    sink.accept(null);
                },
                name + "-" + kind);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
