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

/**
 * A measurement with iperf3: a server at one site, a client at another site, and one TCP connection in one direction.
 */
public record Iperf3(Site client, Site server, Timing timing) {
    /** The TCP port of the server. It is free, since the network namespace is new. */
    private static final String PORT = "5201";

    private static final String LISTENS = "Server listening";
    private static final long START_MILLIS = 60_000;

    /** Time limit for all steps except the measurement itself: start, end, and the exchange of results. */
    private static final Duration AROUND = Duration.ofSeconds(60);

    /**
     * The result of one measurement.
     *
     * @param bytesPerSecond bytes a second that arrived; 0 if the measurement failed
     * @param reason why the measurement failed; empty if it did not
     */
    public record Result(double bytesPerSecond, String reason, String warning) {}

    /** Measures from the near end of a lane to its far end. Rounds times up, since iperf3 takes only whole seconds. */
    public static Result run(Lane lane, Timing timing) throws InterruptedException {
        try {
            check(new Subprocess());
            return new Iperf3(lane.near(), lane.far(), timing).run(AROUND);
        } catch (IOException e) {
            return new Result(0, e.getMessage(), "");
        }
    }

    static void check(Tool tool) throws IOException, InterruptedException {
        Tool.Completed outcome;
        try {
            outcome = tool.run(List.of("iperf3", "--version"));
        } catch (IOException e) {
            throw new IOException("no command iperf3 here", e);
        }
        if (!outcome.succeeded()) {
            throw new IOException("iperf3 does not work here: " + outcome.firstLine());
        }
    }

    Result run(Duration around) throws IOException, InterruptedException {
        Process serving = serve();
        try {
            awaitListening(serving);
            long seconds = seconds(timing.measured());
            long omitted = seconds(timing.warmup());
            List<String> command = new ArrayList<>(client.prefix());
            command.addAll(List.of("iperf3", "--client", server.address(), "--port", PORT));
            command.addAll(List.of("--time", "" + Math.max(1, seconds), "--omit", "" + omitted));
            command.addAll(List.of("--interval", "0", "--json"));
            Duration limit = Duration.ofSeconds(seconds + omitted).plus(around);
            return parse(new Subprocess(limit.toMillis(), true).run(command));
        } finally {
            Subprocess.stop(serving, 1_000);
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

    static Result parse(Tool.Completed outcome) throws IOException {
        List<JsonNode> documents = documents(outcome);
        for (JsonNode document : documents) {
            if (document.has("error")) {
                throw new IOException("iperf3: " + document.get("error").asString(""));
            }
        }
        if (!outcome.succeeded()) {
            throw new IOException("iperf3 ended with exit code " + outcome.exitCode()
                    + (outcome.errors().isEmpty() ? "" : ": " + firstLine(outcome.errors())));
        }
        if (documents.size() != 1) {
            throw new IOException(
                    documents.isEmpty()
                            ? "iperf3 gave no figure: " + outcome.firstLine()
                            : "iperf3 gave no figure: it printed " + documents.size() + " JSON documents, and not one");
        }
        JsonNode bits = documents.get(0).path("end").path("sum_received").path("bits_per_second");
        if (bits.asDouble(0) <= 0) {
            throw new IOException("iperf3 gave no figure"
                    + (bits.isMissingNode() ? "" : ": bits_per_second is " + bits.asString("")));
        }
        return new Result(bits.asDouble(0) / Byte.SIZE, "", firstLine(outcome.errors()));
    }

    private static List<JsonNode> documents(Tool.Completed outcome) throws IOException {
        try {
            return Json.documents(outcome.output());
        } catch (JacksonException e) {
            throw new IOException(
                    outcome.output().startsWith("{")
                            ? "iperf3's JSON cannot be read: " + firstLine(e.getOriginalMessage())
                            : "iperf3 said: " + outcome.firstLine(),
                    e);
        }
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("");
    }

    private static long seconds(Duration duration) {
        return TimeUnit.MILLISECONDS.toSeconds(duration.toMillis() + 999);
    }
}
