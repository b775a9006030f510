package dev.msgrelay.server.cli;

import static dev.msgrelay.server.cli.Form.*;
import static dev.msgrelay.server.config.RelayOption.*;

import dev.msgrelay.protocol.text.SecretText;
import dev.msgrelay.server.access.AccessPolicy;
import dev.msgrelay.server.config.JournalConfig;
import dev.msgrelay.server.config.ListenConfig;
import dev.msgrelay.server.config.ProxyConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.config.RelayOption;
import dev.msgrelay.server.net.Transport;
import dev.msgrelay.server.tls.TlsFiles;
import dev.msgrelay.server.tls.TlsProvider;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * All settings, one row for each. A row has a {@link RelayOption} with name and default, or the name of a setting that
 * only the command has; the form of the value; and the text for the help, the manual and the completion. Flag, key of
 * the file and variable of the environment follow from the name.
 */
final class Settings {
    static final String CONFIG = "config";
    static final String CHECK_CONFIG = "check-config";
    static final String ADMIN = "admin";
    static final String ADMIN_TOKEN = "admin-token";
    static final String JSON = "json";
    static final String PROGRESS = "progress";

    // The keys are the headings of the help text; the values are names of settings.
    private final Map<String, List<String>> sections = new LinkedHashMap<>();
    private List<String> names;
    // The keys are options' names. The values are the options' builders, what the options set, and the built options.
    private final Map<String, OptionSpec.Builder> rows = new LinkedHashMap<>();
    private final Map<String, RelayOption<Object>> targets = new LinkedHashMap<>();
    private final Map<String, OptionSpec> options = new LinkedHashMap<>();

