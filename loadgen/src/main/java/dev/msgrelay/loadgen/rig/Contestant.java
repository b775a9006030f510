package dev.msgrelay.loadgen.rig;

import dev.msgrelay.loadgen.plan.Access;
import dev.msgrelay.loadgen.plan.Congestion;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;

/**
 * A contestant is what connects publishers to subscribers: our relay, the plain relay, a relay elsewhere, or a program
 * that sends messages itself. All contestants get the same publishers and subscribers, so that results differ only by
 * the contestant.
 */
public interface Contestant {
    String name();

    /** Describes the kinds of the contestant's connections, for people: "TCP" or "Unix sockets in, TCP out". */
    default String transport(Load load) {
        return Contestants.transport(load.transport().isUnixIn(), load.unix());
    }

    /** Whether the contestant can serve several runs, each with new connections. */
    default boolean stays() {
        return true;
    }

    /** Returns the policy for slow subscribers. It decides whether messages may be missing. */
    default Policy policy() {
        return Policy.BACKPRESSURE;
    }

    /**
     * Returns the TCP congestion control with which the contestant sends to subscribers.
     *
     * @param started this contestant, to which all clients are connected
     */
    default Congestion congestion(Started started) throws RunException, InterruptedException {
        return Congestion.UNKNOWN;
    }

    Started start(Children children, Load load) throws IOException, RunException, InterruptedException;

    /**
     * A contestant that has been started and listens.
     *
     * @param process process of the contestant; null if loadgen did not start it
     * @param publish endpoint for publishers; null if the contestant itself sends messages within the window
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
