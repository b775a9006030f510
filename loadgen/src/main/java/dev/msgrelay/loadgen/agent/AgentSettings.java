package dev.msgrelay.loadgen.agent;

import java.net.InetAddress;
import java.util.Set;

/**
 * Where an agent listens, and with whom its processes may talk.
 *
 * @param bind where controllers connect
 * @param port where controllers connect; 0: any free one
 * @param data where the agent's own processes listen, at which the controller's reach them
 * @param others addresses, beside the controller's and the agent's own, that processes may connect to
 * @param limits what a controller, or somebody who would like to be one, may take
 */
public record AgentSettings(InetAddress bind, int port, InetAddress data, Set<InetAddress> others, AgentLimits limits) {
    /** The port where a controller looks for an agent. */
    public static final int DEFAULT_PORT = 7410;

    public AgentSettings {
        others = Set.copyOf(others);
    }

    /** With the usual limits, and nothing allowed but the two hosts. */
    public static AgentSettings at(InetAddress address, int port) {
        return new AgentSettings(address, port, address, Set.of(), AgentLimits.USUAL);
    }

    /** The same with other limits. */
    public AgentSettings withLimits(AgentLimits newLimits) {
        return new AgentSettings(bind, port, data, others, newLimits);
    }
}
