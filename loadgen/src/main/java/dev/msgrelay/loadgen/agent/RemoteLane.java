package dev.msgrelay.loadgen.agent;

import dev.msgrelay.loadgen.host.SystemTree;
import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.lane.LaneLink;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.lane.LaneUnavailableException;
import dev.msgrelay.loadgen.site.HostSite;
import dev.msgrelay.loadgen.site.Site;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** The link between this host, where the relay is, and that of an agent. */
public final class RemoteLane implements Lane {
    private static final LaneSpec SPEC = LaneSpec.of(LaneKind.REMOTE);

    private final HostSite near;
    private final AgentSite far;
    private final LaneLink link;

    private RemoteLane(HostSite near, AgentSite far, LaneLink link) {
        this.near = near;
        this.far = far;
        this.link = link;
    }

    /**
     * Connects to the agent and measures its clock.
     *
     * @param given what is known about the link beforehand
     * @throws LaneUnavailableException why not, in one line that names the agent; nothing is left behind
     */
    public static RemoteLane open(AgentTarget target, Token token, RemoteLink given)
            throws LaneUnavailableException, InterruptedException {
        AgentConnection connection;
        try {
            connection = AgentConnection.open(target.host(), target.port(), token);
        } catch (IOException e) {
            throw new LaneUnavailableException(e.getMessage(), e);
        }
        try {
            AgentFacts facts = connection.facts();
            HostSite near = target.nearAddress() == null
                    ? connection.here()
                    : new HostSite("this host", List.of(), literal("near", target.nearAddress()));
            AgentSite far = new AgentSite(
                    connection, target.farAddress() == null ? facts.address() : literal("far", target.farAddress()));
            LaneLink link = given.between(
                    InetAddress.getByName(near.address()),
                    InetAddress.getByName(far.address()),
                    facts.addressInterface(),
                    SystemTree.ofThisHost());
            return new RemoteLane(near, far, link);
        } catch (IOException | IllegalArgumentException e) {
            connection.close();
            throw new LaneUnavailableException(e.getMessage(), e);
        } catch (InterruptedException e) {
            connection.closeAtOnce();
            throw e;
        } catch (RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    /** As a number: agents look no name up. */
    private static String literal(String end, String host) throws IOException {
        try {
            return InetAddress.getByName(host).getHostAddress();
        } catch (UnknownHostException e) {
            throw new IOException(end + " address: unknown host '" + host + "'", e);
        }
    }

    @Override
    public LaneSpec spec() {
        return SPEC;
    }

    /** This host, with the address at which the agent's processes reach it. */
    @Override
    public Site near() {
        return near;
    }

    /** The agent's host. Its clock belongs measured anew before and after a run: {@link AgentSite#measureClock}. */
    @Override
    public AgentSite far() {
        return far;
    }

    /** Null also where neither host tells how fast the link is, and nobody has given it. */
    @Override
    public LaneLink link() {
        return link;
    }

    /** "remote (agent at 10.0.0.2:7410)". */
    @Override
    public String label() {
        return SPEC.label() + " (" + far.name() + ")";
    }

    /** Leaves the agent, which ends what still runs there. */
    @Override
    public void close() {
        far.connection().close();
    }
}
