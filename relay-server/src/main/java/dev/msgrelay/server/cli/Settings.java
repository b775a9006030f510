package dev.msgrelay.server.cli;

import static dev.msgrelay.server.cli.Form.AUTO;
import static dev.msgrelay.server.cli.Form.DIR;
import static dev.msgrelay.server.cli.Form.FILE;
import static dev.msgrelay.server.cli.Form.FLAG;
import static dev.msgrelay.server.cli.Form.NUMBER;
import static dev.msgrelay.server.cli.Form.PATH;
import static dev.msgrelay.server.cli.Form.PORT;
import static dev.msgrelay.server.cli.Form.SIZE;
import static dev.msgrelay.server.cli.Form.TIME;

import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.text.SecretText;
import dev.msgrelay.server.access.AccessPolicy;
import dev.msgrelay.server.config.ClientConfig;
import dev.msgrelay.server.config.JournalConfig;
import dev.msgrelay.server.config.LimitsConfig;
import dev.msgrelay.server.config.ListenConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.config.RelayConfig.Builder;
import dev.msgrelay.server.config.TlsConfig;
import dev.msgrelay.server.net.Transport;
import dev.msgrelay.server.tls.TlsFiles;
import dev.msgrelay.server.tls.TlsProvider;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * All settings, a row each: the name, which is that of the option, of the file's key and of the variable; the method of
 * the {@link RelayConfig.Builder} that takes the value, unless the command itself reads it; the default; and the text
 * for the help, the manual and the completion.
 */
final class Settings {
    static final String CONFIG = "config";
    static final String CHECK_CONFIG = "check-config";
    static final String BIND = "bind";
    static final String INSECURE = "insecure";
    static final String CLUSTER = "cluster";
    static final String ADMIN = "admin";
    static final String ADMIN_TOKEN = "admin-token";
    static final String JSON = "json";
    static final String PROGRESS = "progress";

    // Names by the headings of the help text.
    private final Map<String, List<String>> sections = new LinkedHashMap<>();
    private List<String> names;
    // By their names. A row is an option that is not built yet.
    private final Map<String, OptionSpec.Builder> rows = new LinkedHashMap<>();
    private final Map<String, BiConsumer<Builder, Object>> targets = new LinkedHashMap<>();
    private final Map<String, OptionSpec> options = new LinkedHashMap<>();

