package dev.msgrelay.lab.readers;

import dev.msgrelay.lab.ArticleFigures;
import dev.msgrelay.lab.Claim;
import dev.msgrelay.lab.Column;
import dev.msgrelay.lab.Contestant;
import dev.msgrelay.lab.Experiment;
import dev.msgrelay.lab.LabTable;
import dev.msgrelay.lab.Measurement;
import dev.msgrelay.lab.Needs;
import dev.msgrelay.lab.WrongResultException;
import dev.msgrelay.lab.readers.Client.Ladder;
import dev.msgrelay.protocol.FrameLayout;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * {@code readers}: how much does each step improve the reading of a stream, from single bytes to a buffer that is
 * passed on?
 */
public final class ReadersExperiment {
    static final Column MESSAGES = Column.higher("messages", "msg/s");
    static final Column BYTES = Column.higher("bytes", "MB/s");
    static final Column READS = Column.lower("reads a message", "");

    private static final List<Claim> CLAIMS = List.of(
            step(
                            "one read of four bytes instead of four makes reading almost twice as fast",
                            Ladder.FOUR_BYTES,
                            Ladder.BYTE_WISE)
                    .times(2),
            step("one line, BufferedInputStream, changes things dramatically", Ladder.BUFFERED, Ladder.BYTE_WISE),
            step("both methods combined achieve a combined effect", Ladder.BOTH, Ladder.BUFFERED),
            step("without allocation the code runs slower", Ladder.BOTH, Ladder.REUSING),
            step("buffers work almost three times faster than streams", Ladder.APPENDING, Ladder.BOTH)
                    .times(3),
            step("the simpler code, which compacts, is also faster", Ladder.COMPACTING, Ladder.APPENDING),
            step("handing over the buffer saves a copy", Ladder.HANDING, Ladder.COMPACTING),
            step("from the first to the last about 70 times", Ladder.HANDING, Ladder.BYTE_WISE)
                    .times(70));

    static final ArticleFigures ARTICLE = ArticleFigures.of(List.of(MESSAGES, BYTES), """
            integers byte by byte           | 304850   | 32.9
            BufferedInputStream, four bytes | 4816955  | 520.2
            channel and buffer, appending   | 14164305 | 1529.7
            channel and buffer, compacting  | 16000000 | 1728.0
            channel, buffer handed over     | 19880715 | 2147.1
            """);

    private final Readers readers = new Readers();
    private final Duration duration;

    private ReadersExperiment(Duration duration) {
        this.duration = duration;
    }

    public static Experiment of(Experiment.Settings settings) {
        ReadersExperiment readers =
                new ReadersExperiment(settings.duration(Duration.ofSeconds(1), Duration.ofMillis(100)));
        return new Experiment(
                "readers",
                "What does each step from reading byte by byte to handing over a buffer bring?",
                "Buffered reading of a TCP stream, in Java",
                "two Linux servers on 1 and 10 Gbit Ethernet, and one host's loopback; bodies of 100 bytes; processor,"
                        + " JDK and year not told",
                new Needs(0, 128, 2),
                readers::tables,
                readers.readers::close);
    }

    private List<LabTable> tables() {
        return List.of(
                table(
                        "loopback",
                        "Over loopback, bodies of 100 bytes, a sender of large writes",
                        List.of(Ladder.values()),
                        StreamSender.LARGE,
                        ARTICLE,
                        CLAIMS),
                table(
                        "small-writes",
                        "Over loopback, a sender that writes each message by itself",
                        List.of(Ladder.FOUR_BYTES, Ladder.BOTH, Ladder.COMPACTING, Ladder.HANDING, Ladder.RELAY),
                        FrameLayout.frameLength(StreamSender.BODY),
                        ArticleFigures.NONE,
                        List.of()));
    }

    private LabTable table(
            String id, String title, List<Ladder> steps, int writeSize, ArticleFigures article, List<Claim> claims) {
        StreamSender sender = new StreamSender(StreamSender.BODY, writeSize);
        List<Contestant> rows = steps.stream()
                .map(step -> new Contestant(step.text(), "", go -> {
                    if (go.isWarmUp()) {
                        // In the warm-up every byte that the client reads is compared.
                        read(step, sender, true);
                    }
                    return read(step, sender, false);
                }))
                .toList();
        return new LabTable(
                id,
                title,
                List.of(MESSAGES, BYTES, READS),
                rows,
                article,
                table -> Claim.judge(claims, table),
                List.of());
    }

    private Measurement read(Ladder step, StreamSender sender, boolean check)
            throws IOException, InterruptedException, WrongResultException {
        Readers.Reading reading = readers.read(step, sender, duration, check);
        reading.verify();
        double perSecond = reading.messages() * 1e9 / reading.nanos();
        return Measurement.of(MESSAGES, perSecond)
                .and(BYTES, perSecond * FrameLayout.frameLength(StreamSender.BODY) / 1e6)
                .and(READS, (double) reading.reads() / reading.messages());
    }

    private static Claim step(String text, Ladder better, Ladder worse) {
        return Claim.better(text, MESSAGES, better.text(), worse.text());
    }
}
