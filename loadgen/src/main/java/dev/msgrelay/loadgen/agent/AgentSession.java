package dev.msgrelay.loadgen.agent;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.site.JavaProgram;
import dev.msgrelay.loadgen.site.Site;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * What one controller does, from the welcome to its end. One thread reads its commands; a second one watches that they
 * come: when the controller is gone, silent, or has this thread stuck, all its processes are killed and the connection
 * is closed.
 */
final class AgentSession {
    private static final long LAST_MILLIS = 5_000;
    private static final int CHECKS_PER_SILENCE = 8;

    private final LineChannel channel;
    private final Site site;
    private final Programs programs;
    private final AgentLimits limits;
    private final Consumer<String> log;
    private final Map<Integer, AgentProcess> processes = new ConcurrentHashMap<>();
    private volatile long lastHeard = System.nanoTime();
    private volatile boolean over;
    private volatile String end = "its connection was closed";

    AgentSession(LineChannel channel, Site site, Programs programs, AgentLimits limits, Consumer<String> log) {
        this.channel = channel;
        this.site = site;
        this.programs = programs;
        this.limits = limits;
        this.log = log;
    }

    /** Serves until the controller is gone; no process of it is alive afterwards. Says how it ended. */
    String run() {
        Thread watch = new Thread(this::watch, "controller-watch");
        watch.setDaemon(true);
        watch.start();
        try {
            JsonObject message;
            while ((message = channel.read()) != null) {
                lastHeard = System.nanoTime();
                if (Messages.type(message).equals(Messages.BYE)) {
                    end = "it said goodbye";
                    break;
                }
                on(message);
            }
        } catch (ProtocolException e) {
            end = e.getMessage();
            channel.refuse(e.getMessage());
        } catch (IOException e) {
            if (!over) {
                end = "connection lost: " + e.getMessage();
            }
        } finally {
            close();
            watch.interrupt();
        }
        return end;
    }

    /** Ends it from outside: the agent is leaving. */
    void abandon(String why) {
        end = why;
        over = true;
        channel.close();
        endProcesses();
    }

    private void watch() {
        long silence = limits.silence().toNanos();
        try {
            while (!over) {
                TimeUnit.NANOSECONDS.sleep(silence / CHECKS_PER_SILENCE);
                if (System.nanoTime() - lastHeard > silence) {
                    abandon("nothing heard of it for " + limits.silence().toMillis() + " ms");
                }
            }
        } catch (InterruptedException e) {
            // run() has ended: nothing is left to be watched
        }
    }

    private void on(JsonObject message) throws IOException {
        switch (Messages.type(message)) {
            case Messages.PING -> pong(Messages.number(message, "n"));
            case Messages.START -> start(message);
            case Messages.STDIN -> {
                AgentProcess process = process(message);
                String text = Messages.text(message, "text");
                if (process != null) {
                    process.stdin(text);
                }
            }
            case Messages.CLOSE_STDIN -> {
                AgentProcess process = process(message);
                if (process != null) {
                    process.closeStdin();
                }
            }
            case Messages.SIGNAL -> signal(message);
            case Messages.FIGURES -> figures(message);
            default ->
                throw new ProtocolException("unknown message '" + Messages.printable(Messages.type(message)) + "'");
        }
    }

    /** The clock is read as late as can be; waiting for another line to be sent only makes the round trip longer. */
    private void pong(long n) throws IOException {
        JsonObject pong = Messages.of(Messages.PONG);
        pong.put("n", n);
        pong.put("nanos", System.nanoTime());
        channel.send(pong);
    }

    /** The process that a message is about; null when it has ended meanwhile. */
    private AgentProcess process(JsonObject message) throws ProtocolException {
        return processes.get((int) Messages.number(message, "id"));
    }

    private void start(JsonObject message) throws IOException {
        int id = (int) Messages.number(message, "id");
        try {
            if (processes.containsKey(id)) {
                throw new ProtocolException("there is a process " + id + " already");
            }
            if (processes.size() >= limits.processes()) {
                throw new ProtocolException("more than " + limits.processes() + " processes at one time");
            }
            JavaProgram program = programs.checked(
                    new JavaProgram(texts(message, "java"), Messages.text(message, "main"), texts(message, "args")));
            OutputBudget budget = new OutputBudget(OutputBudget.BURST, OutputBudget.PER_SECOND, System.nanoTime());
            AgentProcess process = new AgentProcess(id, site.start(program), channel, budget, this::onEnded);
            processes.put(id, process);
            String main = program.main().substring(program.main().lastIndexOf('.') + 1);
            log.accept("started " + id + ": " + main + " " + Messages.printable(String.join(" ", program.args()))
                    + " (pid " + process.pid() + ")");
            JsonObject started = Messages.of(Messages.STARTED, id);
            started.put("pid", process.pid());
            channel.send(started);
            process.watch();
        } catch (ProtocolException e) {
            failed(id, e.getMessage());
        } catch (IOException e) {
            failed(id, "cannot start it: " + e.getMessage());
        }
    }

    private void failed(int id, String reason) throws IOException {
        log.accept("refused to start " + id + ": " + reason);
        JsonObject failed = Messages.of(Messages.FAILED, id);
        failed.put("message", reason);
        channel.send(failed);
    }

    private void onEnded(AgentProcess process, String how) {
        processes.remove(process.id(), process);
        log.accept(process.id() + " " + how);
    }

    private void signal(JsonObject message) throws ProtocolException {
        AgentProcess process = process(message);
        String signal = Messages.text(message, "signal");
        if (!signal.equals(Messages.TERM) && !signal.equals(Messages.KILL)) {
            throw new ProtocolException("unknown signal '" + Messages.printable(signal) + "'");
        }
        if (process == null) {
            return;
        }
        if (signal.equals(Messages.TERM)) {
            process.terminate();
        } else {
            process.kill();
        }
    }

    private void figures(JsonObject message) throws IOException {
        AgentProcess process = process(message);
        long request = Messages.number(message, "request");
        if (process != null) {
            channel.send(process.figures(request));
            return;
        }
        JsonObject unknown = Messages.of(Messages.FIGURES, (int) Messages.number(message, "id"));
        unknown.put("request", request);
        unknown.put("cpuNanos", -1);
        unknown.put("peakResidentBytes", -1);
        channel.send(unknown);
    }

    private static List<String> texts(JsonObject message, String field) throws ProtocolException {
        if (!(message.get(field) instanceof JsonArray array)) {
            throw new ProtocolException("'" + Messages.type(message) + "' has no list '" + field + "'");
        }
        List<String> texts = new ArrayList<>();
        for (Object entry : array) {
            if (!(entry instanceof String text)) {
                throw new ProtocolException("the list '" + field + "' has something that is no text");
            }
            texts.add(text);
        }
        return texts;
    }

    private void close() {
        over = true;
        endProcesses();
        long deadline = System.nanoTime() + Duration.ofMillis(LAST_MILLIS).toNanos();
        try {
            for (AgentProcess process : processes.values()) {
                process.awaitExit(Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        // Last: a controller that said goodbye waits for this, and knows then that nothing of it is left.
        channel.close();
    }

    private void endProcesses() {
        processes.values().forEach(AgentProcess::kill);
    }
}
