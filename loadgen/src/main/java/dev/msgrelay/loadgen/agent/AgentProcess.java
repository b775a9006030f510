package dev.msgrelay.loadgen.agent;

import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.site.SiteProcess;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * A process that the agent has started for its controller: two daemon threads send what it says, a third one that it
 * has ended. Bytes travel as the characters of ISO 8859-1, so any byte survives and ASCII stays readable.
 */
final class AgentProcess {
    private static final long END_MILLIS = 5_000;

    private final int id;
    private final SiteProcess process;
    private final LineChannel channel;
    private final OutputBudget budget;
    private final Ended ended;
    private volatile boolean flooded;

    /** Hears that a process is gone, with everything that it said sent. */
    @FunctionalInterface
    interface Ended {
        void onEnded(AgentProcess process, String how);
    }

    AgentProcess(int id, SiteProcess process, LineChannel channel, OutputBudget budget, Ended ended) {
        this.id = id;
        this.process = process;
        this.channel = channel;
        this.budget = budget;
        this.ended = ended;
    }

    int id() {
        return id;
    }

    long pid() {
        return process.pid();
    }

    /** Starts to pass on what it says. */
    void watch() {
        Thread stdout = daemon("out", () -> pump(process.stdout(), Messages.STDOUT));
        Thread stderr = daemon("err", () -> pump(process.stderr(), Messages.STDERR));
        daemon("end", () -> awaitEnd(stdout, stderr));
    }

    private Thread daemon(String what, Runnable work) {
        Thread thread = new Thread(work, "process-" + id + "-" + what);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Until the process closes its stream. A connection that is gone ends the process, by the session. */
    private void pump(InputStream stream, String name) {
        byte[] bytes = new byte[Messages.CHUNK];
        try (stream) {
            int read;
            while ((read = stream.read(bytes)) >= 0 && !flooded) {
                if (!budget.take(read, System.nanoTime())) {
                    flooded = true;
                    sendOutput(
                            Messages.STDERR,
                            "agent: ended, for it said too much: more than " + (OutputBudget.BURST >> 20)
                                    + " MiB at once and 1 MiB a second after that\n");
                    process.kill();
                    return;
                }
                sendOutput(name, new String(bytes, 0, read, StandardCharsets.ISO_8859_1));
            }
        } catch (IOException e) {
            // the process was killed, or the controller is gone
        }
    }

    private void sendOutput(String stream, String text) throws IOException {
        JsonObject message = Messages.of(Messages.OUTPUT, id);
        message.put("stream", stream);
        message.put("text", text);
        channel.send(message);
    }

    private void awaitEnd(Thread stdout, Thread stderr) {
        String how = "was left alone";
        try {
            stdout.join();
            stderr.join();
            while (!process.awaitExit(END_MILLIS)) {
                // a process that has closed its streams and lives on: the session may still end it
                how = "closed its output and lives on";
            }
            how = flooded ? "said too much and was ended" : "ended with exit code " + process.exitCode();
            JsonObject message = Messages.of(Messages.EXITED, id);
            message.put("code", process.exitCode());
            channel.send(message);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            // the controller is gone and needs no telling
        } finally {
            ended.onEnded(this, how);
        }
    }

    void stdin(String text) {
        try {
            process.stdin().write(text.getBytes(StandardCharsets.ISO_8859_1));
            process.stdin().flush();
        } catch (IOException e) {
            // it has ended, which its controller is told
        }
    }

    void closeStdin() {
        try {
            process.stdin().close();
        } catch (IOException e) {
            // it has ended
        }
    }

    void terminate() {
        process.terminate();
    }

    void kill() {
        process.kill();
    }

    /** What it used so far. */
    JsonObject figures(long request) {
        JsonObject message = Messages.of(Messages.FIGURES, id);
        message.put("request", request);
        message.put("cpuNanos", process.cpuNanos());
        message.put("peakResidentBytes", process.peakResidentBytes());
        return message;
    }

    /** Waits for its end; true when it has ended. */
    boolean awaitExit(long millis) throws InterruptedException {
        return process.awaitExit(millis);
    }
}
