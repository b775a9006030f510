package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.rig.RelayContestant;
import dev.msgrelay.server.host.SystemTree;
import dev.msgrelay.server.net.CongestionControl;
import dev.msgrelay.server.net.Transport;
import java.util.List;
import picocli.CommandLine.Option;

/** The congestion control of connections within this host: of loadgen's own senders, and of the relay that it starts. */
final class CongestionOption extends Options {
    @Option(
            names = RelayContestant.LOCAL_CONGESTION,
            paramLabel = "NAME",
            description =
                    "TCP's congestion control within this host: auto (cubic, else reno), system, or a name (auto).")
    private String choice = CongestionControl.AUTO;

    /** The name for loadgen's own senders; never AUTO. One that this machine does not give is refused. */
    String own() {
        return parsed(RelayContestant.LOCAL_CONGESTION + ": ", choice, text -> new CongestionControl(
                        text, CongestionControl.SYSTEM)
                .resolve(Transport.AUTO.resolve(), SystemTree.ofThisHost().text(CongestionControl.ALLOWED))
                .local());
    }

    /** The arguments of a relay; none where the choice is its own default. */
    List<String> ofRelay() {
        return choice.equals(CongestionControl.AUTO) ? List.of() : List.of(RelayContestant.LOCAL_CONGESTION, choice);
    }
}
