package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.host.Doctor;
import dev.msgrelay.loadgen.host.Finding;
import dev.msgrelay.loadgen.host.LoopbackSpeeds;
import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.worker.LoopbackMain;
import dev.msgrelay.protocol.cli.ExitCodes;
import dev.msgrelay.protocol.cli.ShortHelp;
import dev.msgrelay.server.host.SystemTree;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code loadgen doctor}: reports eleven facts about this machine, and how each affects a measurement. */
@ShortHelp(examples = {"loadgen doctor", "loadgen doctor --json"})
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Looks at this machine and says of each thing what it means for a run: fine, a note, or a WARNING.",
            "Changes nothing; takes a few seconds, two of them for the speed of loopback."
        })
final class DoctorCommand extends PrintingCommand {
    private static final long LOOPBACK_MILLIS = 60_000;

    @Option(names = "--json", description = "Print the findings as JSON instead of lines.")
    private boolean json;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Optional<LoopbackSpeeds> loopback = LoopbackMain.measure(new Subprocess(LOOPBACK_MILLIS, true));
        List<Finding> findings = Doctor.examine(SystemTree.ofThisHost(), new Subprocess(), loopback);
        String summary = Doctor.summary(findings);
        if (json) {
            print(nothingYet()
                    .withFindings(findings)
                    .withNotes(List.of(summary))
                    .with(Ending.complete()));
        } else {
            print(summary + "\n\n");
            Doctor.sorted(findings).forEach(finding -> print(finding.line()));
        }
        return Doctor.runsArePossible(findings) ? ExitCodes.DONE : ExitCodes.FAILED;
    }
}