    Settings() {
        section("Configuration");
        addOwn(CONFIG, FILE)
                .description("Reads options, and the access rules, from a file with lines such as log-size = 64m. A "
                        + "flag overrides RELAY_LOG_SIZE of the environment, which overrides the file. SIGHUP reloads "
                        + "the file, and so does POST /reload at the admin port.");
        addOwn(CHECK_CONFIG, FLAG)
                .description("Checks the whole configuration, and ends: code 0, or 2 with file and line.");

        section("Listening");
        add(BIND, text("ADDRESS"))
                .description("Address to listen on. An address beyond this host needs an access block in the file of "
                        + "--config, or --insecure. auto: all addresses where there is one of them, else 127.0.0.1; "
                        + "the default in the image.");
        add(INSECURE, FLAG)
                .description("Listen beyond this host although every client there may publish and read everything. A "
                        + "reload that finds no access block any more needs it too.");
        add(PUBLISH_PORT, PORT).description("TCP port for publishers, or none; 0: any free one.");
        add(SUBSCRIBE_PORT, PORT).description("TCP port for subscribers, or none; 0: any free one.");
        add(PUBLISH_SOCKET, PATH)
                .description("Unix socket for publishers, beside the port: the fast path on one host.");
        add(SUBSCRIBE_SOCKET, PATH).description("Unix socket for subscribers, beside the port.");
        add(SOCKET_MODE, text("MODE"))
                .description("Permissions of the sockets' files, as 0660: clients need to write. Default: the umask of "
                        + "the process decides.");
        add(SOCKET_GROUP, text("GROUP"))
                .description("Group of the sockets' files, by name or number. Default: the group of the process.");
        add(PROXY_PROTOCOL, word(ProxyConfig.Mode.class))
                .description(
                        "Whether proxies in front of the TCP ports, those of TLS too, send the PROXY protocol (1 or "
                                + "2), which tells the address of each client: ${COMPLETION-CANDIDATES}. required: connections "
                                + "come from --proxy-from alone. Unix sockets and the admin port never take it.");
        add(PROXY_FROM, NETWORKS)
                .description("Addresses or networks of the proxies, as 10.1.0.0/16; with --proxy-protocol=required.");
        add(TRANSPORT, word(Transport.class))
                .description("The system's interface for sockets: ${COMPLETION-CANDIDATES}.");
        add(LOCAL_CONGESTION, Form.CONGESTION)
                .description("Congestion control of connections whose client is on this host: auto, system, or a name "
                        + "that the kernel gives. auto: the first of cubic and reno that there is, since bbr halves "
                        + "the speed of a link without a queue. system: the system's default. Needs epoll. A client "
                        + "in a container with an address of its own counts as elsewhere.");
        add(RelayOption.CONGESTION, Form.CONGESTION)
                .description("Congestion control of connections whose client is elsewhere: system, or a name. Needs "
                        + "epoll.");
        add(RelayOption.EVENT_LOOPS, Form.EVENT_LOOPS)
                .description("Threads that read, order and send. One does it all. Of several, the first reads and "
                        + "orders, the others send. auto: one thread below 4 processor cores, two from 4 on, three "
                        + "from 8 on.");
        add(READER_LOOPS, NUMBER)
                .description("Threads that only read plain publishers, whose messages then go through the ring. "
                        + "Publishers that want acknowledgements stay with the first event loop.");

        section("Stream and memory");
        add(LOG_SIZE, SIZE)
                .description("Bytes that a subscriber may fall behind; a multiple of 512k. Default: 16m, or what "
                        + "--max-body needs.");
        add(RING_SIZE, SIZE)
                .description("Bytes that may wait between publishers and the log; a power of two. Default: 4m, or what "
                        + "--max-body needs.");
        add(STATE, SIZE)
                .description("Also keeps the newest message of each type, in this much memory: a subscriber may start "
                        + "with the state (start = state), and then gets the stream. A type takes 70 bytes with a "
                        + "body of up to 28, and 70 more for each further 60. When it is full, the types that have "
                        + "been silent longest are forgotten. At least one of the longest messages.%n  Default: no "
                        + "state.");
        add(STATE_TYPES, TYPES)
                .description("Types that --state keeps, as 1-99,500. Others cannot push them out.%n  Default: every "
                        + "type.");
        add(CONFLATE_AFTER, SIZE)
                .description(
                        "A subscriber that has asked for the policy latest, and is more than this behind, gets the "
                                + "newest message of each of its types instead of all of them. 1k to 1g.");
        add(MAX_BODY, SIZE)
                .description("Longest body of a message. The relay closes the connection of a publisher that sends a "
                        + "longer one.");
        add(MTU, SIZE)
                .paramLabel("BYTES")
                .description("MTU of the links. A packet is 40 bytes smaller, for the IP and TCP headers. 9000: jumbo "
                        + "frames.");

        section("Journal");
        add(JOURNAL, DIR)
                .description("Also keeps the stream in this directory, so that it survives the relay: a restarted "
                        + "relay continues after the last message. The log may be ahead of the journal by --log-size, "
                        + "then publishers wait.%n  Default: no journal; the stream ends with the relay.");
        add(JOURNAL_SEGMENT, SIZE)
                .description("Size of the journal's files. The journal drops one file at a time. The longest frame may "
                        + "have three quarters of it.");
        addOwn(JOURNAL_KEEP.name(), SIZE_OR_TIME)
                .defaultValue(SIZE_OR_TIME.written(JOURNAL_KEEP.usual().orElseThrow()))
                .description("Size of the stream to keep, such as 100g; the disk needs room for three segments more, "
                        + "or the relay does not start. Or a time, such as 12h or 7d: then the size is not checked, "
                        + "and publishers wait when the disk is full.");
        add(JOURNAL_FORCE, TIME)
                .description("Interval at which written messages are forced to the disk. Written messages survive the "
                        + "relay, forced messages survive the machine.");
        add(JOURNAL_FAILURE, word(JournalConfig.Failure.class))
                .description("What to do when the disk fails (the relay waits for a full disk): "
                        + "${COMPLETION-CANDIDATES}. exit: the relay stops, with code 4. memory: it continues without "
                        + "a journal.");

        section("Cluster");
        add(CLUSTER, FILE)
                .description("Makes this relay a node of a cluster: the block cluster { ... } of the file names the "
                        + "nodes. Options beside the block are read like those of --config. Needs relay-cluster.%n  "
                        + "Default: a single relay.");
        add(NODE, NUMBER).description("The number of this node in the cluster; from 1 on, with --cluster only.");

        section("Clients");
        add(SLOW_SUBSCRIBER, POLICY)
                .description("What to do when the log is about to overwrite bytes that a subscriber has not read: "
                        + "${COMPLETION-CANDIDATES}. disconnect: the subscriber is cut off; backpressure: publishers "
                        + "wait; skip: it misses messages; replay: it gets them from the journal.");
        add(ALLOW_POLICIES, POLICIES)
                .description("Policies that subscribers may ask for in HELLO, beside that of --slow-subscriber. A "
                        + "subscriber that asks for another policy gets the one of --slow-subscriber, and so does one "
                        + "that asks for replay without a journal. latest, which is for relays with --state, has to be "
                        + "asked for.");
        add(HEARTBEAT, TIME)
                .description("Interval of PINGs to clients that sent HELLO. A client may ask for another interval.");
        add(IDLE_TIMEOUT, TIME).description("The relay closes a client that sent HELLO and is silent for this time.");
        add(HANDSHAKE_TIMEOUT, TIME)
                .description("Time for a client to complete a HELLO that it has begun, or a TLS handshake.");
        add(MAX_CONNECTIONS, NUMBER).description("Most publishers and subscribers together; further ones are refused.");
        add(MAX_PUBLISHERS, NUMBER).description("Most publishers; further ones are refused.");
        add(PEER_TIMEOUT, TIME)
                .description("The relay closes a client whose host acknowledges nothing for this time, because it was "
                        + "switched off or its link is cut. TCP only, as far as the system can; at least 2s.");
        add(STALL_TIMEOUT, TIME)
                .description("The relay closes a subscriber that makes publishers (backpressure) or other readers of "
                        + "the journal wait, and reads nothing for this time.");
        add(DRAIN_TIMEOUT, TIME).description("Time for subscribers to read the rest of the stream after SIGTERM.");

        section("Limits");
        add(PIN_SIZE, SIZE)
                .description("Memory of the log that slow subscribers may keep from reuse. Beyond it the subscribers "
                        + "that lag most are cut off. At least 1m and the longest frame. Default: 16m, or what "
                        + "--max-body needs.");
        add(ASSEMBLY_SIZE, SIZE)
                .description("Memory for frames that have arrived in part. If it is used up, the relay does not read "
                        + "the next publisher until its turn comes. At least two of the longest frames. Default: 32m, or "
                        + "what --max-body needs.");
        add(FILTER_SIZE, SIZE).description("Memory for writes to subscribers that chose types.");
        add(REPLAY_SIZE, SIZE)
                .description("Memory for pages read from the journal, about a megabyte for each subscriber. If it is "
                        + "used up, the next subscriber waits its turn. With --journal only. Default: 32m, or what "
                        + "--max-body needs.");
        add(CONTROL_SIZE, SIZE)
                .description("Java heap for the control frames and type ranges of all clients together.");
        add(CONTROL_SIZE_PER_CONNECTION, SIZE)
                .description("The part of --control-size that one client may use. At least 32k.");
        add(FRAME_TIMEOUT, TIME)
                .description("A begun frame must be complete within this time, or have brought --min-rate for each "
                        + "second of it; then the time starts anew. Otherwise the relay closes the connection. Time "
                        + "in which the relay does not read the connection does not count.");
        add(MIN_RATE, SIZE).description("Least bytes a second of a frame under way; see --frame-timeout.");
        add(MAX_PER_ADDRESS, NUMBER)
                .showDefaultValue(Help.Visibility.NEVER)
                .description("Most connections of one address (IPv6: of one /64 network); further ones are refused.%n  "
                        + "Default: as many as --max-connections.");
        add(HANDSHAKES_PER_ADDRESS, NUMBER)
                .description("Most connections that one address may open in a second; further ones are refused.");
        add(REPLAYS_PER_ADDRESS, NUMBER)
                .description("Starts in the journal, or with the state, that subscribers of one address may make in "
                        + "a second; a further one waits for its turn, and in the journal is refused after 3s. A start "
                        + "that the log has is not counted.");
        add(MAX_HEARTBEAT, TIME)
                .description("Longest heartbeat interval that a client gets, even if it asks for a longer one.");
        add(PUBLISHER_SILENCE, TIME)
                .description("The relay closes a publisher without HELLO that sends nothing for this time, since "
                        + "nothing else shows whether the publisher is still there. 0: never.");
        add(NAME_HOLD, TIME)
                .description("Time for which a name stays reserved for its last acknowledged publisher after the end "
                        + "of the connection. A cluster allows only 30s.%n  Default: 10s, in a cluster 30s.");

        section("TLS");
        addOwn("tls-cert", FILE)
                .description("The relay's certificate, PEM, followed by those of intermediate authorities. With it and "
                        + "--tls-key the relay listens for TLS 1.3, on ports beside the plain ones.");
        addOwn("tls-key", FILE).description("The certificate's private key, PEM, PKCS#8, not encrypted.");
        addOwn("tls-clients", FILE).description("Authorities, PEM: a client must show a certificate of one of them.");
        addOwn("tls-clients-optional", FLAG)
                .description("With --tls-clients: a client without a certificate may connect, too; one with a wrong "
                        + "certificate may not.");
        add(TLS_PUBLISH_PORT, PORT).description("TCP port for publishers with TLS, or none; 0: any free one.");
        add(TLS_SUBSCRIBE_PORT, PORT).description("TCP port for subscribers with TLS, or none; 0: any free one.");
        add(TLS_PROVIDER, word(TlsProvider.class))
                .description("The TLS library: ${COMPLETION-CANDIDATES}. auto: BoringSSL where it is available, else "
                        + "the JDK's.");
        add(TLS_SIZE, SIZE)
                .description("Memory for all TLS connections: 74k for each, and 66k more in each direction while it is "
                        + "busy. If it is used up, further connections are refused. At least 1m.");

        section("Admin port");
        addOwn(ADMIN, text("ADDRESS"))
                .description("Address of the admin port, which shows the relay's state by HTTP: a page, /metrics, "
                        + "/health/live, /health/ready, /connections, /config, /events. none: no admin port. Beyond "
                        + "loopback it needs TLS, as https://0.0.0.0:7402, and --admin-token.%n  Default: "
                        + "127.0.0.1:7402, and no admin port if that is taken.");
        addOwn(ADMIN_TOKEN, text("HASH"))
                .description("The hash, sha256:HEX, of the token that requests to the admin port must show: as "
                        + "'Authorization: Bearer TOKEN', or as the password in a browser. /health needs no token. "
                        + "POST /reload needs the token as Bearer, and does what SIGHUP does.");
        addOwn("metrics-names", text("N|NAME,..."))
                .defaultValue("0")
                .description("At /metrics, the lag and rate of subscribers by name: of the N that are furthest behind, "
                        + "or of those with these names; at most 1,000. 0: no client makes a series.");
        addOwn("health", text("ADDRESS:PORT"))
                .description("A further port for /health/live and /health/ready alone, in the clear and without a "
                        + "token: for probes and load balancers. :7403 is port 7403 of all addresses, 7403 that of "
                        + "127.0.0.1.");

        section("Output");
        addOwn(JSON, FLAG)
                .description("Prints everything on standard output as one JSON object a line, the log and errors too.");
        addOwn(PROGRESS, TIME)
                .arity("0..1")
                .fallbackValue("10s")
                .description("Prints a line of figures at this interval: rates, connections, lag. 10s if no time is "
                        + "given; at least 1s.%n  Default: no such lines; with --json the event stats, every second.");
        addOwn("quiet", FLAG)
                .description("With --json: no event stats, unless --progress is given. Else it changes nothing.");
        addOwn("connections", TIME)
                .arity("0..1")
                .fallbackValue("10s")
                .description("Prints a table of all connections at this interval, with --json a line for each. 10s if "
                        + "no time is given; at least 1s.");

        section("Help");
        names.addAll(List.of("help", "version"));
    }