    Settings() {
        RelayConfig usual = RelayConfig.builder().build();
        ClientConfig clients = usual.clients();
        LimitsConfig limits = usual.limits();
        JournalConfig journal = usual.journal();
        TlsConfig tls = usual.tls();
        section("Configuration");
        own(CONFIG, FILE)
                .description("Reads options, and the access rules, from a file with lines such as log-size = 64m. A "
                        + "flag overrides RELAY_LOG_SIZE of the environment, which overrides the file. SIGHUP reloads "
                        + "the file, and so does POST /reload at the admin port.");
        own(CHECK_CONFIG, FLAG)
                .description("Checks the whole configuration, and ends: code 0, or 2 with file and line.");

        section("Listening");
        own(BIND, Form.text("ADDRESS"))
                .defaultValue(ListenConfig.DEFAULT_HOST)
                .description("Address to listen on. An address beyond this host needs an access block in the file of "
                        + "--config, or --insecure. auto: all addresses where there is one of them, else 127.0.0.1; "
                        + "the default in the image.");
        row(INSECURE, FLAG, Builder::insecure)
                .description("Listen beyond this host although every client there may publish and read everything. A "
                        + "reload that finds no access block any more needs it too.");
        row("publish-port", PORT, Builder::publishPort, usual.listen().publishPort())
                .description("TCP port for publishers, or none; 0: any free one.");
        row("subscribe-port", PORT, Builder::subscribePort, usual.listen().subscribePort())
                .description("TCP port for subscribers, or none; 0: any free one.");
        row("publish-socket", PATH, Builder::publishSocket)
                .description("Unix socket for publishers, beside the port: the fast path on one host.");
        row("subscribe-socket", PATH, Builder::subscribeSocket)
                .description("Unix socket for subscribers, beside the port.");
        row("socket-mode", Form.MODE, Builder::socketMode)
                .description("Permissions of the sockets' files, as 0660: clients need to write. Default: the umask of "
                        + "the process decides.");
        row("socket-group", Form.text("GROUP"), Builder::socketGroup)
                .description("Group of the sockets' files, by name or number. Default: the group of the process.");
        row("transport", Form.word(Transport.class), Builder::transport, usual.transport())
                .description("The system's interface for sockets: ${COMPLETION-CANDIDATES}.");
        row("event-loops", Form.EVENT_LOOPS, Builder::eventLoops, usual.eventLoops())
                .description("Threads that read, order and send. One does it all. Of several, the first reads and "
                        + "orders, the others send. auto: one thread below 4 processor cores, two from 4 on, three "
                        + "from 8 on.");
        row("reader-loops", NUMBER, Builder::readerLoops, usual.readerLoops())
                .description("Threads that only read plain publishers, whose messages then go through the ring. "
                        + "Publishers that want acknowledgements stay with the first event loop.");

        section("Stream and memory");
        row("log-size", SIZE, Builder::logSize)
                .description("Bytes that a subscriber may fall behind; a multiple of 512k. Default: 16m, or what "
                        + "--max-body needs.");
        row("ring-size", SIZE, Builder::ringSize)
                .description("Bytes that may wait between publishers and the log; a power of two. Default: 4m, or what "
                        + "--max-body needs.");
        row("max-body", SIZE, Builder::maxBody, usual.stream().maxBody())
                .description("Longest body of a message. The relay closes the connection of a publisher that sends a "
                        + "longer one.");
        row("mtu", SIZE, Builder::mtu, usual.stream().mtu())
                .paramLabel("BYTES")
                .description("MTU of the links. A packet is 40 bytes smaller, for the IP and TCP headers. 9000: jumbo "
                        + "frames.");

        section("Journal");
        row("journal", DIR, Builder::journal)
                .description(
                        "Also keeps the stream in this directory, so that it survives the relay: a restarted relay "
                                + "continues after the last message. The log may be ahead of the journal by --log-size, then "
                                + "publishers wait.%n  Default: no journal; the stream ends with the relay.");
        row("journal-segment", SIZE, Builder::journalSegment, journal.segmentBytes())
                .description("Size of the journal's files. The journal drops one file at a time. The longest frame may "
                        + "have three quarters of it.");
        row("journal-keep", Form.SIZE_OR_TIME, Settings::keep, journal.keepBytes())
                .description(
                        "Size of the stream to keep, such as 100g; the disk needs room for three segments more, or "
                                + "the relay does not start. Or a time, such as 12h or 7d: then the size is not checked, and "
                                + "publishers wait when the disk is full.");
        row("journal-force", TIME, Builder::journalForce, journal.force())
                .description("Interval at which written messages are forced to the disk. Written messages survive the "
                        + "relay, forced messages survive the machine.");
        row("journal-failure", Form.word(JournalConfig.Failure.class), Builder::journalFailure, journal.failure())
                .description("What to do when the disk fails (the relay waits for a full disk): "
                        + "${COMPLETION-CANDIDATES}. exit: the relay stops, with code 4. memory: it continues without "
                        + "a journal.");

        section("Cluster");
        own(CLUSTER, FILE)
                .description("Makes this relay a node of a cluster: the block cluster { ... } of the file names the "
                        + "nodes. Options beside the block are read like those of --config. Needs relay-cluster.%n  "
                        + "Default: a single relay.");
        own("node", NUMBER).description("The number of this node in the cluster; from 1 on, with --cluster only.");

        section("Clients");
        row("slow-subscriber", Form.POLICY, Builder::slowSubscriber, clients.slowSubscriber())
                .description("What to do when the log is about to overwrite bytes that a subscriber has not read: "
                        + "${COMPLETION-CANDIDATES}. disconnect: the subscriber is cut off; backpressure: publishers "
                        + "wait; skip: it misses messages; replay: it gets them from the journal.");
        row("allow-policies", Form.POLICIES, Settings::allowPolicies, clients.allowedPolicies())
                .description("Policies that subscribers may ask for in HELLO, beside that of --slow-subscriber. A "
                        + "subscriber that asks for another policy gets the one of --slow-subscriber, and so does one "
                        + "that asks for replay without a journal.");
        row("heartbeat", TIME, Builder::heartbeat, clients.heartbeat())
                .description("Interval of PINGs to clients that sent HELLO. A client may ask for another interval.");
        row("idle-timeout", TIME, Builder::idleTimeout, clients.idleTimeout())
                .description("The relay closes a client that sent HELLO and is silent for this time.");
        row("handshake-timeout", TIME, Builder::handshakeTimeout, clients.handshakeTimeout())
                .description("Time for a client to complete a HELLO that it has begun, or a TLS handshake.");
        row("max-connections", NUMBER, Builder::maxConnections, clients.maxConnections())
                .description("Most publishers and subscribers together; further ones are refused.");
        row("max-publishers", NUMBER, Builder::maxPublishers, clients.maxPublishers())
                .description("Most publishers; further ones are refused.");
        row("peer-timeout", TIME, Builder::peerTimeout, clients.peerTimeout())
                .description("The relay closes a client whose host acknowledges nothing for this time, because it was "
                        + "switched off or its link is cut. TCP only, as far as the system can; at least 2s.");
        row("stall-timeout", TIME, Builder::stallTimeout, usual.stallTimeout())
                .description("The relay closes a subscriber that makes publishers (backpressure) or other readers of "
                        + "the journal wait, and reads nothing for this time.");
        row("drain-timeout", TIME, Builder::drainTimeout, usual.drainTimeout())
                .description("Time for subscribers to read the rest of the stream after SIGTERM.");

        section("Limits");
        row("pin-size", SIZE, Builder::pinBytes)
                .description("Memory of the log that slow subscribers may keep from reuse. Beyond it the subscribers "
                        + "that lag most are cut off. At least 1m and the longest frame. Default: 16m, or what "
                        + "--max-body needs.");
        row("assembly-size", SIZE, Builder::assemblyBytes)
                .description("Memory for frames that have arrived in part. If it is used up, the relay does not read "
                        + "the next publisher until its turn comes. At least two of the longest frames. Default: 32m, or "
                        + "what --max-body needs.");
        row("filter-size", SIZE, Builder::filterBytes, limits.filterBytes())
                .description("Memory for writes to subscribers that chose types.");
        row("replay-size", SIZE, Builder::replayBytes)
                .description("Memory for pages read from the journal, about a megabyte for each subscriber. If it is "
                        + "used up, the next subscriber waits its turn. With --journal only. Default: 32m, or what "
                        + "--max-body needs.");
        row("control-size", SIZE, Builder::controlBytes, limits.controlBytes())
                .description("Java heap for the control frames and type ranges of all clients together.");
        row("control-size-per-connection", SIZE, Builder::controlBytesPerConnection, limits.controlBytesPerConnection())
                .description("The part of --control-size that one client may use. At least 32k.");
        row("frame-timeout", TIME, Builder::frameTimeout, limits.frameTimeout())
                .description("A begun frame must be complete within this time, or have brought --min-rate for each "
                        + "second of it; then the time starts anew. Otherwise the relay closes the connection. Time "
                        + "in which the relay does not read the connection does not count.");
        row("min-rate", SIZE, Builder::minRate, limits.minRate())
                .description("Least bytes a second of a frame under way; see --frame-timeout.");
        row("max-per-address", NUMBER, Builder::maxPerAddress, limits.maxPerAddress())
                .showDefaultValue(Help.Visibility.NEVER)
                .description("Most connections of one address (IPv6: of one /64 network); further ones are refused.%n  "
                        + "Default: as many as --max-connections.");
        row("handshakes-per-address", NUMBER, Builder::handshakesPerSecond, limits.handshakesPerSecond())
                .description("Most connections that one address may open in a second; further ones are refused.");
        row("replays-per-address", NUMBER, Builder::replaysPerSecond, limits.replaysPerSecond())
                .description(
                        "Starts in the journal that subscribers of one address may make in a second; a further one waits for "
                                + "its turn, and is refused after 3s. A start that the log has is not counted.");
        row("max-heartbeat", TIME, Builder::maxHeartbeat, limits.maxHeartbeat())
                .description("Longest heartbeat interval that a client gets, even if it asks for a longer one.");
        row("publisher-silence", TIME, Builder::publisherSilence, limits.publisherSilence())
                .description("The relay closes a publisher without HELLO that sends nothing for this time, since "
                        + "nothing else shows whether the publisher is still there. 0: never.");
        row("name-hold", TIME, Builder::nameHold)
                .description(
                        "Time for which a name stays reserved for its last acknowledged publisher after the end of "
                                + "the connection. A cluster allows only 30s.%n  Default: 10s, in a cluster 30s.");

        section("TLS");
        own("tls-cert", FILE)
                .description("The relay's certificate, PEM, followed by those of intermediate authorities. With it and "
                        + "--tls-key the relay listens for TLS 1.3, on ports beside the plain ones.");
        own("tls-key", FILE).description("The certificate's private key, PEM, PKCS#8, not encrypted.");
        own("tls-clients", FILE).description("Authorities, PEM: a client must show a certificate of one of them.");
        own("tls-clients-optional", FLAG)
                .description("With --tls-clients: a client without a certificate may connect, too; one with a wrong "
                        + "certificate may not.");
        row("tls-publish-port", PORT, Builder::tlsPublishPort, tls.publishPort())
                .description("TCP port for publishers with TLS, or none; 0: any free one.");
        row("tls-subscribe-port", PORT, Builder::tlsSubscribePort, tls.subscribePort())
                .description("TCP port for subscribers with TLS, or none; 0: any free one.");
        row("tls-provider", Form.word(TlsProvider.class), Builder::tlsProvider, tls.provider())
                .description("The TLS library: ${COMPLETION-CANDIDATES}. auto: BoringSSL where it is available, else "
                        + "the JDK's.");
        row("tls-size", SIZE, Builder::tlsBytes, tls.memoryBytes())
                .description("Memory for all TLS connections: 74k for each, and 66k more in each direction while it is "
                        + "busy. If it is used up, further connections are refused. At least 1m.");

        section("Admin port");
        own(ADMIN, Form.text("ADDRESS"))
                .description("Address of the admin port, which shows the relay's state by HTTP: a page, /metrics, "
                        + "/health/live, /health/ready, /connections, /config, /events. none: no admin port. Beyond "
                        + "loopback it needs TLS, as https://0.0.0.0:7402, and --admin-token.%n  Default: "
                        + "127.0.0.1:7402, and no admin port if that is taken.");
        own(ADMIN_TOKEN, Form.text("HASH"))
                .description("The hash, sha256:HEX, of the token that requests to the admin port must show: as "
                        + "'Authorization: Bearer TOKEN', or as the password in a browser. /health needs no token. "
                        + "POST /reload needs the token as Bearer, and does what SIGHUP does.");
        own("metrics-names", Form.text("N|NAME,..."))
                .defaultValue("0")
                .description("At /metrics, the lag and rate of subscribers by name: of the N that are furthest behind, "
                        + "or of those with these names; at most 1,000. 0: no client makes a series.");
        own("health", Form.text("ADDRESS:PORT"))
                .description("A further port for /health/live and /health/ready alone, in the clear and without a "
                        + "token: for probes and load balancers. :7403 is port 7403 of all addresses, 7403 that of "
                        + "127.0.0.1.");

        section("Output");
        own(JSON, FLAG)
                .description("Prints everything on standard output as one JSON object a line, the log and errors too.");
        own(PROGRESS, TIME)
                .arity("0..1")
                .fallbackValue("10s")
                .description(
                        "Prints a line of figures at this interval: rates, connections, lag. 10s if no time is given; "
                                + "at least 1s.%n  Default: no such lines; with --json the event stats, every second.");
        own("quiet", FLAG)
                .description("With --json: no event stats, unless --progress is given. Else it changes nothing.");
        own("connections", TIME)
                .arity("0..1")
                .fallbackValue("10s")
                .description("Prints a table of all connections at this interval, with --json a line for each. 10s if "
                        + "no time is given; at least 1s.");

        section("Help");
        names.addAll(List.of("help", "version"));
    }

