package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.agent.AgentTarget;
import dev.msgrelay.loadgen.agent.RemoteLane;
import dev.msgrelay.loadgen.agent.RemoteLink;
import dev.msgrelay.loadgen.agent.Token;
import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LaneUnavailableException;
import dev.msgrelay.loadgen.link.LinkSpeed;
import dev.msgrelay.loadgen.link.SegmentFormat;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The second host of the remote lane. */
final class AgentOptions {
    /** The packet that every host has to take (RFC 791). */
    private static final int MIN_MTU = 576;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--agent",
            paramLabel = "HOST:PORT",
            description = "Where 'loadgen agent' waits on a second host: the lane 'remote' leads there.")
    private String agent;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "The agent's token, in a file for its owner's eyes only. Without it: the environment's "
                    + Token.VARIABLE + ".")
    private Path tokenFile;

    @Option(
            names = "--link",
            paramLabel = "SPEED",
            description = "Of the link to the agent, like 10gbe, where neither host's system tells it.")
    private String link;

    @Option(names = "--link-mtu", paramLabel = "BYTES", description = "Of the link to the agent, likewise.")
    private Integer linkMtu;

    @Option(
            names = "--near-address",
            paramLabel = "ADDRESS",
            description = "At which the agent's host reaches this one, if not on the way of --agent: another network, a"
                    + " tunnel.")
    private String nearAddress;

    @Option(
            names = "--far-address",
            paramLabel = "ADDRESS",
            description = "At which this host reaches the agent's processes, likewise.")
    private String farAddress;

    private AgentTarget target;
    private Token token;
    private RemoteLink given;

    boolean isGiven() {
        return agent != null;
    }

    /**
     * Checks everything that can be known before the agent is asked.
     *
     * @throws ParameterException naming what is missing or does not fit, or why the token is none
     */
    void check() {
        if (agent == null) {
            refuse(tokenFile, "--token-file");
            refuse(link, "--link");
            refuse(linkMtu, "--link-mtu");
            refuse(nearAddress, "--near-address");
            refuse(farAddress, "--far-address");
            return;
        }
        try {
            target = AgentTarget.parse(agent).withAddresses(nearAddress, farAddress);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--agent: " + e.getMessage(), e);
        }
        if (linkMtu != null) {
            Limits.within(spec, "--link-mtu", linkMtu, MIN_MTU, SegmentFormat.MAX_MTU);
        }
        given = new RemoteLink(speed(), linkMtu == null ? 0 : linkMtu);
        token = Limits.token(spec, tokenFile);
        if (token == null) {
            throw new ParameterException(
                    spec.commandLine(), "--agent needs the agent's token: give --token-file or set " + Token.VARIABLE);
        }
    }

    /** Opens the lane to the agent. */
    Lane open() throws LaneUnavailableException, InterruptedException {
        return RemoteLane.open(target, token, given);
    }

    private LinkSpeed speed() {
        try {
            return link == null ? null : LinkSpeed.parse(link);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--link: " + e.getMessage(), e);
        }
    }

    private void refuse(Object value, String option) {
        if (value != null) {
            throw new ParameterException(spec.commandLine(), option + " needs --agent");
        }
    }
}