    private void section(String heading) {
        names = new ArrayList<>();
        sections.put(heading, names);
    }

    /** Adds a setting that only the command has. */
    private OptionSpec.Builder addOwn(String name, Form<?> form) {
        names.add(name);
        rows.put(name, form.option("--" + name));
        return rows.get(name);
    }

    /** Adds an option of the relay. If its default follows from other options, the description states the default. */
    @SuppressWarnings("unchecked") // an option's value has its form's type
    private <T> OptionSpec.Builder add(RelayOption<? super T> option, Form<T> form) {
        targets.put(option.name(), (RelayOption<Object>) option);
        OptionSpec.Builder row = addOwn(option.name(), form);
        option.usual().ifPresent(value -> row.defaultValue(form.written(value)));
        return row;
    }

    /** Adds an option for each row to a command, which parses the values. */
    void addTo(CommandSpec command) {
        rows.forEach((name, row) -> {
            options.put(name, row.build());
            command.addOption(options.get(name));
        });
    }

    String helpText(Help help) {
        StringBuilder text = new StringBuilder();
        sections.forEach((heading, in) -> {
            // Made for the options of all sections, so that columns have one width under every heading.
            Help.Layout layout = help.createDefaultLayout(help.commandSpec().options(), List.of(), help.colorScheme());
            in.forEach(name ->
                    layout.addOption(help.commandSpec().findOption("--" + name), help.parameterLabelRenderer()));
            text.append("\n" + heading + ":\n" + layout);
        });
        return text.toString();
    }

