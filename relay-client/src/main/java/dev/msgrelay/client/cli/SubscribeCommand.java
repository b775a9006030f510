package dev.msgrelay.client.cli;

import dev.msgrelay.client.MessageHandler;
import dev.msgrelay.client.PositionStore;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.cli.ExitCodes;
import dev.msgrelay.protocol.cli.ShortHelp;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.protocol.text.ShortText;
import dev.msgrelay.protocol.text.WatchedOutput;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code relay-client subscribe}. Owned by the main thread; Ctrl-C only closes its connection. */
@ShortHelp(
        examples = {
            "relay-client subscribe",
            "relay-client subscribe --from earliest --until head --types 7,100-199 --json",
            "relay-client subscribe --position audit.position relay.example:7400"
        },
        options = {
            "Messages: ENDPOINT --types --from --position --policy --interval",
            "Output: --json --format --count --until --idle --count-only",
            "Connection: --tls-ca --token-file"
        })
@Command(
        name = "subscribe",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Prints the messages of a relay, or measures their rate.",
            "Ends at --count, --until or --idle, on Ctrl-C, when nobody reads stdout any more, or when there is no connection for good."
        },
        footer = {
            "",
            "The client says HELLO: it knows the messages' numbers, makes a lost connection again, continues where it was,"
                    + " and says on stderr what it missed.",
            "",
            "A report of --count-only is one line on stdout:",
            "  Time for 10000000 msg: 503; speed: 19880715 msg/s; 2147.1 MB/s",
            "The time is in milliseconds; MB are 10^6 bytes and include each message's header of 8 bytes. The clock starts"
                    + " at the first message. A sum on stderr, with the bytes of the bodies, ends the run."
        })
final class SubscribeCommand implements Callable<Integer> {
    private static final String DEFAULT_ENDPOINT = "127.0.0.1:7400";
    private static final int DEFAULT_TLS_PORT = 7410;
    private static final long DEFAULT_REPORT_EVERY = 10_000_000;
    private static final int MOST_RANGES = 8;

    /** Time on Ctrl-C to finish a batch and print the sum; needed only if nobody reads the output. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(2);

    /** Interval of the PINGs with --until: they tell that messages were left out, which ends the run. */
    private static final Duration HEARTBEAT = Duration.ofSeconds(1);

