package dev.msgrelay.loadgen.worker;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonParser;
import com.grack.nanojson.JsonParserException;
import com.grack.nanojson.JsonWriter;
import java.util.List;
import java.util.Map;

/**
 * A worker that stays from run to run, so that what a JVM has compiled is compiled once. Each run is done as in a process
 * of its own, with connections of its own, by a thread of its own: priorities that it asked for end with that.
 */
public final class Jobs {
    /** The only argument of a worker that stays. */
    public static final String STAY = "--stay";

    private static final String JOB = "job ";

    private final Control.Work work;
    private Control current;

    Jobs(Control.Work work) {
        this.work = work;
    }

    /** Does one job after the other until stdin ends. */
    void run() {
        Control.readCommands(this::onCommand);
    }

    private void onCommand(String line) {
        if (line.startsWith(JOB)) {
            String[] args = parse(line.substring(JOB.length()));
            Control control = new Control();
            current = control;
            new Thread(() -> doJob(args, control), "job").start();
        } else {
            current.onCommand(line);
        }
    }

    private void doJob(String[] args, Control control) {
        control.work(args, work);
        // Direct memory of connections that are gone is given back by a collection: now, and not in the next window.
        System.gc();
        control.say("ended", Map.of());
    }

    private static String[] parse(String json) {
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
}
