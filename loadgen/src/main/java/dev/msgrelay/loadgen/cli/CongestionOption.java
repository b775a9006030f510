package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.rig.RelayContestant;
import dev.msgrelay.server.host.SystemTree;
import dev.msgrelay.server.net.CongestionControl;
import dev.msgrelay.server.net.Transport;
import java.util.List;
import picocli.CommandLine.Option;

/**
 * The option for TCP congestion control of connections within this host. It applies to loadgen's own senders, and to
 * the relay that loadgen starts.
 */
final class CongestionOption extends Options {
    @Option(
            names = RelayContestant.LOCAL_CONGESTION,
            paramLabel = "NAME",
            description =
                    "TCP's congestion control within this host: auto (cubic, else reno), system, or a name (auto).")
    private String choice = CongestionControl.AUTO;

    /**
     * Returns the congestion control of loadgen's own senders. Refuses a name that this machine does not support.
     *
     * @return AUTO if this machine offers neither cubic nor reno. The senders then report the reason.
     */
    String own() {
        String name = parsed(RelayContestant.LOCAL_CONGESTION + ": ", choice, text -> new CongestionControl(
                        text, CongestionControl.SYSTEM)
                .resolve(Transport.AUTO.resolve(), SystemTree.ofThisHost().text(CongestionControl.ALLOWED))
                .local());
        boolean none = name.equals(CongestionControl.SYSTEM) && choice.equals(CongestionControl.AUTO);
        return none ? CongestionControl.AUTO : name;
    }

    /** Returns the arguments that pass the choice to the relay; empty if the choice is the default of the relay. */
    List<String> ofRelay() {
        return choice.equals(CongestionControl.AUTO) ? List.of() : List.of(RelayContestant.LOCAL_CONGESTION, choice);
    }
}
