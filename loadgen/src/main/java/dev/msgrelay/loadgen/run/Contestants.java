package dev.msgrelay.loadgen.run;

import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.plain.PlainRelayMain;
import dev.msgrelay.loadgen.plain.PrepackedMain;
import dev.msgrelay.loadgen.run.Contestant.Started;
import dev.msgrelay.loadgen.site.Site;
import dev.msgrelay.loadgen.worker.PublisherMain;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The contestants that are not our relay. */
public final class Contestants {
    static final long READY_NANOS = TimeUnit.SECONDS.toNanos(120);

    private Contestants() {}

    /** The plain relay, with reads of up to {@code bufferSize} bytes; for one publisher. */
    public static Contestant plain(int bufferSize) {
        return new Named("plain relay, " + bufferSize + " bytes", (children, load) -> {
            List<String> args = bind(children, false);
            args.addAll(List.of("--subscribers", "" + load.subscribers(), "--buffer", "" + bufferSize));
            if (load.unix()) {
                args.addAll(List.of("--publish-socket", children.socketPath("plain-publish")));
                args.addAll(List.of("--subscribe-socket", children.socketPath("plain-subscribe")));
            }
            return listening(worker(children, "plain relay", PlainRelayMain.class, args), "ready");
        });
    }

    /** Pre-packed frames of the mean size, in writes of {@code writeSize} bytes, straight to one subscriber. */
    public static Contestant direct(int writeSize) {
        return new Named("direct, " + writeSize + " bytes", (children, load) -> {
            List<String> args = bind(children, false);
            args.addAll(List.of("--body", "" + Math.round(load.body().mean()), "--write-size", "" + writeSize));
            if (load.unix()) {
                args.addAll(List.of("--socket", children.socketPath("direct")));
            }
            return listening(worker(children, "direct", PrepackedMain.class, args), "ready");
        });
    }

    /** Nothing: one publisher, the very same as with a relay, sends straight to one subscriber. */
    public static Contestant none() {
        return new Named("no relay", (children, load) -> {
            List<String> args = bind(children, false);
            args.addAll(Fleet.publisherOptions(load));
            if (load.unix()) {
                args.addAll(List.of("--socket", children.socketPath("publisher")));
            }
            return listening(worker(children, "publisher 0", PublisherMain.class, args), "listening");
        });
    }

    private static Child worker(Children children, String name, Class<?> main, List<String> args) throws IOException {
        return children.startWorker(children.placement().relay(), name, main, args);
    }

    /**
     * Waits until it listens.
     *
     * @param event by which it tells where; one that sends by itself tells of subscribers alone
     */
    static Started listening(Child child, String event) throws RunException, InterruptedException {
        JsonObject told = child.await(event, READY_NANOS);
        String publish = told.getString("publish");
        return new Started(
                child, publish == null ? null : Endpoint.parse(publish), Endpoint.parse(told.getString("subscribe")));
    }

    /** For people: what publishers and subscribers are connected by. */
    static String transport(boolean unixIn, boolean unixOut) {
        String in = unixIn ? "Unix sockets" : "TCP";
        String out = unixOut ? "Unix sockets" : "TCP";
        return in.equals(out) ? in : in + " in, " + out + " out";
    }

    /**
     * Where a contestant listens, as each of them takes it.
     *
     * @param tls for TLS, and for nothing else: our relay
     */
    static List<String> bind(Children children, boolean tls) {
        Site site = children.placement().relay();
        String kind = tls ? "--tls-" : "--";
        List<String> args = new ArrayList<>(List.of("--bind", site.address()));
        if (tls) {
            args.addAll(List.of("--publish-port", "none", "--subscribe-port", "none"));
        }
        args.addAll(List.of(kind + "publish-port", "0"));
        args.addAll(List.of(kind + "subscribe-port", "0"));
        return args;
    }

    @FunctionalInterface
    private interface Starter {
        Started start(Children children, Load load) throws IOException, RunException, InterruptedException;
    }

    private record Named(String name, Starter starter) implements Contestant {
        @Override
        public Started start(Children children, Load load) throws IOException, RunException, InterruptedException {
            return starter.start(children, load);
        }
    }
}
