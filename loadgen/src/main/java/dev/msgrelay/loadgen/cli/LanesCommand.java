package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.experiment.Interrupts;
import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.lane.LaneStatus;
import dev.msgrelay.loadgen.lane.Lanes;
import dev.msgrelay.loadgen.report.LanesReport;
import dev.msgrelay.loadgen.run.RunException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code loadgen lanes}: which lanes this host can have by itself, and why not. */
@Command(
        name = "lanes",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Tells which lanes this host can have by itself, and of the others why not.",
            "Changes nothing; exits 1 only when --open finds that one cannot be opened after all."
        })
final class LanesCommand extends Told {
    @Option(names = "--mtu", paramLabel = "BYTES", description = "Of the emulated links (${DEFAULT-VALUE}).")
    private int mtu = 1500;

    @Option(
            names = "--open",
            description = "Open each possible lane, send through it, and close it: about a second for an emulated one.")
    private boolean open;

    @Option(names = "--json", description = "Print them as JSON instead of lines.")
    private boolean json;

    @Override
    public Integer call() throws IOException, RunException, InterruptedException {
        within("--mtu", mtu, LaneSpec.MIN_MTU, LaneSpec.MAX_MTU);
        List<LaneStatus> found = new ArrayList<>();
        boolean failed = false;
        try (Interrupts interrupts = Interrupts.watch()) {
            for (LaneStatus first : interrupts.orInterrupted(() -> Lanes.survey(mtu, new Subprocess()))) {
                LaneStatus status = open && first.possible() ? interrupts.orInterrupted(() -> opened(first)) : first;
                failed |= first.possible() && !status.possible();
                found.add(status);
                if (!json) {
                    print(LanesReport.line(status) + "\n");
                }
            }
        }
        if (json) {
            print(LanesReport.json(found) + "\n");
        }
        return failed ? 1 : 0;
    }

    private static LaneStatus opened(LaneStatus status) throws InterruptedException {
        try (Lane lane = Lanes.open(status.spec())) {
            return new LaneStatus(lane.spec(), null);
        } catch (IOException e) {
            return new LaneStatus(status.spec(), e.getMessage());
        }
    }
}
