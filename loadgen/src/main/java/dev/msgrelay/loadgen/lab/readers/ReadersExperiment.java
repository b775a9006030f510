package dev.msgrelay.loadgen.lab.readers;

import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.lab.Article;
import dev.msgrelay.loadgen.lab.Claims;
import dev.msgrelay.loadgen.lab.Contestant;
import dev.msgrelay.loadgen.lab.Experiment;
import dev.msgrelay.loadgen.lab.LabOptions;
import dev.msgrelay.loadgen.lab.LabTable;
import dev.msgrelay.loadgen.lab.Needs;
import dev.msgrelay.loadgen.lab.Numbers;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.lane.LaneStatus;
import dev.msgrelay.loadgen.lane.Lanes;
import dev.msgrelay.protocol.FrameLayout;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** {@code readers}: what does each step from a byte-wise reader to a buffer that is handed over bring? */
public final class ReadersExperiment implements Experiment {
    /** Over an emulated link in a quick run: those that come near its speed. */
    private static final List<Ladder> FEW = List.of(Ladder.BOTH, Ladder.COMPACTING, Ladder.RELAY);

    private static final List<Ladder> SMALL_WRITES =
            List.of(Ladder.FOUR_BYTES, Ladder.BOTH, Ladder.COMPACTING, Ladder.HANDING, Ladder.RELAY);

    /** Pipes of a dozen processes. */
    private static final int DESCRIPTORS = 128;

    /** A sender and a reader. */
    private static final int CORES = 2;

    private final ReaderOptions options;
    private final List<String> remarks = new ArrayList<>();
    private ReaderBench current;
    private Key currentKey;

    /** What a table's goes share is made for. */
    private record Key(LaneSpec lane, int writeSize) {}

    public ReadersExperiment(ReaderOptions options) {
        this.options = options;
    }

    @Override
    public String name() {
        return "readers";
    }

    @Override
    public String question() {
        return "What does each step from reading byte by byte to handing over a buffer bring?";
    }

    @Override
    public Article article() {
        return new Article(
                "Buffered reading of a TCP stream, in Java",
                0,
                "two Linux servers on 1 Gbit and on 10 Gbit Ethernet, and one host's loopback; bodies of 100 bytes;"
                        + " processor, JDK and year not told");
    }

    @Override
    public Needs needs(LabOptions lab) {
        return new Needs(0, DESCRIPTORS, CORES);
    }

    @Override
    public List<String> remarks() {
        return List.copyOf(remarks);
    }

    @Override
    public List<LabTable> tables(LabOptions lab) throws IOException, InterruptedException {
        List<LabTable> tables = new ArrayList<>();
        List<LaneSpec> lanes = possible();
        for (LaneSpec lane : lanes) {
            List<Ladder> steps = lane.isEmulated() && lab.quick() ? FEW : Arrays.asList(Ladder.values());
            tables.add(large(lane, steps));
        }
        tables.add(small(lanes.get(0)));
        return tables;
    }

    private List<LaneSpec> possible() throws IOException, InterruptedException {
        List<LaneStatus> statuses = Lanes.survey(LaneSpec.ETHERNET_MTU, new Subprocess());
        List<LaneSpec> lanes = new ArrayList<>();
        for (LaneSpec lane : options.lanes()) {
            String reason = statuses.stream()
                    .filter(status -> status.spec().kind() == lane.kind() && !status.possible())
                    .map(LaneStatus::reason)
                    .findFirst()
                    .orElse(null);
            if (reason == null) {
                lanes.add(lane);
            } else if (options.required()) {
                throw new IOException("lane " + lane + " cannot be had here: " + reason);
            } else {
                remarks.add("lane " + lane + " was left out: " + reason);
            }
        }
        return lanes;
    }

    private LabTable large(LaneSpec lane, List<Ladder> steps) {
        Key key = new Key(lane, options.writeSize());
        double ceiling = lane.isEmulated()
                ? lane.emulatedLink().ceiling(options.body()).batched().messagesPerSecond()
                : Double.NaN;
        String link = lane.isEmulated() ? "; the link carries at most " + Numbers.text(ceiling) + " msg/s" : "";
        return new LabTable(
                lane.kind().title(),
                "Over " + lane.label() + ", bodies of " + options.body() + " bytes, a sender of "
                        + (options.writeSize() == 0 ? "large writes" : "writes of " + options.writeSize() + " bytes")
                        + link,
                ReaderContestant.COLUMNS,
                contestants(steps, key),
                options.body() == ReaderOptions.BODY ? ReaderClaims.of(lane.kind()) : Claims.NONE,
                List.of(),
                table -> ReaderClaims.judge(table, steps, ceiling));
    }

    private LabTable small(LaneSpec lane) {
        Key key = new Key(lane, FrameLayout.frameLength(options.body()));
        return new LabTable(
                "small-writes",
                "Over " + lane.label() + ", a sender that writes each message by itself",
                ReaderContestant.COLUMNS,
                contestants(SMALL_WRITES, key),
                Claims.NONE,
                List.of(),
                table -> ReaderClaims.judgeSmallWrites(table, SMALL_WRITES));
    }

    private List<Contestant> contestants(List<Ladder> steps, Key key) {
        ReaderContestant.Benches benches = new ReaderContestant.Benches() {
            @Override
            public ReaderBench bench() throws IOException, InterruptedException {
                return openFor(key);
            }

            @Override
            public void drop() {
                end();
            }
        };
        List<Contestant> contestants = new ArrayList<>();
        steps.forEach(step -> contestants.add(new ReaderContestant(step, options.body(), benches)));
        return contestants;
    }

    private ReaderBench openFor(Key key) throws IOException, InterruptedException {
        if (!key.equals(currentKey)) {
            end();
            current = ReaderBench.open(key.lane(), options, key.writeSize());
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
