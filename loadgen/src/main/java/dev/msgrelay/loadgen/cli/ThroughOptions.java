package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.host.PathMtu;
import dev.msgrelay.loadgen.run.Clients;
import dev.msgrelay.loadgen.run.Contestant;
import dev.msgrelay.loadgen.run.Contestants;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.RelayContestant;
import dev.msgrelay.loadgen.worker.Tls;
import dev.msgrelay.protocol.net.Endpoint;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What lies between publishers and subscribers: which relay and how it is started, or something else. */
final class ThroughOptions extends ContestantFit {
    private static final int MAX_BUFFER = 64 << 20;

    /** How a relay of the run's own is started. */
    private static final List<String> START =
            List.of("--transport", "--event-loops", "--mtu", "--journal", "--relay-arg", "--relay-java-opts");

    /** How to speak TLS with one that runs already. */
    private static final List<String> TLS = List.of("--tls-ca", "--tls-cert", "--tls-key", "--tls-name");

    /** Which relay it is, and what is known of it. */
    private static final List<String> WHICH = List.of("--connect", "--connect-subscribe", "--slow-subscriber");

    @Mixin
    private RelayStartOptions start;

    @Option(names = "--mtu", paramLabel = "BYTES", description = "Of the relay (the relay's default).")
    private Integer mtu;

    @Option(
            names = "--connect",
            paramLabel = "HOST:PORT",
            description = "Publish to a relay that already runs, instead of starting one; or unix:/path.")
    private String connect;

    @Option(
            names = "--connect-subscribe",
            paramLabel = "HOST:PORT",
            description = "Where to subscribe with --connect (the same host, one port below).")
    private String connectSubscribe;

    @Option(
            names = "--tls-ca",
            paramLabel = "FILE",
            description = "With --connect: speak TLS, and trust the authorities of this file, PEM, and no others.")
    private Path tlsCa;

    @Option(
            names = "--tls-cert",
            paramLabel = "FILE",
            description = "With --connect: speak TLS, and show this certificate, PEM; with --tls-key.")
    private Path tlsCert;

    @Option(
            names = "--tls-key",
            paramLabel = "FILE",
            description = "The certificate's private key, PEM, PKCS#8, not encrypted.")
    private Path tlsKey;

    @Option(
            names = "--tls-name",
            paramLabel = "NAME",
            description = "With --connect: the name that the relay's certificate has to be for (the endpoint's host).")
    private String tlsName;

    @Option(
            names = "--through",
            paramLabel = "WHAT",
            description =
                    "What lies between: relay; plain, the plain relay of the ceilings; direct, pre-packed frames to one subscriber that only counts; nothing, the"
                            + " publisher straight to one subscriber (${DEFAULT-VALUE}).")
    private Through through = Through.RELAY;

    @Option(
            names = "--buffer",
            paramLabel = "BYTES",
            description = "Of the reads of plain, or of the writes of direct (one segment of the path).")
    private Integer buffer;

    Contestant contestant(Load load) {
        String what = "--through " + through;
        boolean buffers = through == Through.PLAIN || through == Through.DIRECT;
        refuse(buffer != null && !buffers, "--buffer needs --through plain or direct");
        if (through == Through.RELAY) {
            return relay(load);
        }
        // All that speaks of a relay.
        Stream.of(WHICH, START, TLS).forEach(options -> exclude(options, what));
        if (buffer != null) {
            within("--buffer", buffer, 1, MAX_BUFFER);
        }
        refuse(load.slow().count() > 0, "--slow-readers need a relay that knows policies, not " + what);
        refuse(through == Through.NOTHING && load.subscribers() != 1, what + " takes one subscriber");
        if (through == Through.DIRECT) {
            checkDirect(load);
        }
        return withoutRelay(load, what, through, buffer == null ? PathMtu.loopbackSegment() : buffer);
    }

    private void checkDirect(Load load) {
        int types = load.content().types();
        refuse(types > 1, "--types " + types + " and --through direct exclude each other");
        refuse(
                load.subscribers() != 1 || load.isChecked(),
                "--through direct takes one subscriber that only counts: give --check none");
        refuse(load.rate() > 0, "--rate " + load.rate() + " and --through direct exclude each other");
        refuse(load.writeSize() > 0, "--write-size and --through direct exclude each other: give --buffer");
    }

    /** The load, over TLS where it is said how. */
    Load overTls(Load load) {
        refuse((tlsCert == null) != (tlsKey == null), "--tls-cert and --tls-key go together");
        boolean given = TLS.stream().anyMatch(this::isGiven);
        refuse(
                given && load.clients().kind() == Clients.Kind.RAW && isGiven("--client"),
                "--tls-ca and the like and --client raw exclude each other");
        return given ? load.withTls() : load;
    }

    private Contestant relay(Load load) {
        refuse(connect == null && connectSubscribe != null, "--connect-subscribe needs --connect");
        if (connect == null) {
            TLS.forEach(option -> refuse(
                    isGiven(option),
                    option + " needs --connect: a relay of a run's own gets a certificate of its own"));
            List<String> args = start.arguments(mtu);
            checkJournal(load, "--journal %s", args);
            return new RelayContestant(args, start.jvmOptions());
        }
        exclude(START, "--connect");
        exclude(List.of("--unix"), "--connect");
        Endpoint publish = publish();
        Endpoint subscribe = subscribe(publish);
        refuse(load.tls() && (publish.isUnix() || subscribe.isUnix()), "--tls is for TCP, not for --connect unix:");
        return Contestants.remote(
                publish, subscribe, start.policy(), load.tls() ? new Tls(tlsCa, tlsCert, tlsKey, tlsName) : null);
    }

    private Endpoint subscribe(Endpoint publish) {
        if (connectSubscribe != null) {
            return parsed("--connect-subscribe: ", connectSubscribe, Endpoint::parse);
        }
        refuse(publish.port() < 2, "--connect " + connect + " has no port below; give --connect-subscribe too");
        return publish.withPort(publish.port() - 1);
    }

    /**
     * The load as the relay gets it, and with what it does to slow subscribers: one that runs already says by its addresses
     * whether they are Unix sockets.
     */
    Load asConnected(Load load) {
        Load through = load.withPolicy(start.policy());
        if (connect == null) {
            return through;
        }
        Endpoint publish = publish();
        return through.withUnix(publish.isUnix() && subscribe(publish).isUnix());
    }

    private Endpoint publish() {
        return parsed("--connect: ", connect, Endpoint::parse);
    }
}
