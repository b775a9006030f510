package dev.msgrelay.loadgen.worker;

import dev.msgrelay.loadgen.plan.Json;
import dev.msgrelay.loadgen.plan.Window;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The worker's side of the connection to its controller. Both sides send JSON objects, one a line:
 *
 * <pre>
 *  controller -&gt; worker                        worker -&gt; controller
 *  {"job":{...}}      its part of a run           {"event":"ready"}           connected, or listening
 *  {"window":{...}}   when to send, and measure   {"event":"sockets", ...}    by which congestion control it sends
 *                                                 {"event":"primed"}          got a message of each publisher
 *  {"sent":{"0":17}}  messages to wait for        {"event":"progress", ...}   once a second
 *                                                 {"event":"result", ...}     its final report
 *  {"end":{}}         the run is over             {"event":"ended"}           the next job may come
 *  (end of file)      end at once                 {"event":"error", "message":...}
 * </pre>
 *
 * Stdin ends when the controller closes it, or when the controller's process ends. So no worker outlives the
 * controller. The main thread reads stdin; any thread may call the other methods.
 */
public final class Control {
    /** The event with the congestion control of a sender's sockets, which is sent when all are connected. */
    public static final String SOCKETS = "sockets";

    private static final int EXIT_FAILED = 1;

    private final CountDownLatch sentKnown = new CountDownLatch(1);
    private final CountDownLatch windowKnown = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private AutoCloseable closedAtEnd = () -> {};
    private volatile Window window = Window.NONE;
    private volatile Map<Integer, Long> sent = Map.of();

    Control() {}

    @FunctionalInterface
    public interface Work<J> {
        void run(J job, Control control) throws Exception;
    }

    /**
     * Runs jobs, each on a new thread, until the end of stdin ends the process. The {@code main} of every worker calls
     * it.
     */
    public static <J> void main(Class<J> type, Work<J> work) {
        AtomicReference<Control> current = new AtomicReference<>();
        readCommands(line -> {
            JsonNode command = Json.parse(line);
            if (command.has("job")) {
                Control control = new Control();
                current.set(control);
                new Thread(() -> control.runJob(command.get("job"), type, work), "job").start();
            } else {
                current.get().onCommand(command);
            }
        });
    }

    private <J> void runJob(JsonNode job, Class<J> type, Work<J> work) {
        try {
            work.run(Json.read(job, type), this);
            ended.await();
            closedAtEnd.close();
            // A garbage collection frees the direct memory of closed connections now, and not within the next window.
            System.gc();
            say("ended", Map.of());
        } catch (Exception | OutOfMemoryError e) {
            // The process is halted, since threads of the job would prevent a normal end.
            fail(e);
            Runtime.getRuntime().halt(EXIT_FAILED);
        }
    }

    /** Makes a process that gets no jobs end at the end of its stdin. */
    public static void exitWithParent() {
        Thread stdin = new Thread(() -> readCommands(line -> {}), "control");
        stdin.setDaemon(true);
        stdin.start();
    }

    /** Registers connections that are closed at the end of the run, not before. */
    public void closeAtEnd(AutoCloseable connections) {
        closedAtEnd = connections;
    }

    /** Returns the window; {@link Window#NONE} before the controller has sent it. */
    public Window window() {
        return window;
    }

    /** Waits for the window. No limit is needed, since this process ends with the controller. */
    public Window awaitWindow() throws InterruptedException {
        windowKnown.await();
        return window;
    }

    /** Waits for the number of messages sent by each publisher id, without a limit, as {@link #awaitWindow}. */
    public Map<Integer, Long> awaitSent() throws InterruptedException {
        sentKnown.await();
        return sent;
    }

    public void say(String event, Object details) {
        ObjectNode said = Json.tree(details);
        said.put("event", event);
        synchronized (Control.class) {
            System.out.println(said);
            System.out.flush();
        }
    }

    private void fail(Throwable e) {
        say("error", Map.of("message", e.getMessage() == null ? e.toString() : e.getMessage()));
        if (!(e instanceof IOException || e instanceof IllegalArgumentException)) {
            e.printStackTrace();
        }
    }

    static void readCommands(Consumer<String> each) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            in.lines().forEach(each);
        } catch (IOException | RuntimeException e) {
            System.err.println("control: " + e);
        }
        Runtime.getRuntime().halt(0);
    }

    void onCommand(JsonNode command) {
        if (command.has("window")) {
            window = Json.read(command.get("window"), Window.class);
            windowKnown.countDown();
        } else if (command.has("sent")) {
            Map<Integer, Long> told = new TreeMap<>();
            command.get("sent")
                    .properties()
                    .forEach(one -> told.put(
                            Integer.parseInt(one.getKey()), one.getValue().asLong()));
            sent = told;
            sentKnown.countDown();
        } else if (command.has("end")) {
            ended.countDown();
        } else {
            throw new IllegalArgumentException("unknown command " + command);
        }
    }
}
