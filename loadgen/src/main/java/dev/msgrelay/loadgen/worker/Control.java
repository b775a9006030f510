package dev.msgrelay.loadgen.worker;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import com.grack.nanojson.JsonParserException;
import com.grack.nanojson.JsonWriter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A worker's side of the talk with its controller. Commands come as lines on stdin, what the worker has to say goes as
 * one JSON object a line to stdout:
 *
 * <pre>
 *  controller -&gt; worker                         worker -&gt; controller
 *  job ["--to","host:1"]    the arguments of a run, for a worker that was started without any
 *  run SENDFROM BEGIN END   the window; again,   {"event":"ready", ...}     connected, or listening
 *                           where it begins earlier
 *  sent ID=COUNT,...        drain up to these    {"event":"primed", ...}    heard of every publisher
 *  (end of file)            leave at once        {"event":"progress", ...}  once a second
 *                                                {"event":"result", ...}    all there is to say
 *                                                {"event":"error", "message":...}
 *  end                      the run is over      {"event":"ended"}          its connections are closed, the next job may come
 * </pre>
 *
 * Stdin ends when the controller closes it and when it dies, however it dies, so no worker outlives it. Any thread may ask; the main
 * one reads the lines.
 */
public final class Control {
    private static final int EXIT_FAILED = 1;
    private static final int EXIT_USAGE = 2;

    private static final String JOB = "job ";

    private final CountDownLatch sentKnown = new CountDownLatch(1);
    private final CountDownLatch windowKnown = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private AutoCloseable held = () -> {};
    private volatile Window window = Window.NONE;
    private volatile Map<Integer, Long> sent = Map.of();

    Control() {}

    /** What a worker does, given its arguments and its controller. */
    @FunctionalInterface
    public interface Work {
        void run(WorkerArgs args, Control control) throws Exception;
    }

    /**
     * Does one job after the other until stdin ends, which ends the process: the body of every worker's {@code main}. Each job
     * is done as in a process of its own, with connections of its own, by a thread of its own: priorities that it asked for
     * end with that.
     *
     * @param args of the first job; empty where the controller tells them
     */
    public static void main(String[] args, Work work) {
        AtomicReference<Control> current = new AtomicReference<>();
        if (args.length > 0) {
            current.set(begin(args, work));
        }
        readCommands(line -> {
            if (line.startsWith(JOB)) {
                current.set(begin(parseJob(line.substring(JOB.length())), work));
            } else {
                current.get().onCommand(line);
            }
        });
    }

    private static Control begin(String[] args, Work work) {
        Control control = new Control();
        new Thread(() -> control.work(args, work), "job").start();
        return control;
    }

    /** Does it and waits for the end of the run; a worker that fails says so and exits. */
    private void work(String[] args, Work work) {
        try {
            work.run(new WorkerArgs(args), this);
            ended.await();
            held.close();
            // Direct memory of connections that are gone is given back by a collection: now, and not in the next
            // window.
            System.gc();
            say("ended", Map.of());
        } catch (IllegalArgumentException e) {
            fail(e);
            Runtime.getRuntime().halt(EXIT_USAGE);
        } catch (Exception | OutOfMemoryError e) {
            // Threads of its own would keep a process alive that has lost its main one.
            fail(e);
            Runtime.getRuntime().halt(EXIT_FAILED);
        }
    }

    /** Exits this process when stdin ends; for a process that takes no commands. */
    public static void exitWithParent() {
        Thread reader = new Thread(() -> readCommands(new Control()::onCommand), "control");
        reader.setDaemon(true);
        reader.start();
    }

    /** What the worker's own thread keeps until the controller has no more use for it; it is closed then. */
    public void hold(AutoCloseable connections) {
        held = connections;
    }

    /** The window as it was told last, or {@link Window#NONE} as long as it is not known. */
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

    /** Says one thing. */
    public void say(String event, Map<String, ?> details) {
        JsonObject line = new JsonObject();
        line.put("event", event);
        line.putAll(details);
        synchronized (Control.class) {
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

    /** Hands on line by line, and exits the process when stdin ends. */
    static void readCommands(Consumer<String> each) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            String line;
            while ((line = in.readLine()) != null) {
                each.accept(line.trim());
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
            case "end" -> ended.countDown();
            default -> throw new IllegalArgumentException("unknown command '" + line + "'");
        }
    }

    private static String[] parseJob(String json) {
        try {
            JsonArray array = JsonParser.array().from(json);
            return array.stream().map(Object::toString).toArray(String[]::new);
        } catch (JsonParserException e) {
            throw new IllegalArgumentException("job " + json + ": " + e.getMessage(), e);
        }
    }

    /** The line that tells a run's arguments. */
    public static String jobCommand(List<String> args) {
        return JOB + JsonWriter.string(args);
    }

    /** The line that tells that the run is over. */
    public static String endCommand() {
        return "end";
    }

    /** The line that tells the window. */
    public static String runCommand(Window window) {
        return "run " + window.format();
    }

    /** The line that tells what the publishers have sent. */
    public static String sentCommand(Map<Integer, Long> sent) {
        return "sent "
                + sent.entrySet().stream()
                        .map(entry -> entry.getKey() + "=" + entry.getValue())
                        .collect(Collectors.joining(","));
    }

    private static Map<Integer, Long> parseSent(String list) {
        return Stream.of(list.split(","))
                .filter(pair -> !pair.isEmpty())
                .map(pair -> pair.split("="))
                .collect(Collectors.toMap(pair -> Integer.parseInt(pair[0]), pair -> Long.parseLong(pair[1])));
    }
}
