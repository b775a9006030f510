package dev.msgrelay.loadgen.lab.batching;

import dev.msgrelay.loadgen.lab.Claims;
import dev.msgrelay.loadgen.lab.Figure;
import dev.msgrelay.loadgen.lab.Finding;
import dev.msgrelay.loadgen.lab.Findings;
import dev.msgrelay.loadgen.lab.Numbers;
import dev.msgrelay.loadgen.lab.RowResult;
import dev.msgrelay.loadgen.lab.TableResult;
import java.util.ArrayList;
import java.util.List;

/** What the article says, and what our figures say of it. */
final class BatchingClaims {
    static final String LINKED = "ConcurrentLinkedQueue";
    static final String TRACKED = "ConcurrentLinkedQueue, size tracked";
    static final String ARRAY = "ArrayBlockingQueue";
    static final String RING = "Disruptor's ring";

    private static final String RELAY = "relay, the device its subscriber";
    private static final double MOST_PACKETS = 2;
    private static final double MOST_NANOS = 100;

    /** A way carries a load as long as it delivers this share of it. */
    private static final double CARRIED = 0.95;

    private BatchingClaims() {}

    /** The article's table. Its average for the serial way is 500; the mean of 100, 200 ... 1,000 is 550. */
    static Claims workedExample() {
        Claims claims = Claims.NONE
                .and(Way.SERIAL.text(), BurstContestant.BEST, 100)
                .and(Way.SERIAL.text(), BurstContestant.AVERAGE, 500)
                .and(Way.SERIAL.text(), BurstContestant.WORST, 1_000)
                .and(Way.SERIAL.text(), BurstContestant.PACKETS, BurstContestant.MESSAGES);
        for (String way : List.of(Way.QUEUE.text(), Way.DISRUPTOR.text())) {
            claims = claims.and(way, BurstContestant.BEST, 100)
                    .and(way, BurstContestant.AVERAGE, 150)
                    .and(way, BurstContestant.WORST, 200)
                    .and(way, BurstContestant.PACKETS, 1, MOST_PACKETS);
        }
        return claims;
    }

    static List<Finding> judgeBurst(TableResult table) {
        String serial = Way.SERIAL.text();
        List<Finding> findings = new ArrayList<>();
        findings.add(Findings.better(
                "the average latency of a burst is lower with smart batching",
                table,
                BurstContestant.AVERAGE,
                Way.QUEUE.text(),
                serial,
                150.0 / 500));
        findings.add(Findings.better(
                "so is the worst one", table, BurstContestant.WORST, Way.QUEUE.text(), serial, 200.0 / 1_000));
        for (Way way : List.of(Way.QUEUE, Way.DISRUPTOR)) {
            findings.add(Findings.atMost(
                    "a burst goes out in 1 to 2 packets", table, BurstContestant.PACKETS, way.text(), MOST_PACKETS));
        }
        findings.add(Findings.better(
                "the lowest latency is that of a thread that writes itself",
                table,
                BurstContestant.BEST,
                serial,
                Way.QUEUE.text()));
        findings.add(Findings.compare(table, BurstContestant.AVERAGE, Way.DISRUPTOR.text(), Way.QUEUE.text()));
        findings.add(Findings.compare(table, BurstContestant.AVERAGE, RELAY, Way.DISRUPTOR.text()));
        return findings;
    }

    static List<Finding> judgeThreads(TableResult table, int most) {
        List<Finding> findings = new ArrayList<>();
        String setting = ", " + LoadContestant.threads(most);
        for (Way way : List.of(Way.QUEUE, Way.DISRUPTOR, Way.RELAY)) {
            findings.add(Findings.better(
                    "batching gives more throughput than a write a message",
                    table,
                    LoadContestant.DELIVERED,
                    way.text() + setting,
                    Way.SERIAL.text() + setting));
        }
        findings.add(Findings.compare(
                table, LoadContestant.DELIVERED, Way.RELAY.text() + setting, Way.DISRUPTOR.text() + setting));
        return findings;
    }

    static List<Finding> judgeLoad(TableResult table, List<Integer> loads) {
        List<Finding> findings = new ArrayList<>();
        for (Way way : Way.values()) {
            findings.add(bathtub(table, way, loads));
        }
        for (int load : loads) {
            String setting = ", " + LoadContestant.load(load);
            findings.add(Findings.better(
                    "contention for the lock costs latency",
                    table,
                    LoadContestant.P99,
                    Way.QUEUE.text() + setting,
                    Way.SERIAL.text() + setting));
        }
        return findings;
    }

    /** How far latency has grown at the last load that this way still carried. */
    static Finding bathtub(TableResult table, Way way, List<Integer> loads) {
        String claim = way == Way.SERIAL ? "" : "latency stays constant until the device is saturated";
        double first = Double.NaN;
        double last = Double.NaN;
        int carried = 0;
        for (int load : loads) {
            RowResult row = table.row(way.text() + ", " + LoadContestant.load(load));
            Figure delivered = table.figure(row, LoadContestant.DELIVERED);
            if (row.failed() || !delivered.isPresent() || delivered.median() < CARRIED * load) {
                break;
            }
            carried = load;
            last = table.figure(row, LoadContestant.MEDIAN).median();
            first = Double.isNaN(first) ? last : first;
        }
        if (carried == 0) {
            return new Finding(claim, Finding.Outcome.UNDECIDED, way.text() + " did not carry even the smallest load");
        }
        String sentence = way.text() + " carried up to " + LoadContestant.load(carried) + ", with a median latency of "
                + Numbers.text(last) + " us there and " + Numbers.text(first) + " us at "
                + LoadContestant.load(loads.get(0));
        return new Finding(claim, constant(claim, first, last), sentence);
    }

    private static Finding.Outcome constant(String claim, double first, double last) {
        if (claim.isEmpty()) {
            return Finding.Outcome.MEASURED;
        }
        // Twice is what a batch that waits for the one before costs at most, in the article's own example.
        return last <= 2 * first ? Finding.Outcome.HOLDS : Finding.Outcome.DOES_NOT_HOLD;
    }

    static Claims exchange() {
        return Claims.NONE.and(RING, ExchangeContestant.COST, MOST_NANOS / 2, MOST_NANOS);
    }

    static List<Finding> judgeExchange(TableResult table) {
        return List.of(
                Findings.better(
                        "tracking its size adds 50 % to the cost of the queue",
                        table, ExchangeContestant.COST, LINKED, TRACKED, 1 / 1.5),
                Findings.atMost(
                        "an exchange over the Disruptor takes as little as 50 to 100 ns",
                        table,
                        ExchangeContestant.COST,
                        RING,
                        MOST_NANOS),
                Findings.compare(table, ExchangeContestant.COST, TRACKED, RING));
    }
}
