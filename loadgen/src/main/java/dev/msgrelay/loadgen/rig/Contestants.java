package dev.msgrelay.loadgen.rig;

import dev.msgrelay.loadgen.host.Site;
import dev.msgrelay.loadgen.plan.Congestion;
import dev.msgrelay.loadgen.plan.Job;
import dev.msgrelay.loadgen.plan.Job.Listen;
import dev.msgrelay.loadgen.plan.Job.Listening;
import dev.msgrelay.loadgen.plan.Json;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.rig.Contestant.Started;
import dev.msgrelay.loadgen.worker.Control;
import dev.msgrelay.loadgen.worker.PlainRelayMain;
import dev.msgrelay.loadgen.worker.PrepackedMain;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** The contestants that measure ceilings: the plain relay, and the direct sender. */
public final class Contestants {
    static final long READY_NANOS = TimeUnit.SECONDS.toNanos(120);

    private Contestants() {}

    /** Returns the plain relay, which copies the bytes of one publisher. */
    public static Contestant plain(int bufferSize) {
        return new Named(Cell.PLAIN, PlainRelayMain.class, bufferSize);
    }

    /** Returns a process that sends prepared frames of the mean size to one subscriber, without a relay. */
    public static Contestant direct(int writeSize) {
        return new Named("direct", PrepackedMain.class, writeSize);
    }

    static String transport(boolean unixIn, boolean unixOut) {
        String in = unixIn ? "Unix sockets" : "TCP";
        String out = unixOut ? "Unix sockets" : "TCP";
        return in.equals(out) ? in : in + " in, " + out + " out";
    }

    private record Named(String name, Class<?> main, int bytes) implements Contestant {
        @Override
        public boolean stays() {
            return false;
        }

        @Override
        public Started start(Children children, Load load) throws IOException, RunException, InterruptedException {
            Site site = children.placement().relay();
            Listen listen = new Listen(
                    site.address(),
                    load.transport().isUnixIn() ? children.socketPath("publish") : null,
                    load.unix() ? children.socketPath("subscribe") : null);
            Child child = children.startWorker(site, name, main, Job.inPlaceOfARelay(listen, bytes, load));
            Listening told = Json.read(child.await("ready", READY_NANOS), Listening.class);
            return new Started(child, told.publish(), told.subscribe());
        }

        @Override
        public Congestion congestion(Started started) throws RunException, InterruptedException {
            return Json.read(started.process().await(Control.SOCKETS, READY_NANOS), Congestion.class);
        }
    }
}