    /** The value of a setting, with the type in its row; null if it is not set and has no default. */
    <T> T value(String name) {
        return options.get(name).getValue();
    }

    /** Whether {@code --bind auto} means only this host, because there are no access rules. */
    boolean isShutIn(boolean access) {
        return value(BIND.name()).equals(AUTO) && !access && !this.<Boolean>value(INSECURE.name());
    }

    /**
     * The relay's configuration.
     *
     * @param access the rights of clients, if there is an access block
     * @throws IllegalArgumentException a value is wrong; the message begins with the setting's name and value
     */
    RelayConfig config(Optional<AccessPolicy> access) {
        RelayConfig.Builder config = RelayConfig.builder();
        targets.forEach((name, option) -> config.set(option, value(name)));
        if (value(JOURNAL_KEEP.name()) instanceof Duration time) {
            config.set(JOURNAL_KEEP_TIME, time);
        } else {
            config.set(JOURNAL_KEEP, value(JOURNAL_KEEP.name()));
        }
        if (value(BIND.name()).equals(AUTO)) {
            config.set(BIND, isShutIn(access.isPresent()) ? ListenConfig.DEFAULT_HOST : "0.0.0.0");
        }
        return config.set(ACCESS, access.orElse(null))
                .set(TLS_FILES, tlsFiles())
                .build();
    }

    /** The files of TLS; null if there is no TLS. */
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
