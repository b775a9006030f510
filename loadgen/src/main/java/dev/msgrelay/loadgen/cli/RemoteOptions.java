package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.link.LinkSpeed;
import dev.msgrelay.loadgen.link.SegmentFormat;
import dev.msgrelay.loadgen.site.Site;
import dev.msgrelay.loadgen.ssh.RemoteLane;
import dev.msgrelay.loadgen.ssh.SshHost;
import java.io.IOException;
import picocli.CommandLine.Option;

/** The second host of the remote lane, and the way to it. */
final class RemoteOptions extends HostOptions {
    /** The packet that every host has to take (RFC 791). */
    private static final int MIN_MTU = 576;

    @Option(
            names = "--data-ports",
            paramLabel = "PORT,PORT",
            description = "On the lane to the second host, relay and sender listen on these two: for a firewall between"
                    + " the hosts (any free ones).")
    private String dataPorts;

    @Option(
            names = "--link",
            paramLabel = "SPEED",
            description = "Of the link to the second host, like 10gbe, where neither host's system tells it.")
    private String link;

    @Option(names = "--link-mtu", paramLabel = "BYTES", description = "Of the link to the second host, likewise.")
    private Integer linkMtu;

    @Option(
            names = "--near-address",
            paramLabel = "ADDRESS",
            description = "At which the second host reaches this one, if not at the one that ssh comes from: another"
                    + " network, a jump host.")
    private String nearAddress;

    @Option(
            names = "--far-address",
            paramLabel = "ADDRESS",
            description = "At which this host reaches the second one, likewise.")
    private String farAddress;

    private RemoteLane.Given given;
    private SshHost ready;
    private String whyNot;

    @Override
    void check() {
        super.check();
        if (!isGiven()) {
            return;
        }
        if (linkMtu != null) {
            within("--link-mtu", linkMtu, MIN_MTU, SegmentFormat.MAX_MTU);
        }
        Site.DataPorts ports =
                dataPorts == null ? Site.DataPorts.ANY : parsed("--data-ports: ", dataPorts, Site.DataPorts::parse);
        LinkSpeed speed = link == null ? null : parsed("--link: ", link, LinkSpeed::parse);
        given = new RemoteLane.Given(nearAddress, farAddress, ports, speed, linkMtu == null ? 0 : linkMtu);
    }

    /** Makes the host ready, before anything else is shown; why it is not is told when its lane is opened. */
    void makeReady() throws InterruptedException {
        try {
            ready = prepare();
        } catch (IOException e) {
            whyNot = e.getMessage();
        }
    }

    Lane open() throws IOException, InterruptedException {
        if (whyNot != null) {
            throw new IOException(whyNot);
        }
        return RemoteLane.open(ready, given);
    }
}