    // ---- rows --------------------------------------------------------------------------------------------------

    private void section(String heading) {
        names = new ArrayList<>();
        sections.put(heading, names);
    }

    /** A setting that the command itself reads. */
    private OptionSpec.Builder own(String name, Form<?> form) {
        names.add(name);
        rows.put(name, form.option("--" + name));
        return rows.get(name);
    }

    /** A setting of the relay; its description tells the default, if there is one. */
    @SuppressWarnings("unchecked") // an option's value has its form's type
    private <T> OptionSpec.Builder row(String name, Form<T> form, BiConsumer<Builder, T> target) {
        targets.put(name, (BiConsumer<Builder, Object>) target);
        return own(name, form);
    }

    private <T> OptionSpec.Builder row(String name, Form<T> form, BiConsumer<Builder, T> target, Object byDefault) {
        return row(name, form, target).defaultValue(form.written(byDefault));
    }

    private static void allowPolicies(Builder config, List<Policy> policies) {
        config.allowPolicies(Set.copyOf(policies));
    }

    private static void keep(Builder config, Object sizeOrTime) {
        if (sizeOrTime instanceof Duration time) {
            config.journalKeep(time);
        } else {
            config.journalKeep((Long) sizeOrTime);
        }
    }

    // ---- use ---------------------------------------------------------------------------------------------------

