package dev.msgrelay.loadgen.run;

import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.plain.CPrograms;
import dev.msgrelay.loadgen.plain.PlainRelayMain;
import dev.msgrelay.loadgen.plain.PrepackedMain;
import dev.msgrelay.loadgen.plain.SslHandlerRelayMain;
import dev.msgrelay.loadgen.site.HostSite;
import dev.msgrelay.loadgen.site.Site;
import dev.msgrelay.loadgen.worker.PublisherMain;
import dev.msgrelay.loadgen.worker.Tls;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The contestants that are not our relay. */
public final class Contestants {
    static final long READY_NANOS = TimeUnit.SECONDS.toNanos(20);

    /** Bytes of one read of the relay in C, at most. */
    public static final int MAX_C_READ = 1 << 20;

    private Contestants() {}

    /** The plain relay, with reads of up to {@code bufferSize} bytes; for one publisher. */
    public static Contestant plain(int bufferSize) {
        return new Named("plain relay, " + bufferSize + " bytes", (children, load) -> {
            List<String> args = new ArrayList<>(bind(children));
            args.addAll(List.of("--subscribers", "" + load.subscribers(), "--buffer", "" + bufferSize));
            if (load.unix()) {
                args.addAll(List.of("--publish-socket", children.socketPath("plain-publish")));
                args.addAll(List.of("--subscribe-socket", children.socketPath("plain-subscribe")));
            }
            Child child = children.startWorker(children.placement().relay(), "plain relay", PlainRelayMain.class, args);
            JsonObject ready = child.await("ready", READY_NANOS);
            return new Contestant.Started(
                    child, Endpoint.parse(ready.getString("publish")), Endpoint.parse(ready.getString("subscribe")));
        });
    }

    /**
     * The relay in C, with reads of up to {@code readSize} bytes; on this host. It does not start where there is no
     * compiler, see {@link CPrograms#obstacle}.
     */
    public static Contestant c(int readSize) {
        return new Named("C relay, " + readSize + " bytes", (children, load) -> {
            String any = children.placement().relay().address() + ":0";
            String publish = load.unix() ? "unix:" + children.socketPath("c-publish") : any;
            String subscribe = load.unix() ? "unix:" + children.socketPath("c-subscribe") : any;
            List<String> command = List.of(CPrograms.relay().toString(), publish, subscribe, "" + readSize);
            Child child = children.startCommand("C relay", HostSite.guarded(command));
            JsonObject ready = child.await("ready", READY_NANOS);
            return new Contestant.Started(
                    child, Endpoint.parse(ready.getString("publish")), Endpoint.parse(ready.getString("subscribe")));
        });
    }

    /**
     * The simplest fan-out over TLS that Netty's {@code SslHandler} makes, one thread for all; for one publisher. Like our
     * relay it shows a certificate of its own.
     */
    public static Contestant sslHandler() {
        return new Named("SslHandler relay", (children, load) -> {
            OwnCertificate own = OwnCertificate.at(children.placement().relay().address());
            List<String> args = new ArrayList<>(bind(children));
            args.addAll(certificate(own));
            args.addAll(List.of("--subscribers", "" + load.subscribers()));
            Child child = children.startWorker(
                    children.placement().relay(), "SslHandler relay", SslHandlerRelayMain.class, args);
            JsonObject ready = child.await("ready", READY_NANOS);
            return new Contestant.Started(
                    child,
                    Endpoint.parse(ready.getString("publish")),
                    Endpoint.parse(ready.getString("subscribe")),
                    new Contestant.Doors(own.clients(), null, null));
        });
    }

    /** Pre-packed frames of the mean size, in writes of {@code writeSize} bytes, straight to one subscriber. */
    public static Contestant direct(int writeSize) {
        return new Named("direct, " + writeSize + " bytes", (children, load) -> {
            List<String> args = new ArrayList<>(bind(children));
            args.addAll(List.of("--body", "" + Math.round(load.body().mean()), "--write-size", "" + writeSize));
            if (load.unix()) {
                args.addAll(List.of("--socket", children.socketPath("direct")));
            }
            Child child = children.startWorker(children.placement().relay(), "direct", PrepackedMain.class, args);
            JsonObject ready = child.await("ready", READY_NANOS);
            return new Contestant.Started(child, null, Endpoint.parse(ready.getString("subscribe")));
        });
    }

    /** Nothing: one publisher, the very same as with a relay, sends straight to one subscriber. */
    public static Contestant none() {
        return new Named("no relay", (children, load) -> {
            List<String> args = new ArrayList<>(bind(children));
            args.addAll(Fleet.publisherOptions(load));
            if (load.unix()) {
                args.addAll(List.of("--socket", children.socketPath("publisher")));
            }
            Child child = children.startWorker(children.placement().relay(), "publisher 0", PublisherMain.class, args);
            JsonObject listening = child.await("listening", READY_NANOS);
            return new Contestant.Started(child, null, Endpoint.parse(listening.getString("subscribe")));
        });
    }

    /**
     * A relay that runs already.
     *
     * @param policy what it is known to do with slow subscribers
     * @param tls how to speak TLS with it; null: it has none
     */
    public static Contestant remote(Endpoint publish, Endpoint subscribe, Policy policy, Tls tls) {
        return new Remote(publish, subscribe, policy, tls);
    }

    /** For people: what publishers and subscribers are connected by. */
    static String transport(boolean unixIn, boolean unixOut) {
        String in = unixIn ? "Unix sockets" : "TCP";
        String out = unixOut ? "Unix sockets" : "TCP";
        return in.equals(out) ? in : in + " in, " + out + " out";
    }

    /** Where a contestant listens, as each of them takes it. */
    static List<String> bind(Children children) {
        Site site = children.placement().relay();
        Site.DataPorts ports = site.ports();
        return List.of(
                "--bind",
                site.address(),
                "--publish-port",
                "" + ports.publish(),
                "--subscribe-port",
                "" + ports.subscribe());
    }

    /** Where our relay listens for TLS, and for nothing else. */
    static List<String> bindTls(Children children) {
        Site site = children.placement().relay();
        Site.DataPorts ports = site.ports();
        return List.of(
                "--bind",
                site.address(),
                "--publish-port",
                "none",
                "--subscribe-port",
                "none",
                "--tls-publish-port",
                "" + ports.publish(),
                "--tls-subscribe-port",
                "" + ports.subscribe());
    }

    /** What a contestant shows, as each of them takes it. */
    static List<String> certificate(OwnCertificate own) {
        return List.of(
                "--tls-cert",
                own.certificate().toString(),
                "--tls-key",
                own.key().toString());
    }

    @FunctionalInterface
    private interface Starter {
        Contestant.Started start(Children children, Load load) throws IOException, RunException, InterruptedException;
    }

    private record Named(String name, Starter starter) implements Contestant {
        @Override
        public Started start(Children children, Load load) throws IOException, RunException, InterruptedException {
            return starter.start(children, load);
        }
    }

    private record Remote(Endpoint publish, Endpoint subscribe, Policy policy, Tls tls) implements Contestant {
        @Override
        public String name() {
            return "relay at " + publish;
        }

        @Override
        public boolean stays() {
            return true;
        }

        @Override
        public String transport(Load load) {
            return Contestants.transport(publish.isUnix(), subscribe.isUnix());
        }

        @Override
        public Started start(Children children, Load load) {
            return new Started(null, publish, subscribe, new Doors(tls, null, null));
        }
    }
}
