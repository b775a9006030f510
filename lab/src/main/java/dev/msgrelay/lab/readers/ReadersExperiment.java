package dev.msgrelay.lab.readers;

import dev.msgrelay.lab.ArticleFigures;
import dev.msgrelay.lab.Claim;
import dev.msgrelay.lab.Column;
import dev.msgrelay.lab.Contestant;
import dev.msgrelay.lab.Experiment;
import dev.msgrelay.lab.LabTable;
import dev.msgrelay.lab.Measurement;
import dev.msgrelay.lab.Needs;
import dev.msgrelay.lab.Numbers;
import dev.msgrelay.lab.TableResult;
import dev.msgrelay.lab.Verdict;
import dev.msgrelay.lab.WrongResultException;
import dev.msgrelay.lab.readers.Client.Ladder;
import dev.msgrelay.loadgen.cli.Limits;
import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.lane.LaneStatus;
import dev.msgrelay.loadgen.lane.Lanes;
import dev.msgrelay.loadgen.result.Spread;
import dev.msgrelay.protocol.FrameLayout;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code readers}: what does each step from a byte-wise reader to a buffer that is handed over bring? */
@Command(
        name = "readers",
        description = {
            "Clients of a framed stream: from reading byte by byte to handing over a buffer; and the relay's client.",
            "Each client is a JVM of its own; the sender is another one, at the far end of the lane."
        })
public final class ReadersExperiment extends Experiment {
    static final Column MESSAGES = Column.higher("messages", "msg/s");
    static final Column BYTES = Column.higher("bytes", "MB/s");
    static final Column READS = Column.lower("reads a message", "");

    /** Over an emulated link in a quick run: those that come near its speed. */
    private static final List<Ladder> FEW = List.of(Ladder.BOTH, Ladder.COMPACTING, Ladder.RELAY);

    private static final List<Ladder> SMALL_WRITES =
            List.of(Ladder.FOUR_BYTES, Ladder.BOTH, Ladder.COMPACTING, Ladder.HANDING, Ladder.RELAY);

    static final List<Claim> CLAIMS = List.of(
            step(
                            "one read of four bytes instead of four makes reading almost twice as fast",
                            Ladder.FOUR_BYTES,
                            Ladder.BYTE_WISE)
                    .times(2),
            step("one line, BufferedInputStream, changes things dramatically", Ladder.BUFFERED, Ladder.BYTE_WISE),
            step("both methods combined achieve a combined effect", Ladder.BOTH, Ladder.BUFFERED),
            step("without allocation the code runs slower", Ladder.BOTH, Ladder.REUSING),
            open(Ladder.LOCAL, Ladder.REUSING),
            open(Ladder.LOCAL, Ladder.BOTH),
            step("buffers work almost three times faster than streams", Ladder.APPENDING, Ladder.BOTH)
                    .times(3),
            step("the simpler code, which compacts, is also faster", Ladder.COMPACTING, Ladder.APPENDING),
            step("handing over the buffer saves a copy", Ladder.HANDING, Ladder.COMPACTING),
            step("from the first to the last about 70 times", Ladder.HANDING, Ladder.BYTE_WISE)
                    .times(70),
            open(Ladder.RELAY, Ladder.HANDING));

    private static final List<Claim> SMALL_CLAIMS = List.of(
            open(Ladder.BOTH, Ladder.FOUR_BYTES),
            open(Ladder.HANDING, Ladder.BOTH),
            open(Ladder.RELAY, Ladder.HANDING));

    /** A client that gets this share of what the link carries is held back by the link. */
    private static final double FULL = 0.95;

    private static final int BODY = 100;

    /** Both sides keep all bodies in memory. */
    private static final int MAX_BODY = 8_192;

    private static final int MAX_WRITE = 4 << 20;
    private static final Duration DURATION = Duration.ofSeconds(1);
    private static final Duration QUICK_DURATION = Duration.ofMillis(100);

    /** Pipes of a dozen processes. */
    private static final int DESCRIPTORS = 128;

    /** A sender and a reader. */
    private static final int CORES = 2;

    private static final double SECOND = 1e9;
    private static final double MEGA = 1e6;

    @Option(
            names = "--lane",
            paramLabel = "NAME",
            split = ",",
            description = "Over which: loopback, 1gbe, 10gbe, 25gbe (the first three, as far as they can be had here).")
    private List<String> lanes;

    @Option(names = "--body", paramLabel = "BYTES", description = "Bytes of every message's body (" + BODY + ").")
    private int body = BODY;