    /** Adds an option for each row to a command, which parses the values. */
    void addTo(CommandSpec command) {
        rows.forEach((name, row) -> {
            options.put(name, row.build());
            command.addOption(options.get(name));
        });
    }

    /** The list of options in the help text, under the headings of their sections. */
    String helpText(Help help) {
        StringBuilder text = new StringBuilder();
        sections.forEach((heading, in) -> {
            // Laid out for all options, so that the columns are equally wide under every heading.
            Help.Layout layout = help.createDefaultLayout(help.commandSpec().options(), List.of(), help.colorScheme());
            in.forEach(name ->
                    layout.addOption(help.commandSpec().findOption("--" + name), help.parameterLabelRenderer()));
            text.append("\n" + heading + ":\n" + layout);
        });
        return text.toString();
    }

    /** The value of a setting, by the type in its row; null: it has none. */
    <T> T value(String name) {
        return options.get(name).getValue();
    }

    /** Whether auto means this host alone, since everybody who gets here might do everything. */
    boolean isShutIn(boolean access) {
        return value(BIND).equals(AUTO) && !access && !this.<Boolean>value(INSECURE);
    }

    /**
     * The relay's configuration.
     *
     * @param access the rights of clients; null: there is no access block
     * @throws IllegalArgumentException the message begins with the setting's name, and has its value and the limit
     */
    RelayConfig config(AccessPolicy access) {
        Builder config = RelayConfig.builder().access(access);
        targets.forEach((name, target) -> {
            if (value(name) != null) {
                target.accept(config, value(name));
            }
        });
        Integer node = value("node");
        String all = isShutIn(access != null) ? ListenConfig.DEFAULT_HOST : "0.0.0.0";
        return config.host(value(BIND).equals(AUTO) ? all : value(BIND))
                .cluster(value(CLUSTER), node == null ? 0 : node)
                .tls(tlsFiles())
                .build();
    }

    /** The files of TLS; null: no TLS. */
    private TlsFiles tlsFiles() {
        Path certificate = value("tls-cert");
        Path key = value("tls-key");
        Path clients = value("tls-clients");
        boolean optional = value("tls-clients-optional");
        if (certificate != null && key == null) {
            throw new IllegalArgumentException(
                    "TLS cert " + SecretText.file(certificate) + " needs its key: --tls-key");
        }
        if (certificate == null && key != null) {
            throw new IllegalArgumentException(
                    "TLS key " + SecretText.file(key) + " needs its certificate: --tls-cert");
        }
        if (certificate == null && clients != null) {
            throw new IllegalArgumentException(
                    "TLS clients " + SecretText.file(clients) + " needs --tls-cert and --tls-key");
        }
        if (clients == null && optional) {
            throw new IllegalArgumentException("TLS clients optional needs --tls-clients");
        }
        return certificate == null ? null : new TlsFiles(certificate, key, clients, optional);
    }
}
