package dev.msgrelay.loadgen.others;

import dev.msgrelay.loadgen.run.Child;
import dev.msgrelay.loadgen.run.Children;
import dev.msgrelay.loadgen.run.CommandContestant;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.run.Traffic;
import dev.msgrelay.loadgen.site.HostSite;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * NATS with a stream in files, as it comes: written, and forced every two minutes. One publisher of its own tool, {@code nats
 * bench}, publishes asynchronously; each message is acknowledged when it is in the stream.
 */
public final class JetStream extends SelfMeasured {
    /** Messages under way until they are acknowledged; with fewer it is slower, with more not faster. */
    private static final int BATCH = 1_000;

    /** Of the first bench, which warms the server and says how many the second one takes. */
    private static final int FIRST = 100_000;

    private static final Pattern RATE = Pattern.compile("([0-9,]+) msgs/sec");

    public JetStream(Path disk) {
        super(disk);
    }

    @Override
    public String name() {
        return "NATS JetStream";
    }

    @Override
    public String obstacle() {
        return missing(
                "go install github.com/nats-io/nats-server/v2@latest github.com/nats-io/natscli/nats@latest",
                "nats-server",
                "nats");
    }

    @Override
    public Started start(Children children, Load load) throws IOException, RunException, InterruptedException {
        Endpoint place = CommandContestant.freePort();
        Child server = children.startCommand(
                "nats-server",
                HostSite.guarded(List.of(
                        "nats-server",
                        "--jetstream",
                        "--store_dir",
                        directory(children).toString(),
                        "--addr",
                        place.host(),
                        "--port",
                        "" + place.port())));
        CommandContestant.awaitListening(server, place);
        return new Started(server, place, place);
    }

    @Override
    Traffic measure(Path directory, Started started, Load load, Timing timing)
            throws IOException, RunException, InterruptedException {
        long nanos = timing.measured().toNanos();
        double first = bench(started.publish(), load, FIRST);
        double rate = bench(started.publish(), load, Math.max(FIRST, Math.round(first * nanos / 1e9)));
        long messages = Math.round(rate * nanos / 1e9);
        return new Traffic(messages, messages * load.body().max(), nanos);
    }

    /** Messages a second. */
    private static double bench(Endpoint server, Load load, long messages)
            throws IOException, RunException, InterruptedException {
        String said = output(List.of(
                "nats",
                "--server",
                "nats://" + server,
                "bench",
                "js",
                "pub",
                "async",
                "loadgen",
                "--create",
                "--purge",
                "--storage",
                "file",
                "--maxbytes",
                "2GB",
                "--size",
                load.body().max() + "B",
                "--msgs",
                "" + messages,
                "--batch",
                "" + BATCH,
                "--no-progress"));
        Matcher rate = RATE.matcher(said);
        if (!rate.find()) {
            throw new RunException("nats bench did not say how fast it was: " + said);
        }
        return Double.parseDouble(rate.group(1).replace(",", ""));
    }
}
