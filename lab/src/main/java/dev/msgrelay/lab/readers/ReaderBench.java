package dev.msgrelay.lab.readers;

import com.grack.nanojson.JsonObject;
import dev.msgrelay.lab.WrongResultException;
import dev.msgrelay.lab.readers.Client.Ladder;
import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.lane.Lanes;
import dev.msgrelay.loadgen.run.Child;
import dev.msgrelay.loadgen.run.Children;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.site.Site;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What the goes of one table share: the lane, the sender at its far end, and at its near end a process for each client,
 * which stays warm from round to round. The lab's thread owns it.
 */
final class ReaderBench implements AutoCloseable {
    private static final List<String> READER_JAVA_OPTIONS =
            List.of("-XX:+UseSerialGC", "-Xms256m", "-Xmx256m", "-Xshare:auto", "-XX:-UsePerfData");

    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(20);

    /** Beyond the time for which the sender sends: a slow client reads on what the socket holds. */
    private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final Lane lane;
    private final Children children = new Children();
    private final Map<Ladder, Child> readers = new EnumMap<>(Ladder.class);
    private final Child sender;
    private final Endpoint address;
    private final int body;
    private final long limitNanos;
    private int connections;

    private ReaderBench(Lane lane, int body, int writeSize, Duration duration)
            throws IOException, RunException, InterruptedException {
        this.lane = lane;
        this.body = body;
        this.limitNanos = duration.toNanos() + DRAIN_NANOS;
        try {
            sender = children.startWorker(
                    lane.far(),
                    "sender",
                    StreamSender.class,
                    List.of(
                            "--bind",
                            lane.far().address(),
                            "--body",
                            "" + body,
                            "--write-size",
                            "" + writeSize,
                            "--millis",
                            "" + duration.toMillis()));
            address = Endpoint.parse(sender.await("ready", START_NANOS).getString("address"));
        } catch (IOException | RunException | InterruptedException | RuntimeException e) {
            children.close();
            throw e;
        }
    }

    /**
     * Opens the lane and starts the sender.
     *
     * @throws IOException the lane cannot be had, or the sender does not start
     */
    static ReaderBench open(LaneSpec spec, int body, int writeSize, Duration duration)
            throws IOException, InterruptedException {
        Lane lane;
        try {
            lane = Lanes.open(spec);
        } catch (IOException e) {
            throw new IOException("lane " + spec + ": " + e.getMessage(), e);
        }
        try {
            return new ReaderBench(lane, body, writeSize, duration);
        } catch (RunException e) {
            lane.close();
            throw new IOException(e.getMessage(), e);
        } catch (IOException | InterruptedException | RuntimeException e) {
            lane.close();
            throw e;
        }
    }

    /**
     * What a client says of one stream.
     *
     * @param sent messages that the sender sent it
     * @param wrong messages that are not what they must be
     */
    record Reading(long sent, long messages, long wrong, long reads, long nanos) {
        /** Throws unless all that was sent came, in order and whole. */
        void verify() throws WrongResultException {
            if (messages != sent || wrong > 0 || sent == 0) {
                throw new WrongResultException(
                        sent + " messages were sent, " + messages + " came, " + wrong + " of them wrong");
            }
        }
    }

    /**
     * Lets a client read a stream.
     *
     * @param check every byte, instead of counting
     */
    Reading read(Ladder step, boolean check) throws IOException, InterruptedException {
        connections++;
        String host = address.toString().substring(0, address.toString().lastIndexOf(':'));
        try {
            Child reader = reader(step);
            reader.send((check ? "check " : "count ") + connections + " " + host + " " + address.port());
            JsonObject got = answer(reader, "go" + connections);
            JsonObject gave = answer(sender, "sent" + connections);
            return new Reading(
                    gave.getLong("messages"),
                    got.getLong("messages"),
                    got.getLong("wrong"),
                    got.getLong("reads"),
                    got.getLong("nanos"));
        } catch (RunException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private Child reader(Ladder step) throws IOException {
        Child reader = readers.get(step);
        if (reader == null) {
            reader = children.start(
                    lane.near(),
                    step.text(),
                    new Site.JavaProgram(
                            READER_JAVA_OPTIONS, ReaderMain.class.getName(), List.of(step.name(), "" + body)));
            readers.put(step, reader);
        }
        return reader;
    }

    private JsonObject answer(Child child, String event) throws IOException, RunException, InterruptedException {
        JsonObject answer = child.await(event, limitNanos);
        if (answer.has("failed")) {
            throw new IOException(child.name() + ": " + answer.getString("failed"));
        }
        return answer;
    }

    @Override
    public void close() {
        children.close();
        lane.close();
    }
}