    @Option(
            names = "--write-size",
            paramLabel = "BYTES",
            description = "Bytes of the sender's writes; 0 for whole segments, about 256 KiB (0).")
    private int writeSize;

    @Option(names = "--duration", paramLabel = "TIME", description = "Of one go (1s; with --quick 100ms).")
    private Duration duration;

    private final List<String> remarks = new ArrayList<>();
    private ReaderBench current;
    private Key currentKey;

    /** What the goes of a table share a bench for. */
    private record Key(LaneSpec lane, int writeSize) {}

    public ReadersExperiment() {
        super(
                "What does each step from reading byte by byte to handing over a buffer bring?",
                new Article(
                        "Buffered reading of a TCP stream, in Java",
                        0,
                        "two Linux servers on 1 Gbit and on 10 Gbit Ethernet, and one host's loopback; bodies of 100 bytes;"
                                + " processor, JDK and year not told"));
    }

    private Duration duration() {
        return duration != null ? duration : quick() ? QUICK_DURATION : DURATION;
    }

    @Override
    protected void check(CommandSpec command) {
        Limits.within(command, "--body", body, NumberedFrames.MIN_BODY, MAX_BODY);
        Limits.within(command, "--write-size", writeSize, 0, MAX_WRITE);
        Limits.shortDuration(command, duration, duration());
        try {
            lanes();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), "--lane: " + e.getMessage(), e);
        }
    }

    /**
     * The article's three, or those that are asked for.
     *
     * @throws IllegalArgumentException naming one that is none, or not for this
     */
    private List<LaneSpec> lanes() {
        if (lanes == null) {
            return List.of(LaneSpec.of(LaneKind.LOOPBACK), LaneSpec.of(LaneKind.GBE_1), LaneSpec.of(LaneKind.GBE_10));
        }
        List<LaneSpec> specs = lanes.stream().map(LaneSpec::parse).toList();
        for (LaneSpec lane : specs) {
            if (lane.kind() == LaneKind.UNIX) {
                throw new IllegalArgumentException("lane '" + lane + "' is none that the article's clients can read");
            }
        }
        return specs;
    }

    @Override
    public Needs needs() {
        return new Needs(0, DESCRIPTORS, CORES);
    }

    @Override
    public List<String> remarks() {
        return List.copyOf(remarks);
    }

    @Override
    public List<LabTable> tables() throws IOException, InterruptedException {
        List<LabTable> tables = new ArrayList<>();
        List<LaneSpec> possible = possible();
        for (LaneSpec lane : possible) {
            List<Ladder> steps = lane.isEmulated() && quick() ? FEW : List.of(Ladder.values());
            tables.add(large(lane, steps));
        }
        tables.add(small(possible.get(0)));
        return tables;
    }

    /** Without those that cannot be had here, unless they were asked for. */
    private List<LaneSpec> possible() throws IOException, InterruptedException {
        List<LaneStatus> statuses = Lanes.survey(LaneSpec.ETHERNET_MTU, new Subprocess());
        List<LaneSpec> possible = new ArrayList<>();
        for (LaneSpec lane : lanes()) {
            String reason = statuses.stream()
                    .filter(status -> status.spec().kind() == lane.kind() && !status.possible())
                    .map(LaneStatus::reason)
                    .findFirst()
                    .orElse(null);
            if (reason == null) {
                possible.add(lane);
            } else if (lanes != null) {
                throw new IOException("lane " + lane + " cannot be had here: " + reason);
            } else {
                remarks.add("lane " + lane + " was left out: " + reason);
            }
        }
        return possible;
    }

    private LabTable large(LaneSpec lane, List<Ladder> steps) {
        double ceiling = lane.isEmulated() ? lane.emulatedLink().batched(body).messagesPerSecond() : Double.NaN;
        String link = lane.isEmulated() ? "; the link carries at most " + Numbers.text(ceiling) + " msg/s" : "";
        return new LabTable(
                lane.kind().title(),
                "Over " + lane.label() + ", bodies of " + body + " bytes, a sender of "
                        + (writeSize == 0 ? "large writes" : "writes of " + writeSize + " bytes")
                        + link,
                List.of(MESSAGES, BYTES, READS),
                contestants(steps, new Key(lane, writeSize)),
                body == BODY ? figures(lane.kind()) : ArticleFigures.NONE,
                table -> judge(CLAIMS, table, ceiling),
                List.of());
    }

    private LabTable small(LaneSpec lane) {
        return new LabTable(
                "small-writes",
                "Over " + lane.label() + ", a sender that writes each message by itself",
                List.of(MESSAGES, BYTES, READS),
                contestants(SMALL_WRITES, new Key(lane, FrameLayout.frameLength(body))),
                ArticleFigures.NONE,
                table -> judge(SMALL_CLAIMS, table, Double.NaN),
                List.of());
    }

    /** The article's figures, by network. */
    static ArticleFigures figures(LaneKind lane) {
        return switch (lane) {
            case GBE_1 -> ArticleFigures.of(List.of(MESSAGES, BYTES), """
                        integers byte by byte | 268240-289184 | 29.0-31.2
                        four bytes at a time  | 523834        | 56.6
                        BufferedInputStream   | 1074113       | 116.0
                        """);
            case GBE_10 -> ArticleFigures.of(List.of(MESSAGES, BYTES), """
                        integers byte by byte           | 317490   | 34.3
                        four bytes at a time            | 589866   | 63.7
                        BufferedInputStream             | 3687315  | 398.2
                        BufferedInputStream, four bytes | 5305039  | 572.9
                        the same, nothing allocated     | 4694835  | 507.0
                        channel and buffer, appending   | 10834236 | 1170.1
                        """);
            case LOOPBACK -> ArticleFigures.of(List.of(MESSAGES, BYTES), """
                        integers byte by byte           | 304850   | 32.9
                        BufferedInputStream, four bytes | 4816955  | 520.2
                        channel and buffer, appending   | 14164305 | 1529.7
                        channel and buffer, compacting  | 16000000 | 1728.0
                        channel, buffer handed over     | 19880715 | 2147.1
                        """);
            default -> ArticleFigures.NONE;
        };
    }

    private static Claim step(String text, Ladder better, Ladder worse) {
        return Claim.better(text, MESSAGES, better.text(), worse.text());
    }

    private static Claim open(Ladder one, Ladder other) {
        return Claim.open(MESSAGES, one.text(), other.text());
    }

    /**
     * Of the steps that are in the table. Two that fill the link cannot be compared; one that does may be faster than it looks.
     *
     * @param ceiling what the link carries at most, messages a second; NaN where there is no link
     */
    static List<Verdict> judge(List<Claim> claims, TableResult table, double ceiling) {
        List<String> rows = table.rows().stream().map(TableResult.Row::label).toList();
        List<Verdict> verdicts = new ArrayList<>();
        for (Claim claim : claims) {
            if (!rows.containsAll(List.of(claim.row(), claim.other()))) {
                continue;
            }
            boolean held = fills(claim.row(), table, ceiling);
            if (!held || !fills(claim.other(), table, ceiling)) {
                verdicts.add(claim.judge(table, held));
            } else if (!claim.text().isEmpty()) {
                verdicts.add(Claim.undecided(claim.text(), claim.row() + " and " + claim.other() + " fill the link"));
            }
        }
        return verdicts;
    }

    private static boolean fills(String row, TableResult table, double ceiling) {
        Spread figure = table.figure(table.row(row), MESSAGES);
        return figure.isKnown() && figure.median() >= FULL * ceiling;
    }

    private List<Contestant> contestants(List<Ladder> steps, Key key) {
        return steps.stream()
                .map(step -> new Contestant(
                        step.text(),
                        "",
                        go -> {
                            // Before the first round every byte that it reads is compared.
                            read(step, key, true);
                            return read(step, key, false);
                        },
                        go -> read(step, key, false)))
                .toList();
    }

    private Measurement read(Ladder step, Key key, boolean check)
            throws IOException, InterruptedException, WrongResultException {
        ReaderBench.Reading reading;
        try {
            reading = bench(key).read(step, check);
        } catch (IOException e) {
            // Something in it failed: the next go gets another one.
            end();
            throw e;
        }
        reading.verify();
        double perSecond = reading.messages() * SECOND / reading.nanos();
        return Measurement.of(MESSAGES, perSecond)
                .and(BYTES, perSecond * FrameLayout.frameLength(body) / MEGA)
                .and(READS, (double) reading.reads() / reading.messages());
    }

    private ReaderBench bench(Key key) throws IOException, InterruptedException {
        if (!key.equals(currentKey)) {
            end();
            current = ReaderBench.open(key.lane(), body, key.writeSize(), duration());
            currentKey = key;
        }
        return current;
    }

    @Override
    public void end() {
        if (current != null) {
            current.close();
        }
        current = null;
        currentKey = null;
    }
}
