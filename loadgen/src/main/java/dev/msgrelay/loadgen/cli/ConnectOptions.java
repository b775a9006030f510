package dev.msgrelay.loadgen.cli;

import dev.msgrelay.client.cli.Context;
import dev.msgrelay.loadgen.lane.LinkSpeed;
import dev.msgrelay.loadgen.plan.Access;
import dev.msgrelay.loadgen.plan.Clients;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.rig.AdminPort;
import dev.msgrelay.loadgen.rig.RemoteRelay;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options for a relay that is already running: its addresses, credentials and link. */
final class ConnectOptions extends Options {
    static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    private static final int SUBSCRIBE = 7_400;

    private static final int PUBLISH = 7_401;
    private static final int TLS_SUBSCRIBE = 7_410;
    private static final int TLS_PUBLISH = 7_411;

    /** Options that apply only to a relay that loadgen starts itself. */
    private static final List<String> LOCAL = List.of(
            "--lane", "--relay-arg", "--relay-java-opts", "--no-plain-relay", "--from", "--interval", "--joins");

    @Option(
            names = "--connect",
            paramLabel = "HOST",
            description = "Measure the relay of this host: HOST, HOST:PORT of publishers, or unix:PATH.")
    private String connect;

    @Option(
            names = "--connect-subscribe",
            paramLabel = "HOST",
            description = "The address of subscribers: HOST, HOST:PORT or unix:PATH (one port below).")
    private String connectSubscribe;

    @Option(
            names = "--connect-timeout",
            paramLabel = "TIME",
            description = "Longest time to connect to that relay, and for each of its first answers (5s).")
    private Duration timeout;

    @Option(
            names = "--context",
            paramLabel = "NAME",
            description = "Addresses, token and certificates from NAME.conf, as relay-client reads it.")
    private String context;

    @Option(
            names = "--admin",
            paramLabel = "URL",
            description = "Admin port of that relay; it tells whether the relay or a subscriber was the limit.")
    private String admin;

    @Option(
            names = "--link",
            paramLabel = "SPEED",
            description = "Link to that relay: 1gbe, 10gbe, 25gbe, or a number of Mbit/s; gives the ceiling.")
    private String link;

    boolean areGiven() {
        return connect != null || context != null;
    }

    void check() {
        for (String option : List.of("--connect-subscribe", "--connect-timeout", "--admin", "--link")) {
            refuse(isGiven(option) && !areGiven(), option + " needs --connect");
        }
        if (areGiven()) {
            exclude(LOCAL, connect == null ? "--context" : "--connect");
            refuseZero("--connect-timeout", timeout);
        }
    }

    RemoteRelay relay(Load load, Policy policy) throws IOException {
        Context named = context == null ? null : Context.read(context, System.getenv());
        Access access = access(named, load.clients().tls());
        Endpoint publish = parsed(
                "--connect: ",
                connect == null ? first(named, Context.PUBLISH) : connect,
                text -> publish(text, access.tls()));
        boolean below = connect != null && connectSubscribe == null;
        Endpoint subscribe = parsed(
                "--connect-subscribe: ",
                connectSubscribe != null || below ? connectSubscribe : first(named, Context.SUBSCRIBE),
                text -> below ? oneBelow(publish) : endpoint(text, access.tls() ? TLS_SUBSCRIBE : SUBSCRIBE));
        refuse(access.tls() && (publish.isUnix() || subscribe.isUnix()), "TLS is for TCP, not for unix:");
        Duration longest = timeout == null ? CONNECT_TIMEOUT : timeout;
        return new RemoteRelay(
                publish,
                subscribe,
                policy,
                access,
                longest,
                admin == null ? null : parsed("--admin: ", admin, text -> AdminPort.parse(text, longest)));
    }

    /** Returns the load with the transport and the kind of client that this relay requires. */
    Load through(Load load, RemoteRelay relay) {
        boolean raw = load.clients().kind() == Clients.Kind.RAW;
        refuse(
                relay.access().needsLibrary() && raw && isGiven("--client"),
                "--client raw shows no token and no certificate: --client library does");
        boolean unix = relay.publish().isUnix() && relay.subscribe().isUnix();
        Load there = load.withTransport(unix ? Load.Transport.UNIX : Load.Transport.TCP);
        if (relay.access().tls()) {
            return there.withTls();
        }
        return relay.access().needsLibrary() ? there.withClients(there.clients().ofLibrary()) : there;
    }

    Optional<LinkSpeed> link() {
        return Optional.ofNullable(link).map(text -> parsed("--link: ", text, LinkSpeed::parse));
    }

    private Access access(Context named, boolean tls) {
        if (named == null) {
            return new Access(tls, null, null, null, null, null);
        }
        Path ca = named.path(Context.TLS_CA);
        Path certificate = named.path(Context.TLS_CERT);
        Path key = named.path(Context.TLS_KEY);
        String name = named.value(Context.TLS_NAME);
        refuse((certificate == null) != (key == null), "context " + context + ": tls-cert and tls-key go together");
        boolean speaks = tls || ca != null || certificate != null || name != null;
        return new Access(speaks, ca, certificate, key, name, named.path(Context.TOKEN_FILE));
    }

    private String first(Context named, String key) {
        String value = named.value(key);
        refuse(value == null, "context " + context + " has no line '" + key + " = HOST:PORT': give --connect");
        return value.split("\\s*,\\s*")[0];
    }

    static Endpoint publish(String text, boolean tls) {
        return endpoint(text, tls ? TLS_PUBLISH : PUBLISH);
    }

    private static Endpoint endpoint(String text, int usualPort) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("'' is no host");
        }
        return Endpoint.parse(text, usualPort);
    }

    static Endpoint oneBelow(Endpoint publish) {
        if (publish.port() < 2) {
            throw new IllegalArgumentException(publish + " has no port below; give --connect-subscribe too");
        }
        return publish.withPort(publish.port() - 1);
    }
}
