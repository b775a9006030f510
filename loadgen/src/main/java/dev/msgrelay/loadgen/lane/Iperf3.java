package dev.msgrelay.loadgen.lane;

import dev.msgrelay.loadgen.host.Site;
import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.host.Tool;
import dev.msgrelay.loadgen.plan.Json;
import dev.msgrelay.loadgen.plan.Timing;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** One measurement by iperf3: its server at one site, its client at another, one TCP connection, one direction. */
public record Iperf3(Site client, Site server, Timing timing) {
    /** In a namespace of its own nobody else has it. */
    private static final String PORT = "5201";

    private static final String LISTENS = "Server listening";
    private static final long START_MILLIS = 60_000;

    /** Beyond what was asked for: it begins, ends, and exchanges its results. */
    private static final Duration AROUND = Duration.ofSeconds(60);

    /** Bytes a second that arrived; or the reason why there is no figure, one line, else null. */
    public record Result(double bytesPerSecond, String reason) {}

    /** From the near end of a lane to its far one, where it is installed. It counts whole seconds: times are rounded up. */
    public static Result run(Lane lane, Timing timing) throws InterruptedException {
        String reason = whyNot(new Subprocess());
        try {
            return reason == null ? new Iperf3(lane.near(), lane.far(), timing).run() : new Result(0, reason);
        } catch (IOException e) {
            return new Result(0, e.getMessage());
        }
    }

    static String whyNot(Tool tool) throws InterruptedException {
        try {
            Tool.Outcome outcome = tool.run(List.of("iperf3", "--version"));
            return outcome.succeeded() ? null : "iperf3 does not work here: " + outcome.firstLine();
        } catch (IOException e) {
            return "no command iperf3 here";
        }
    }

    Result run() throws IOException, InterruptedException {
        Process serving = serve();
        try {
            awaitListening(serving);
            long seconds = seconds(timing.measured());
            long omitted = seconds(timing.warmup());
            List<String> command = new ArrayList<>(client.prefix());
            command.addAll(List.of("iperf3", "--client", server.address(), "--port", PORT));
            command.addAll(List.of("--time", "" + Math.max(1, seconds), "--omit", "" + omitted));
            command.addAll(List.of("--interval", "0", "--json"));
            Duration limit = Duration.ofSeconds(seconds + omitted).plus(AROUND);
            return parse(new Subprocess(limit.toMillis()).run(command));
        } finally {
            Subprocess.end(serving, 1_000);
        }
    }

    Process serve() throws IOException {
        List<String> iperf3 = List.of("iperf3", "--server", "--one-off", "--bind", server.address(), "--port", PORT);
        List<String> command = new ArrayList<>(server.prefix());
        command.addAll(Site.guarded(iperf3));
        command.addAll(List.of("--interval", "0", "--forceflush"));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    static void awaitListening(Process serving) throws IOException, InterruptedException {
        String said = Subprocess.awaitLine(serving, LISTENS, START_MILLIS);
        if (!said.startsWith(LISTENS)) {
            throw new IOException("iperf3's server does not listen: " + said);
        }
    }

    static Result parse(Tool.Outcome outcome) throws IOException {
        try {
            JsonNode json = Json.parse(outcome.output());
            if (json.has("error")) {
                throw new IOException("iperf3: " + json.get("error").asString(""));
            }
            double bits = json.path("end")
                    .path("sum_received")
                    .path("bits_per_second")
                    .asDouble(0);
            if (bits <= 0) {
                throw new IOException("iperf3 gave no figure");
            }
            return new Result(bits / Byte.SIZE, null);
        } catch (JacksonException e) {
            throw new IOException("iperf3 said: " + outcome.firstLine(), e);
        }
    }

    private static long seconds(Duration duration) {
        return TimeUnit.MILLISECONDS.toSeconds(duration.toMillis() + 999);
    }
}
