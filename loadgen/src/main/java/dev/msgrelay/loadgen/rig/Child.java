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
 * One child process that speaks JSON lines, see {@link dev.msgrelay.loadgen.worker.Control}. Two daemon threads read
 * its stdout and stderr; everything else may be called by any thread.
 */
public final class Child {
    /** A figure that this system does not tell. */
    static final long UNKNOWN = -1;

    /** Events of one kind that are kept: more than two hours of a word a second. The oldest go. */
    private static final int MAX_EVENTS = 8_000;

    private static final int MAX_STDERR_LINES = 20;
    private static final String STACK_FRAME = "\tat ";

    /** A JVM's words on options in its environment: nothing went wrong. */
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

    /** CPU time since its start, in nanoseconds, in steps of 10 ms; {@link #UNKNOWN} where the system does not tell. */
    public long cpuNanos() {
        return process.info().totalCpuDuration().map(Duration::toNanos).orElse(UNKNOWN);
    }

    /** The part of it within the kernel, likewise. */
    public long kernelNanos() {
        String stat = SystemTree.proc().text(pid() + "/stat").orElse("");
        return ProcessTimes.parse(stat).map(ProcessTimes::kernelNanos).orElse(UNKNOWN);
    }

    /** The most memory that was resident at one time, in bytes; {@link #UNKNOWN} where the system does not tell. */
    public long peakResidentBytes() {
        return SystemTree.proc()
                .field(pid() + "/status", "VmHWM")
                .map(kibibytes -> Long.parseLong(kibibytes.replaceAll("\\D", "")) << 10)
                .orElse(UNKNOWN);
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Sends one command; a child that is gone does not hear it, which shows when its answer is awaited. */
    public void send(String command, Object value) {
        try {
            String line = Json.line(Map.of(command, value)) + "\n";
            process.getOutputStream().write(line.getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            // told by await
        }
    }

    /**
     * Waits for the first event of this kind.
     *
     * @throws RunException the child failed or ended, or did not say so within {@code limitNanos}
     */
    public JsonNode await(String event, long limitNanos) throws RunException, InterruptedException {
        return await(event, "say '" + event + "'", limitNanos, List.of(this));
    }

    /**
     * The same while others work too.
     *
     * @param what it does when it says so, for people
     * @param all that have to be well meanwhile, this one among them: who has failed may be why this one says nothing
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

    /** Waits for it, but not for long: somebody else may have failed. */
    private synchronized boolean says(String event, long deadline) throws InterruptedException {
        long nanos = Math.min(LOOK_NANOS, deadline - System.nanoTime());
        if (!events.containsKey(event) && nanos > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, nanos);
        }
        return events.containsKey(event);
    }

    /** Throws when this child reported an error or ended, with its words. */
    public synchronized void checkHealthy() throws RunException {
        if (events.containsKey("error")) {
            String said = events.get("error").getFirst().json().path("message").asString("");
            throw new RunException(said.startsWith(name + ":") ? said : name + ": " + said);
        }
        // A program of somebody else's may have closed its output and live on.
        if (stdoutEnded && !process.isAlive()) {
            throw new RunException(name + " ended" + exitCode() + said());
        }
    }

    /** The same, unless it has said this: it may end then. */
    private synchronized void checkHealthyUntil(String event) throws RunException {
        if (!events.containsKey(event)) {
            checkHealthy();
        }
    }

    /** The same for so long: that it has ended may not be known yet. */
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

    /** Gives a worker that stays its next job: what it said in the last one is forgotten. */
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
        // Process.destroy would close its streams as well, and its last words would be lost.
        process.toHandle().destroy();
    }

    public boolean awaitExit(long millis) throws InterruptedException {
        return process.waitFor(millis, TimeUnit.MILLISECONDS);
    }

    public int exitValue() {
        return process.exitValue();
    }

    /** The end of its stdin tells a child to leave. */
    void closeStdin() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // it is gone already
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

    /** When stdout ends, the exit code and the last lines of stderr are a moment away. */
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
                // The log of a relay that speaks JSON: others write it to stderr.
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
                        // the process was killed while we read
                    }
                    sink.accept(null);
                },
                name + "-" + kind);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
