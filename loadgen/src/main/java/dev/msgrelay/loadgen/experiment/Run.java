package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.rig.Plan;
import dev.msgrelay.protocol.cli.ExitCodes;
import java.util.Collection;
import java.util.List;

/** One run of a plan, which may have failed. The experiment numbers its runs from 0. */
public record Run(Plan plan, int number, RunRecord record) {
    public boolean isWhole() {
        return !record.outcome().partial();
    }

    public List<String> failures() {
        return record.outcome().failures();
    }

    /** Returns the exit code after these runs: failed if one broke off, not whole if a message was wrong. */
    public static int exitCode(Collection<Run> runs) {
        if (!runs.stream().allMatch(Run::isWhole)) {
            return ExitCodes.FAILED;
        }
        return runs.stream().allMatch(run -> run.failures().isEmpty()) ? ExitCodes.DONE : ExitCodes.NOT_WHOLE;
    }

    public static List<RunRecord> of(Plan plan, Collection<Run> runs) {
        return runs.stream().filter(run -> run.plan() == plan).map(Run::record).toList();
    }
}
