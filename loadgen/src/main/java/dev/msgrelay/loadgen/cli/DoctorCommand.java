package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.doctor.Doctor;
import dev.msgrelay.loadgen.doctor.Finding;
import dev.msgrelay.loadgen.experiment.Interrupts;
import dev.msgrelay.loadgen.host.NetInterfaces;
import dev.msgrelay.loadgen.host.NetInterfaces.NetInterface;
import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.host.SystemTree;
import dev.msgrelay.loadgen.report.DoctorReport;
import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.run.RunException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code loadgen doctor}: what this machine is like, and what that means for a run. */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Looks at this machine and says of each thing what it means for a run: fine, a note, or a WARNING.",
            "Changes nothing; takes about a second. Exits 1 only when no run can be made here."
        })
final class DoctorCommand extends Told {
    @Option(
            names = "--interface",
            paramLabel = "NAME",
            description = "Look at this network interface only, up or not (all that are up).")
    private String interfaceName;

    @Option(names = "--json", description = "Print the findings as JSON instead of lines.")
    private boolean json;

    @Override
    public Integer call() throws IOException, RunException, InterruptedException {
        SystemTree tree = SystemTree.ofThisHost();
        NetInterfaces all = new NetInterfaces(tree);
        List<NetInterface> interfaces =
                interfaceName == null ? all.up() : List.of(networkInterface(all, interfaceName));
        List<Finding> findings = new ArrayList<>();
        Doctor doctor = new Doctor(tree, new Subprocess(), finding -> {
            findings.add(finding);
            if (!json) {
                print(DoctorReport.line(finding) + "\n");
            }
        });
        try (Interrupts interrupts = Interrupts.watch()) {
            interrupts.orInterrupted(() -> {
                doctor.examine(interfaces);
                return null;
            });
        }
        if (json) {
            print(nothingYet()
                    .withFindings(findings)
                    .withNotes(List.of(DoctorReport.summary(findings)))
                    .with(Ending.complete()));
        } else {
            print("\n" + DoctorReport.summary(findings) + "\n");
        }
        return DoctorReport.runsArePossible(findings) ? 0 : 1;
    }
}
