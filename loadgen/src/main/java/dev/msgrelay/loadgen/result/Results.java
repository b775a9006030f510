package dev.msgrelay.loadgen.result;

import dev.msgrelay.loadgen.host.Finding;
import dev.msgrelay.loadgen.host.Machine;
import dev.msgrelay.loadgen.result.RunRecord.Observed;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * All results of a command so far: the content of {@code --json} and of {@code results.json}. Components are named as
 * in the file, with their units. A part that the command does not measure is empty.
 *
 * @param schemaVersion {@link #SCHEMA_VERSION}
 * @param sites the machines that took part, the relay's first
 * @param turns runs of a comparison, with the figures of the ratios alone
 * @param notes lines for people beside the runs: the outcome, baselines, cautions
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
    /** Version of the form that this build writes and reads; it grows with a change that older readers misread. */
    public static final int SCHEMA_VERSION = 5;

    /**
     * Facts that are known before the first run.
     *
     * @param command "run", "shootout", ...
     * @param started ISO 8601, with the zone
     */
    public record Origin(String command, String version, String started, List<String> commandLine) {
        /** The origin of results of this build; the command is among the arguments. */
        public static Origin of(Instant started, String command, List<String> args) {
            List<String> commandLine = new ArrayList<>(List.of("loadgen"));
            commandLine.addAll(args);
            return new Origin(
                    command, build(), started.truncatedTo(ChronoUnit.SECONDS).toString(), commandLine);
        }

        /** The version of the jar; "development" where the classes do not come from one. */
        public static String build() {
            String version = Results.class.getPackage().getImplementationVersion();
            return version == null ? "development" : version;
        }
    }

    /** The end, with a reason for people; mostly empty when complete. */
    public record Ending(How how, String reason) {
        public enum How {
            /** The state of a file that was written between two runs, also after a crash of the tool. */
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

    /** A machine that took part: "here", or the name that it was reached by. */
    public record Site(String name, Machine machine) {
        public static Site here() {
            return new Site("here", Machine.here());
        }
    }

    /**
     * A figure of one contestant against the same of another one.
     *
     * @param figure "deliveries", "latency p99"; with its unit
     * @param a name of the contestant that b is compared with
     * @param b name of the other contestant
     * @param medianA median of a's runs; NaN without the figure
     * @param runsA number of a's rounds
     * @param ratio ratio of b to a; NaN with too few runs
     * @param low begin of its 95 % interval; NaN without one
     * @param smallestSeenPercent the smallest difference that these runs would have shown; NaN where it is not known
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
     * A run of a comparison in turn.
     *
     * @param number from 0, of all runs in their order
     * @param round from 0; the runs of a side and a round share the relay's process
     * @param figures figures by their names, with their units; NaN where the run has none
     * @param leftOut disturbances by the machine, for which the run is in no pair; mostly empty
     * @param observed events of the run, see {@link RunRecord.Outcome}
     */
    public record Turn(
            Side side,
            int number,
            int round,
            Map<String, Double> figures,
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
