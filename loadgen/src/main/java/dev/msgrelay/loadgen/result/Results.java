package dev.msgrelay.loadgen.result;

import dev.msgrelay.loadgen.host.Finding;
import dev.msgrelay.loadgen.host.Machine;
import dev.msgrelay.loadgen.result.RunRecord.Observed;
import dev.msgrelay.loadgen.result.RunRecord.Resources.Senders;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * All results of a command so far, as {@code --json} prints them and {@code results.json} contains them. A list is
 * empty if the command does not measure such results.
 *
 * @param sites the machines that took part; the relay's machine comes first
 * @param turns the runs of {@code compare}, with only the figures that are compared
 * @param notes lines of text for people, such as the summary, baselines and cautions
 */
public record Results(
        int schemaVersion,
        Origin origin,
        Ending ending,
        List<Site> sites,
        List<LaneResult> lanes,
        List<Ratio> ratios,
        List<Turn> turns,
        List<Finding> findings,
        List<String> notes) {
    /**
     * Version of the format that this build writes and reads. It is increased with every change that an older loadgen
     * would misread.
     */
    public static final int SCHEMA_VERSION = 6;

    public record Origin(String command, String version, String started, List<String> commandLine) {
        public static Origin of(Instant started, String command, List<String> args) {
            List<String> commandLine = new ArrayList<>(List.of("loadgen"));
            commandLine.addAll(args);
            return new Origin(
                    command, build(), started.truncatedTo(ChronoUnit.SECONDS).toString(), commandLine);
        }

        /** Returns the version of the jar; "development" if the classes are not in a jar. */
        public static String build() {
            String version = Results.class.getPackage().getImplementationVersion();
            return version == null ? "development" : version;
        }
    }

    /** How a command ended. The reason is a text for people, and usually empty if the command was completed. */
    public record Ending(How how, String reason) {
        public enum How {
            /** The command still runs, or crashed after it wrote the file. */
            RUNNING,
            COMPLETE,
            INTERRUPTED,
            FAILED;

            @Override
            public String toString() {
                return name().toLowerCase(Locale.ROOT);
            }
        }

        public static Ending running() {
            return new Ending(How.RUNNING, "");
        }

        public static Ending complete() {
            return new Ending(How.COMPLETE, "");
        }
    }

    /** A machine that took part. Its name is "here", or the host name by which it was reached. */
    public record Site(String name, Machine machine) {
        public static Site here() {
            return new Site("here", Machine.here());
        }
    }

    /**
     * The comparison of one figure between two contestants.
     *
     * @param figure name of the figure with its unit, such as "latency p99"
     * @param a name of the contestant in the denominator of the ratio
     * @param smallestSeenPercent the smallest difference that these runs would have detected; NaN if unknown
     */
    public record Ratio(
            String figure,
            String a,
            String b,
            double medianA,
            double medianB,
            int runsA,
            int runsB,
            double ratio,
            double low,
            double high,
            double smallestSeenPercent,
            String verdict) {}

    public enum Side {
        A,
        B;

        public Side other() {
            return this == A ? B : A;
        }
    }

    /**
     * One run of {@code compare}.
     *
     * @param round number of the round, from 0; all runs of one side in a round use the same relay process
     * @param senders congestion control of the run's connections; null if unknown
     * @param leftOut reasons why the run does not count: failures, and disturbances by other programs; usually empty
     */
    public record Turn(
            Side side,
            int number,
            int round,
            Map<String, Double> figures,
            Senders senders,
            List<String> leftOut,
            List<Observed> observed) {
        public boolean counts() {
            return leftOut.isEmpty();
        }

        public boolean has(Observed.Kind kind) {
            return observed.stream().anyMatch(one -> one.kind() == kind);
        }

        public double value(String figure) {
            return figures.getOrDefault(figure, Double.NaN);
        }
    }

    public static Results of(Origin origin, List<Site> sites) {
        return new Results(
                SCHEMA_VERSION, origin, Ending.running(), sites, List.of(), List.of(), List.of(), List.of(), List.of());
    }

    public Results withLanes(List<LaneResult> newLanes) {
        return new Results(schemaVersion, origin, ending, sites, newLanes, ratios, turns, findings, notes);
    }

    public Results with(Ending newEnding) {
        return new Results(schemaVersion, origin, newEnding, sites, lanes, ratios, turns, findings, notes);
    }

    public Results withNotes(List<String> newNotes) {
        return new Results(schemaVersion, origin, ending, sites, lanes, ratios, turns, findings, newNotes);
    }

    public Results withFindings(List<Finding> newFindings) {
        return new Results(schemaVersion, origin, ending, sites, lanes, ratios, turns, newFindings, notes);
    }

    public Results withTurns(List<Turn> newTurns, List<Ratio> newRatios) {
        return new Results(schemaVersion, origin, ending, sites, lanes, newRatios, newTurns, findings, notes);
    }

    public List<RunRecord> runs() {
        return lanes.stream()
                .flatMap(lane -> lane.cells().stream())
                .flatMap(cell -> cell.runs().stream())
                .toList();
    }
}
