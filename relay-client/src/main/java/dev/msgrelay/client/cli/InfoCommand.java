package dev.msgrelay.client.cli;

import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.protocol.cli.ExitCodes;
import dev.msgrelay.protocol.cli.ShortHelp;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.protocol.text.Durations;
import dev.msgrelay.protocol.text.PrintableText;
import dev.msgrelay.protocol.text.TextWidth;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code relay-client ping} and {@code info}: one line for each endpoint, or one for each fact. Owned by one thread.
 */
final class InfoCommand {
    private static final String FORBIDDEN = "may not";
    private static final String SOME = "some; the relay does not say which";
    private static final String UNTOLD =
            "not told to a publisher; the relay refuses a message of a type that is not allowed";
    private static final String OLDER = "not told: the relay is older than this";
    private static final String DONE_WORDS =
            "Exit code 0: each endpoint has answered, and this client may do something.";
    private static final int ROUND_TRIPS = 5;
    private static final int PUBLISH = 7401;
    private static final int PUBLISH_TLS = 7411;

    /** {@code relay-client ping}. */
    @ShortHelp(
            examples = {
                "relay-client ping",
                "relay-client ping relay.example",
                "relay-client ping --tls-ca ca.pem relay.example:7410"
            })
    @Command(
            name = "ping",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = "Asks each endpoint once: the relay's name and version, what this client may do there, its"
                    + " stream's epoch and newest message, and the time of an answer. Nothing is published.",
            footer = {
                "",
                "The round trip is the shortest of 5 requests of a subscriber. A port of publishers answers HELLO only;"
                        + " its time includes that of connecting.",
                "",
                DONE_WORDS
            })
    static final class Ping implements Callable<Integer> {
        @Mixin
        private InfoCommand all;

        @Option(
                names = "--idle",
                paramLabel = "TIME",
                description = "Then say nothing on a connection of a subscriber for this time, such as 10m, not even"
                        + " heartbeats, and ask again: finds what cuts idle connections on the way. At most 59m.")
        private Duration idle;

        @Override
        public Integer call() throws IOException, InterruptedException {
            all.idle = Optional.ofNullable(idle);
            return all.run(true);
        }
    }

    /** {@code relay-client info}. */
    @ShortHelp(
            examples = {
                "relay-client info",
                "relay-client info --json relay.example",
                "relay-client info --tls-ca ca.pem relay.example:7410"
            })
    @Command(
            name = "info",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = "Asks each endpoint once, as ping does, and prints all that the relay says of itself.",
            footer = {"", DONE_WORDS})
    static final class Info implements Callable<Integer> {
        @Mixin
        private InfoCommand all;

        @Option(
                names = "--path",
                description =
                        "Also look at what stands between, over a second connection: MTU of the local interface,"
                                + " congestion control of what this client sends (where ss can be asked), TLS and days until the"
                                + " relay's certificate ends, and, for publishers without TLS, whether the end of one direction is passed on.")
        private boolean path;

        @Override
        public Integer call() throws IOException, InterruptedException {
            all.path = path;
            return all.run(false);
        }
    }

    @Spec(Spec.Target.MIXEE)
    private CommandSpec mixee;

    @Mixin
    private EndpointOptions where;

    @Option(names = "--token-file", paramLabel = "FILE", description = SessionOptions.TOKEN_FILE_WORDS)
    private Path tokenFile;

    @Option(names = "--json", description = "Print one JSON object a line for each endpoint.")
    private boolean json;

    private boolean path;

    private Optional<Duration> idle = Optional.empty();

    private int run(boolean inOneLine) throws IOException, InterruptedException {
        List<Endpoint> subscribe = where.endpoints(Context.SUBSCRIBE, "127.0.0.1:7400", 7410);
        // The same ones, where the command line names them.
        List<Endpoint> publish =
                where.areGiven() ? List.of() : where.endpoints(Context.PUBLISH, "127.0.0.1:" + PUBLISH, PUBLISH_TLS);
        List<Endpoint> endpoints = new ArrayList<>(subscribe);
        endpoints.addAll(publish);
        Token token = SessionOptions.token(tokenFile, where.context());
        idle.ifPresent(time -> where.check("--idle", time, IdleProbe.LONGEST));
        PrintWriter out = mixee.commandLine().getOut();
        boolean allAnswer = true;
        boolean anyWelcome = false;
        for (int i = 0; i < endpoints.size(); i++) {
            Endpoint endpoint = endpoints.get(i);
            Role likely = i >= subscribe.size() ? Role.PUBLISHER : usualRole(endpoint);
            Probe probe = Probe.of(endpoint, likely, token, where.tls(), where.connectTimeout(), ROUND_TRIPS);
            if (probe instanceof Probe.Failed failed && !failed.isForbidden()) {
                allAnswer = false;
                out.flush();
                PrintWriter err = mixee.commandLine().getErr();
                err.println(mixee.qualifiedName() + ": "
                        + PrintableText.line(endpoint + ": " + failed.fault().getMessage()));
                err.flush();
                continue;
            }
            anyWelcome |= probe instanceof Probe.Answered;
            Map<String, Object> facts = facts(probe);
            if (path && probe instanceof Probe.Answered answered) {
                addPath(facts, answered, token);
            }
            out.println(json ? json(facts) : inOneLine ? line(facts) : lines(facts));
            out.flush();
            if (idle.isPresent() && probe.role() == Role.SUBSCRIBER && probe instanceof Probe.Answered) {
                allAnswer &= survives(endpoint, token, idle.get());
            }
        }
        return allAnswer && anyWelcome ? ExitCodes.DONE : ExitCodes.FAILED;
    }

