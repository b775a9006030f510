package dev.msgrelay.loadgen.rig;

import dev.msgrelay.loadgen.plan.Access;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;

/**
 * The thing between publishers and subscribers: our relay, the plain relay, a relay elsewhere, or something that sends
 * by itself. Publishers and subscribers are the very same whatever it is, so that two results differ by the contestant only.
 */
public interface Contestant {
    String name();

    /** For people: what its connections are, "TCP" or "Unix sockets in, TCP out". */
    default String transport(Load load) {
        return Contestants.transport(load.transport().isUnixIn(), load.unix());
    }

    /** Whether publishers and subscribers may leave it and come again, so that it stands for more than one run. */
    default boolean stays() {
        return false;
    }

    /** The policy for slow subscribers, by which a loss is explained: most have it wait. */
    default Policy policy() {
        return Policy.BACKPRESSURE;
    }

    /** Starts it and waits until it listens. */
    Started start(Children children, Load load) throws IOException, RunException, InterruptedException;

    /**
     * A contestant that listens.
     *
     * @param process null where it runs elsewhere
     * @param publish where publishers connect; null where the contestant sends by itself and wants to know the window
     * @param admin where a relay that runs elsewhere tells its figures; null: nowhere
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