    /** Bytes of one read with --exec: the place is saved between two reads, and commands take their time. */
    private static final int EXEC_BUFFER = 4 << 10;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--types",
            paramLabel = "RANGES",
            description = "Get only these types, such as 7,100-199 (negative ones: --types=-5--1). Default: all.")
    private TypeRanges types = TypeRanges.ALL;

    @Option(
            names = "--from",
            paramLabel = "START",
            description = "Start with new messages (live), the oldest held (earliest), the newest of each type (state),"
                    + " this sequence, the newest 100 (last:100), or those of a time:"
                    + " 15m or 2h ago, or 2026-11-23T05:30:00Z. Without Z it is a time of this machine's clock;"
                    + " it needs a relay with a journal; state needs one with --state. last counts the stream's"
                    + " numbers, and asks for the newest over a second connection. stderr shows the progress of a"
                    + " long replay. Default: live.")
    private Start from;

    @Option(
            names = "--position",
            paramLabel = "FILE",
            description =
                    "Keep the place in this file: the next run goes on behind the last message that was written out;"
                            + " after a kill the messages of about the last second come again, and none is left out. While there"
                            + " is no such file, --from says where to start; --from state is the state of what has changed"
                            + " since, and the place moves once it is complete. For one run at a time.")
    private Path position;

    @Option(
            names = "--policy",
            paramLabel = "POLICY",
            completionCandidates = Policy.Words.class,
            description = "What the relay does when this client reads too slowly: disconnect, backpressure, skip, "
                    + "replay or latest. Replay is from its journal; latest is the newest of each type, with --state. "
                    + "Default: the relay's choice.")
    private Policy policy = Policy.RELAY_DEFAULT;

    @Option(
            names = "--interval",
            paramLabel = "TIME",
            description =
                    "Get what has changed, once in this time. It is the newest of each type, as --policy latest has"
                            + " it; 10ms to 1h, such as 500ms. Default: each message.")
    private Duration interval;

    @Option(
            names = "--durable",
            paramLabel = "LEVEL",
            completionCandidates = Level.Words.class,
            description = "Get a message only once the relay's journal has written it (written: it survives the end of "
                    + "the relay's process), or has it on the disk (forced: it survives the end of the machine). "
                    + "Default: as soon as it is in the stream.")
    private Level durable = Level.STREAM;

    @Option(names = "--count", paramLabel = "N", description = "End after N messages. Default: never.")
    private long count = Long.MAX_VALUE;

    @Mixin
    private EndOptions ends;

    @Option(
            names = "--report-every",
            paramLabel = "N",
            description = "Report after every N messages; 0: never. Default: 10000000 with --count-only, else 0.")
    private Long reportEvery;

    @Mixin
    private OutputOptions output;

    @Option(names = "--quiet", description = "Print neither the sum at the end nor the state of the connection.")
    private boolean quiet;

    @Option(
            names = "--max-body",
            paramLabel = "SIZE",
            defaultValue = "1m",
            converter = PublishInput.SizeConverter.class,
            description =
                    "Longest body; a longer one ends the connection. Bytes, or such as 64k or 4m. Default: ${DEFAULT-VALUE}.")
    private int maxBody;

    @Mixin
    private EndpointOptions where;

    @Mixin
    private SessionOptions session;

    private final WatchedOutput stdout;
    private PrintWriter out;
    private OutputStream bytes;
    private volatile boolean stopped;

    /** @param stdout the bytes below the command's writer */
    SubscribeCommand(WatchedOutput stdout) {
        this.stdout = stdout;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<Endpoint> endpoints = where.endpoints(Context.SUBSCRIBE, DEFAULT_ENDPOINT, DEFAULT_TLS_PORT);
        Token token = session.token(where.context());
        where.check("--max-body", maxBody, 0, FrameLayout.MAX_MAX_BODY);
        out = spec.commandLine().getOut();
        bytes = new BufferedOutputStream(stdout, 1 << 16);
        PrintWriter err = spec.commandLine().getErr();
        EventPrinter events = new EventPrinter(out, err, output.json(), quiet);
        FirstConnection first = session.firstConnection(endpoints);
        Granted granted = new Granted(interval == null ? policy : Policy.LATEST, Optional.ofNullable(interval), err);
        Silence silence = new Silence(waitsFor(), quiet, err);
        Optional<MessageCommand> command = output.command();
        MessageMeter meter = meter(command);
        boolean withState = from != null && from.isState();
        ends.check(
                where,
                session.isPlain(),
                position == null && (from == null || from.isLive()),
                withState,
                policy == Policy.LATEST || interval != null);
        if (interval != null) {
            ends.checkIdle(where, interval);
        }
        where.refuse(
                session.isPlain() && from != null && from.isAsked(),
                "--from last needs numbers, which --plain does without");
        Places places = new Places(
                endpoints, to -> connection(endpoints, token).onEvent(to), () -> session.firstConnection(endpoints));
        ReadUntil until = withState && ends.until().isPresent() ? ReadUntil.endOfState() : until(places);
        boolean isKept = position != null && Files.exists(position);
        // With the state it is that from the kept place on: a relay that has lost messages may have to send it whole.
        Optional<Start> start =
                from == null || isKept && !withState ? Optional.empty() : Optional.of(places.start(from));
        IdleEnd idle = new IdleEnd(ends.idle());
        SubscriberOptions.Builder connection = connection(places.endpoints(), token)
                .onEvent(event -> {
                    if (first.event(event)) {
                        events.event(event);
                        if (!quiet) {
                            granted.event(event);
                        }
                    }
                    silence.event(event);
                    until.event(event);
                    idle.event(event);
                });
        connection.onGap(gap -> {
            events.gap(gap);
            until.gap(gap);
        });
        SubscriberOptions options = options(connection, start, meter, until);
        // Reset: one object may be executed more than once.
        stopped = false;
        try (RelaySubscriber subscriber = RelaySubscriber.open(options)) {
            OnShutdown onShutdown = new OnShutdown(() -> stop(subscriber, command), LAST_WORDS);
            silence.watch(subscriber);
            try {
                receive(meter, subscriber, endpoints, first, until, idle);
            } catch (MessageCommand.EndedException e) {
                if (!stopped) {
                    throw new IOException(e.getMessage(), e);
                }
            } finally {
                silence.stopWatching();
                events.end();
                if (!first.hasFailed()) {
                    meter.tellSum(err, quiet);
                }
                onShutdown.releaseHook();
            }
        }
        return ExitCodes.DONE;
    }

    /** Whether it may be long to the newest message. With an interval it is, at any time between two sendings. */
    boolean tellsProgress() {
        return !quiet && (from != null || position != null) && interval == null;
    }

    /** Where the run ends; asks the relay if that is not a sequence. */
    private ReadUntil until(Places places) throws IOException, InterruptedException {
        if (ends.until().isEmpty()) {
            return ReadUntil.never();
        }
        try {
            return places.until(ends.until().get());
        } catch (StreamQuery.NoTimesException e) {
            throw new ParameterException(spec.commandLine(), "--until: " + e.getMessage(), e);
        }
    }

    private String waitsFor() {
        String place = position != null
                ? "messages behind the place in " + position
                : from == null ? "new messages" : from.words();
        return place + " of "
                + (types.isAll() ? "all types" : "the types " + types.text(MOST_RANGES))
                + (durable == Level.STREAM ? "" : " that are " + durable.flag())
                + (from == null && position == null && !session.isPlain()
                        ? "; --from earliest gets older ones, too"
                        : "");
    }

    /** Ends the subscription; called on the shutdown thread. */
    private void stop(RelaySubscriber subscriber, Optional<MessageCommand> command) {
        stopped = true;
        command.ifPresent(MessageCommand::stop);
        subscriber.close();
    }

    private void receive(
            MessageMeter meter,
            RelaySubscriber subscriber,
            List<Endpoint> endpoints,
            FirstConnection first,
            ReadUntil until,
            IdleEnd idle)
            throws IOException, InterruptedException {
        MessageHandler handler = until.limiting(meter::onMessage);
        boolean tellsProgress = tellsProgress();
        CatchUp catchUp = new CatchUp(out, spec.commandLine().getErr(), output.json());
        int n = 0;
        // The output is looked at without messages, too: events of the connection may have been printed.
        while (!meter.isDone() && n >= 0 && !until.isOver(subscriber.next()) && !idle.isOver() && isRead()) {
            n = idle.poll(subscriber, handler);
            if (n > 0) {
                meter.readEnds();
            }
            if (first.hasFailed()) {
                first.await(Duration.ZERO, "");
            }
            if (tellsProgress) {
                catchUp.update(subscriber.next(), subscriber.head(), System.nanoTime());
            }
        }
        if (!isRead() || meter.isDone() || stopped) {
            return;
        }
        if (until.isOver(subscriber.next())) {
            until.check();
        } else if (idle.isOver()) {
            String counted = count == Long.MAX_VALUE ? "" : ", and --count " + count + " is not reached";
            idle.check(meter.messages() > 0, counted + until.wanted());
        } else {
            String who = endpoints.size() == 1 ? "the relay at " + endpoints.get(0) : "the relay";
            boolean endless = count == Long.MAX_VALUE;
            String wanted = endless ? "" : " of " + ShortText.grouped(count);
            String word = ShortText.plural(endless ? meter.messages() : count, "message");
            throw new EOFException(
                    who + " closed the connection after " + ShortText.grouped(meter.messages()) + wanted + " " + word);
        }
    }

    private MessageMeter meter(Optional<MessageCommand> command) {
        output.check(where);
        if (position != null && output.countsOnly()) {
            throw new ParameterException(
                    spec.commandLine(), "--position goes with messages that are written out, not with --count-only");
        }
        if (position != null && session.isPlain()) {
            throw new ParameterException(spec.commandLine(), "--position needs numbers, which --plain does without");
        }
        where.check("--count", count, 1, Long.MAX_VALUE);
        if (reportEvery != null) {
            where.check("--report-every", reportEvery, 0, Long.MAX_VALUE);
        }
        MessageHandler printer = output.printer(out, bytes);
        if (command.isPresent()) {
            printer = command.get();
        }
        long every = reportEvery != null ? reportEvery : output.countsOnly() ? DEFAULT_REPORT_EVERY : 0;
        boolean sum = output.countsOnly() || !output.json();
        PrintWriter reports = output.addsNothing() ? spec.commandLine().getErr() : out;
        return new MessageMeter(reports, printer, output.json(), sum, count, every == 0 ? Long.MAX_VALUE : every);
    }

    /** The options of a connection, without a place, types and positions. */
    private SubscriberOptions.Builder connection(List<Endpoint> endpoints, Token token) throws IOException {
        try {
            SubscriberOptions.Builder options = SubscriberOptions.builder(endpoints)
                    .maxBody(maxBody)
                    .name(session.name())
                    .durableOnly(durable)
                    .connectTimeout(where.connectTimeout())
                    .handshakeTimeout(where.connectTimeout())
                    .reconnect(session.reconnect())
                    .token(token);
            where.tls().ifPresent(options::tls);
            session.tokenFile(where.context()).ifPresent(options::tokenFile);
            return options;
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private SubscriberOptions options(
            SubscriberOptions.Builder options, Optional<Start> start, MessageMeter meter, ReadUntil until) {
        try {
            options.types(types).policy(policy);
            if (interval != null) {
                options.interval(interval);
            }
            if (session.isPlain()) {
                options.plain();
            }
            if (ends.until().isPresent()) {
                options.heartbeat(HEARTBEAT);
            }
            if (output.command().isPresent()) {
                options.bufferSize(EXEC_BUFFER);
            }
            start.ifPresent(place -> place.apply(options));
            if (position != null) {
                options.positions(new PrintedPositions(PositionStore.file(position), this::isRead, meter, until));
            }
            return options.build();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    /**
     * Flushes the output; returns whether anybody reads it.
     *
     * @throws IOException it cannot be written for another reason
     */
    private boolean isRead() throws IOException {
        try {
            bytes.flush();
        } catch (IOException e) {
            // The output keeps its failure.
        }
        return stdout.isRead(out);
    }
}
