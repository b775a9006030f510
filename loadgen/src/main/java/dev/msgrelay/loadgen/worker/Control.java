package dev.msgrelay.loadgen.worker;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonWriter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/**
 * A worker's side of the talk with its controller. Commands come as lines on stdin, what the worker has to say goes as
 * one JSON object a line to stdout:
 *
 * <pre>
 *  controller -&gt; worker                         worker -&gt; controller
 *  run SENDFROM BEGIN END   the window           {"event":"ready", ...}     connected, or listening
 *  sent ID=COUNT,...        drain up to these    {"event":"primed", ...}    heard of every publisher
 *  (end of file)            leave at once        {"event":"progress", ...}  once a second
 *                                                {"event":"result", ...}    all there is to say
 *                                                {"event":"error", "message":...}
 * </pre>
 *
 * Stdin ends when the controller closes it and when it dies, however it dies, so no worker outlives it. Any thread may ask; lines are read by
 * a daemon thread of its own.
 */
public final class Control {
    private static final int EXIT_FAILED = 1;
    private static final int EXIT_USAGE = 2;

    private final CountDownLatch sentKnown = new CountDownLatch(1);
    private final CountDownLatch windowKnown = new CountDownLatch(1);
    private volatile Window window = Window.NONE;
    private volatile Map<Integer, Long> sent = Map.of();

    Control() {}

    /** What a worker does, given its arguments and its controller. */
    @FunctionalInterface
    public interface Work {
        void run(WorkerArgs args, Control control) throws Exception;
    }

    /** Runs a worker to its end and exits the process: the body of every worker's {@code main}. */
    public static void main(String[] args, Work work) {
        Control control = new Control();
        Thread reader = new Thread(control::readCommands, "control");
        reader.setDaemon(true);
        reader.start();
        int code = 0;
        try {
            work.run(new WorkerArgs(args), control);
            control.awaitEnd();
        } catch (IllegalArgumentException e) {
            code = EXIT_USAGE;
            control.fail(e);
        } catch (Exception | OutOfMemoryError e) {
            // Threads of its own would keep a process alive that has lost its main one.
            code = EXIT_FAILED;
            control.fail(e);
        }
        System.out.flush();
        Runtime.getRuntime().halt(code);
    }

    /** Exits this process when stdin ends; for a process that takes no commands. */
    public static void exitWithParent() {
        Thread reader = new Thread(new Control()::readCommands, "control");
        reader.setDaemon(true);
        reader.start();
    }

    /** The window, or {@link Window#NONE} as long as it is not known. */
    public Window window() {
        return window;
    }

    /** Waits for the window; the controller bounds this wait, its end ends the process. */
    public Window awaitWindow() throws InterruptedException {
        windowKnown.await();
        return window;
    }

    /** Waits for what the publishers have sent: messages by publisher id. Bounded like {@link #awaitWindow}. */
    public Map<Integer, Long> awaitSent() throws InterruptedException {
        sentKnown.await();
        return sent;
    }

    /** A worker that has said all keeps its connections until the controller has no more use for any of them. */
    private void awaitEnd() throws InterruptedException {
        new CountDownLatch(1).await();
    }

    /** Says one thing. */
    public void say(String event, Map<String, ?> details) {
        JsonObject line = new JsonObject();
        line.put("event", event);
        line.putAll(details);
        synchronized (this) {
            System.out.println(JsonWriter.string(line));
            System.out.flush();
        }
    }

    private void fail(Throwable e) {
        String message = e.getMessage() == null ? e.toString() : e.getMessage();
        say("error", Map.of("message", message));
        if (!(e instanceof IOException || e instanceof IllegalArgumentException)) {
            e.printStackTrace();
        }
    }

    private void readCommands() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            String line;
            while ((line = in.readLine()) != null) {
                onCommand(line.trim());
            }
        } catch (IOException | RuntimeException e) {
            System.err.println("control: " + e);
        }
        Runtime.getRuntime().halt(0);
    }

    /** One line of the controller. */
    void onCommand(String line) {
        String[] words = line.split(" ");
        switch (words[0]) {
            case "run" -> {
                window = Window.parse(words);
                windowKnown.countDown();
            }
            case "sent" -> {
                sent = parseSent(words.length > 1 ? words[1] : "");
                sentKnown.countDown();
            }
            default -> throw new IllegalArgumentException("unknown command '" + line + "'");
        }
    }

    /** The line that tells the window. */
    public static String runCommand(Window window) {
        return "run " + window.format();
    }

    /** The line that tells what the publishers have sent. */
    public static String sentCommand(Map<Integer, Long> sent) {
        StringBuilder line = new StringBuilder("sent ");
        sent.forEach((id, count) -> line.append(id).append('=').append(count).append(','));
        return line.toString();
    }

    private static Map<Integer, Long> parseSent(String list) {
        Map<Integer, Long> sent = new HashMap<>();
        for (String pair : list.split(",")) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                sent.put(Integer.parseInt(pair.substring(0, equals)), Long.parseLong(pair.substring(equals + 1)));
            }
        }
        return sent;
    }
}