    private boolean survives(Endpoint endpoint, Token token, Duration time) throws IOException {
        PrintWriter out = mixee.commandLine().getOut();
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("endpoint", endpoint.toString());
        facts.put("idleMillis", time.toMillis());
        String outcome;
        try {
            double millis = millis(IdleProbe.roundTrip(endpoint, token, where.tls(), time, where.connectTimeout()));
            facts.put("roundTripMillis", millis);
            outcome = "idle for " + Durations.format(time) + ", then answered in " + millis + " ms";
        } catch (IOException e) {
            outcome = String.valueOf(e.getMessage());
            facts.put("fault", outcome);
        }
        out.println(json ? json(facts) : PrintableText.line(endpoint + ": " + outcome));
        out.flush();
        return !facts.containsKey("fault");
    }

    /** What the second connection shows; what ends it too early stands where the rest would be. */
    private void addPath(Map<String, Object> facts, Probe.Answered probe, Token token) throws IOException {
        try {
            PathProbe.add(
                    facts, probe.endpoint(), probe.role(), token, where.tls(), where.connectTimeout(), Instant.now());
        } catch (IOException e) {
            facts.put("pathFault", String.valueOf(e.getMessage()));
        }
    }

    /** The role of a port by its number: publishers have two of their own by default. */
    static Role usualRole(Endpoint endpoint) {
        boolean publishes = !endpoint.isUnix() && (endpoint.port() == PUBLISH || endpoint.port() == PUBLISH_TLS);
        return publishes ? Role.PUBLISHER : Role.SUBSCRIBER;
    }

    /** What is known, by its name in JSON, in order. */
    private static Map<String, Object> facts(Probe probe) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("endpoint", probe.endpoint().toString());
        String verb = probe.role() == Role.PUBLISHER ? "publish" : "subscribe";
        if (probe instanceof Probe.Answered answered) {
            addFacts(facts, verb, answered);
        } else if (probe instanceof Probe.Failed failed) {
            facts.put(FORBIDDEN, verb);
            facts.put("because", failed.fault().getMessage());
        }
        return facts;
    }

    private static void addFacts(Map<String, Object> facts, String verb, Probe.Answered probe) {
        WelcomeFrame welcome = probe.welcome();
        facts.put("relay", welcome.server());
        facts.put("may", verb);
        // WELCOME tells a subscriber whether it gets every type, and nobody which ones.
        facts.put("types", probe.role() == Role.PUBLISHER ? UNTOLD : welcome.grants(Features.NARROWED) ? SOME : "all");
        boolean tells = welcome.grants(Features.PEER);
        facts.put("address", tells ? welcome.address() : OLDER);
        facts.put("identity", tells ? welcome.identity() : OLDER);
        // 64 random bits are a text: what reads JSON's numbers as doubles would round them, and find another epoch.
        facts.put("epoch", Long.toString(welcome.epoch()));
        facts.put("head", welcome.next() - 1);
        if (probe.roundTripNanos() > 0) {
            facts.put("roundTripMillis", millis(probe.roundTripNanos()));
        }
        facts.put("welcomeMillis", millis(probe.welcomeNanos()));
        facts.put("maxBody", welcome.maxBody());
        facts.put("heartbeatMillis", welcome.heartbeatMillis());
        facts.put("idleTimeoutMillis", welcome.idleTimeoutMillis());
        facts.put("maxRanges", welcome.maxRanges());
        if (welcome.policy() != Policy.RELAY_DEFAULT) {
            facts.put("policy", welcome.policy().name().toLowerCase(Locale.ROOT));
        }
    }

    private static String line(Map<String, Object> facts) {
        String first = facts.get("endpoint") + ": ";
        if (facts.containsKey(FORBIDDEN)) {
            return PrintableText.line(first + FORBIDDEN + " " + facts.get(FORBIDDEN) + ": " + facts.get("because"));
        }
        Object trip = facts.get("roundTripMillis");
        String types = SOME.equals(facts.get("types")) ? " some types" : "";
        return PrintableText.line(first + facts.get("relay") + ", may " + facts.get("may") + types + seen(facts)
                + ", epoch "
                + facts.get("epoch") + ", newest message " + facts.get("head") + ", "
                + (trip != null ? "round trip " + trip : "welcome after " + facts.get("welcomeMillis")) + " ms");
    }

    /** The client as the relay sees it; empty: the relay does not say. */
    private static String seen(Map<String, Object> facts) {
        Object identity = facts.get("identity");
        Object address = facts.get("address");
        return OLDER.equals(address) ? "" : (identity.equals("") ? "" : " as " + identity) + " from " + address;
    }

    private static String lines(Map<String, Object> facts) {
        return facts.entrySet().stream()
                .filter(one -> !one.getValue().equals(""))
                .map(one -> TextWidth.left(one.getKey(), 18)
                        + PrintableText.line(one.getValue().toString()) + "\n")
                .collect(Collectors.joining());
    }

    private static String json(Map<String, Object> facts) {
        StringBuilder line = new StringBuilder();
        facts.forEach((name, value) -> {
            line.append(line.length() == 0 ? "{\"" : ",\"").append(name.equals(FORBIDDEN) ? "mayNot" : name);
            line.append("\":").append(value instanceof String ? "\"" : "");
            PrintableText.appendEscaped(line, value.toString());
            line.append(value instanceof String ? "\"" : "");
        });
        return line.append('}').toString();
    }

    /** Milliseconds to a thousandth. */
    private static double millis(long nanos) {
        return Math.round(nanos / 1e3) / 1e3;
    }
}
