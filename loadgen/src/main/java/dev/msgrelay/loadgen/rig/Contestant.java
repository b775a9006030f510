package dev.msgrelay.loadgen.rig;

import dev.msgrelay.loadgen.plan.Access;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;

/**
 * The thing between publishers and subscribers: our relay, the plain relay, a relay elsewhere, or something that sends
 * by itself. Publishers and subscribers are the same for each, so that two results differ by the contestant alone.
 */
public interface Contestant {
    String name();

    /** The kinds of its connections, for people: "TCP" or "Unix sockets in, TCP out". */
    default String transport(Load load) {
        return Contestants.transport(load.transport().isUnixIn(), load.unix());
    }

    /** Whether it serves more than one run, each with new connections. */
    default boolean stays() {
        return false;
    }

    /** The policy for slow subscribers, which explains losses. */
    default Policy policy() {
        return Policy.BACKPRESSURE;
    }

    /** Starts the contestant, and waits until it listens. */
    Started start(Children children, Load load) throws IOException, RunException, InterruptedException;

    /**
     * A contestant that listens.
     *
     * @param process process of the contestant; null where it runs elsewhere
     * @param publish endpoint of publishers; null where the contestant sends by itself, by the window
     * @param admin admin port of a relay that runs elsewhere, or null
     */
    record Started(Child process, Endpoint publish, Endpoint subscribe, Access access, AdminPort admin) {
        public Started(Child process, Endpoint publish, Endpoint subscribe) {
            this(process, publish, subscribe, Access.OPEN, null);
        }

        boolean sendsByItself() {
            return publish == null;
        }
    }
}
