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
 * Everything that one command gave, or has given so far: what {@code --json} prints and {@code results.json} holds. The
 * names of the components are the names in the file, with their units. Whatever a command does not measure is empty.
 *
 * @param schemaVersion {@link #SCHEMA_VERSION}
 * @param sites the machines that took part, the relay's first
 * @param turns runs of which there are too many to keep more than what the ratios follow from
 * @param notes what a reader has to know beside the runs, one line each: measured ceilings, baselines, how exact latencies
 *     are
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
    /** Version of the form that this build writes and reads. A change that older readers would misread gets the next. */
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
            /** Not yet: what a file says that was written between two runs, also after a crash of the tool. */
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
     * @param a the name of what it is set against
     * @param b the name of the one that is looked at
     * @param medianA NaN where it has none
     * @param runsA how many runs stand behind it
     * @param ratio of b to a; NaN where there are too few runs
     * @param low where its 95 % interval begins; NaN where there is none
     * @param smallestSeenPercent the smallest difference that so many runs would have shown; NaN where not known
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
     * @param round from 0: runs of one side and round went through the same process
     * @param figures by their names, with their units; NaN where it has none
     * @param leftOut why it stands in no pair: what the machine did meanwhile; mostly empty
     * @param observed what became of it, see {@link RunRecord.Outcome}
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
