package dev.msgrelay.client.cli;

import dev.msgrelay.client.MessageHandler;
import dev.msgrelay.client.ReconnectPolicy;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.protocol.text.Durations;
import dev.msgrelay.protocol.text.MessagePrinter;
import dev.msgrelay.protocol.text.ShortText;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAccessor;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code relay-client subscribe}. Owned by the main thread; Ctrl-C only closes its connection. */
@Command(
        name = "subscribe",
        mixinStandardHelpOptions = true,
        versionProvider = ClientVersion.class,
        sortOptions = false,
        description = {
            "Reads messages and measures their rate, or prints them.",
            "Ends at --count, on Ctrl-C, or when the connection is lost for good."
        },
        footer = {
            "",
            "A report is one line on stdout:",
            "  Time for 10000000 msg: 503; speed: 19880715 msg/s; 2147.1 MB/s",
            "The time is in milliseconds; MB are 10^6 bytes and include each message's header of 8 bytes. The clock starts"
                    + " at the first message. A sum on stderr ends the run.",
            "",
            "With --types, --from, --policy, --durable, --name, --reconnect or several endpoints the client says HELLO: it"
                    + " knows the messages' numbers, continues where it was after a reconnect, and says on stderr what it"
                    + " missed.",
            "",
            "Exit codes: 0 --count was reached; 1 failure; 2 wrong usage; 130 Ctrl-C."
        })
final class SubscribeCommand implements Callable<Integer> {
    private static final String DEFAULT_ENDPOINT = "127.0.0.1:7400";
    private static final int DEFAULT_TLS_PORT = 7410;
    private static final long DEFAULT_REPORT_EVERY = 10_000_000;

    /** Time on Ctrl-C to finish a batch and print the sum; needed only if nobody reads the output. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(2);

    @Spec
    private CommandSpec spec;

    @Mixin
    private EndpointOptions where;

    @Mixin
    private SessionOptions session;

    @Option(
            names = "--types",
            paramLabel = "RANGES",
            converter = Converters.OfRanges.class,
            description =
                    "Get only these types, such as 7,100-199 (negative ones: --types=-5--1). Says HELLO. Default: all.")
    private TypeRanges types;

    @Option(
            names = "--from",
            paramLabel = "START",
            converter = Start.Converter.class,
            description = "Start with new messages (live), the oldest that the relay holds (earliest), the message of "
                    + "this sequence, or those of a time: 2026-11-23T05:30:00Z (without Z: by this machine's clock), "
                    + "or 15m or 2h ago. A time needs a relay with a journal. stderr shows the progress of a long "
                    + "replay. Says HELLO. Default: live.")
    private Start from;

    @Option(
            names = "--policy",
            paramLabel = "POLICY",
            converter = Converters.OfPolicy.class,
            description =
                    "What the relay does when this client reads too slowly: disconnect, backpressure, skip or "
                            + "replay (the client gets the missed messages from the journal). Says HELLO. Default: the relay's choice.")
    private Policy policy;

    @Option(
            names = "--durable",
            paramLabel = "LEVEL",
            converter = Converters.OfLevel.class,
            description = "Get a message only once the relay's journal has written it (written: it survives the end of "
                    + "the relay's process), or has it on the disk (forced: it survives the end of the machine). Says "
                    + "HELLO. Default: as soon as it is in the stream.")
    private Level durable;

    @Option(names = "--count", paramLabel = "N", description = "End after N messages. Default: never.")
    private Long count;

    @Option(
            names = "--report-every",
            paramLabel = "N",
            description = "Report after every N messages; 0: never. Default: 10000000, with --print 0.")
    private Long reportEvery;

    @Option(
            names = "--print",
            description =
                    "Print each message: its sequence where that is known, type, length, and the body as text, or "
                            + "in hex if it is not printable UTF-8.")
    private boolean print;

    @Option(names = "--hex", description = "Print each message, the body always in hex.")
    private boolean hex;

    @Option(
            names = "--json",
            description =
                    "Print one JSON object per line: for each report, message, gap, change of the connection, and at the end.")
    private boolean json;

    @Option(names = "--quiet", description = "Print neither the sum at the end nor the state of the connection.")
    private boolean quiet;

    @Option(
            names = "--max-body",
            paramLabel = "SIZE",
            defaultValue = "1m",
            converter = Converters.OfSize.class,
            description =
                    "Longest body; a longer one ends the connection. Bytes, or such as 64k or 4m. Default: ${DEFAULT-VALUE}.")
    private int maxBody;

    private PrintWriter out;
    private volatile boolean stopped;

    @Override
    public Integer call() throws IOException {
        List<Endpoint> endpoints = where.endpoints(Context.SUBSCRIBE, DEFAULT_ENDPOINT, DEFAULT_TLS_PORT);
        Token token = session.token(where.context());
        where.check("--max-body", maxBody, 0, FrameLayout.MAX_MAX_BODY);
        boolean asksForMore = types != null || from != null || policy != null || durable != null;
        boolean plainOnce = !asksForMore && !session.areGiven() && token.isNone() && endpoints.size() == 1;
        EventPrinter events =
                new EventPrinter(spec.commandLine().getOut(), spec.commandLine().getErr(), json, quiet);
        SubscriberOptions options = options(endpoints, plainOnce, token, events);
        MessageMeter meter = meter();
        // Reset: one object may be executed more than once.
        stopped = false;
        try (RelaySubscriber subscriber =
                plainOnce ? RelaySubscriber.connect(options) : RelaySubscriber.open(options)) {
            OnShutdown onShutdown = new OnShutdown(() -> stop(subscriber), LAST_WORDS);
            try {
                receive(meter, subscriber, endpoints);
            } finally {
                events.end();
                meter.tellSum(spec.commandLine().getErr(), quiet);
                onShutdown.done();
            }
        }
        return 0;
    }

    /** Ends the subscription; called on the shutdown thread. */
    private void stop(RelaySubscriber subscriber) {
        stopped = true;
        subscriber.close();
    }

    private void receive(MessageMeter meter, RelaySubscriber subscriber, List<Endpoint> endpoints) throws IOException {
        MessageHandler handler = meter::onMessage;
        CatchUp catchUp = from == null || quiet
                ? null
                : new CatchUp(out, spec.commandLine().getErr(), json);
        int n = 0;
        while (!meter.isDone() && n >= 0) {
            n = subscriber.poll(handler);
            if (catchUp != null) {
                catchUp.update(subscriber.next(), subscriber.head(), System.nanoTime());
            }
            // Flushed without messages, too: events of the connection may have been printed.
            checkOutput();
        }
        if (!meter.isDone() && !stopped) {
            String who = endpoints.size() == 1 ? "the relay at " + endpoints.get(0) : "the relay";
            String wanted = count == null ? "" : " of " + count;
            String word = ShortText.plural(count == null ? meter.messages() : count, "message");
            throw new EOFException(who + " closed the connection after " + meter.messages() + wanted + " " + word);
        }
    }

    private MessageMeter meter() {
        if (count != null) {
            where.check("--count", count, 1, Long.MAX_VALUE);
        }
        if (reportEvery != null) {
            where.check("--report-every", reportEvery, 0, Long.MAX_VALUE);
        }
        out = spec.commandLine().getOut();
        boolean printing = print || hex;
        MessagePrinter printer = printing ? new MessagePrinter(out, json, hex) : null;
        long most = count == null ? Long.MAX_VALUE : count;
        long every = reportEvery != null ? reportEvery : printing ? 0 : DEFAULT_REPORT_EVERY;
        return new MessageMeter(out, printer, json, most, every == 0 ? Long.MAX_VALUE : every);
    }

    private SubscriberOptions options(List<Endpoint> endpoints, boolean plainOnce, Token token, EventPrinter events)
            throws IOException {
        try {
            SubscriberOptions.Builder options = SubscriberOptions.builder(endpoints)
                    .maxBody(maxBody)
                    .tls(where.tls())
                    .connectTimeout(where.connectTimeout())
                    .handshakeTimeout(where.connectTimeout())
                    .onGap(events::gap);
            if (plainOnce) {
                return options.plain().reconnect(ReconnectPolicy.none()).build();
            }
            options.reconnect(session.reconnect()).token(token).onEvent(events::event);
            if (session.isPlain()) {
                options.plain();
            }
            if (session.name() != null) {
                options.name(session.name());
            }
            if (types != null) {
                options.types(types);
            }
            if (from != null) {
                from.apply(options);
            }
            if (policy != null) {
                options.policy(policy);
            }
            if (durable != null) {
                options.durableOnly(durable);
            }
            return options.build();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    /** Flushes the output, and checks that it is open. */
    private void checkOutput() throws IOException {
        if (out.checkError()) {
            throw new IOException("standard output is closed");
        }
    }

    /**
     * The place to start at.
     *
     * @param sequence {@link #LIVE}, {@link #EARLIEST}, or a sequence
     * @param time a time to start at; null: {@code sequence} counts
     */
    record Start(long sequence, Instant time) {
        private static final long LIVE = 0;
        private static final long EARLIEST = -1;

        void apply(SubscriberOptions.Builder options) {
            if (time != null) {
                options.fromTime(time);
            } else if (sequence == EARLIEST) {
                options.fromEarliest();
            } else if (sequence != LIVE) {
                options.fromSequence(0, sequence);
            }
        }

        /** Converts {@code live}, {@code earliest}, a number from 1, or a time. */
        static final class Converter implements ITypeConverter<Start> {
            @Override
            public Start convert(String value) {
                if (value.equals("live") || value.equals("earliest")) {
                    return new Start(value.equals("live") ? LIVE : EARLIEST, null);
                }
                try {
                    if (value.matches("\\d+")) {
                        long number = Long.parseLong(value);
                        if (number >= 1) {
                            return new Start(number, null);
                        }
                    } else {
                        Instant time = value.contains("T")
                                ? time(value)
                                : Instant.now().minus(Durations.parse(value));
                        if (time.toEpochMilli() >= 1) {
                            return new Start(0, time);
                        }
                    }
                } catch (IllegalArgumentException | DateTimeException | ArithmeticException e) {
                    // Refused below, like numbers below 1 and times before 1970.
                }
                throw new TypeConversionException("'" + value
                        + "' is neither live, nor earliest, nor a number from 1, nor a time after 1970 such as"
                        + " 2026-11-23T05:30:00Z, nor one such as 15m, so long ago");
            }

            private static Instant time(String value) {
                TemporalAccessor read =
                        DateTimeFormatter.ISO_DATE_TIME.parseBest(value, ZonedDateTime::from, LocalDateTime::from);
                return read instanceof LocalDateTime local
                        ? local.atZone(ZoneId.systemDefault()).toInstant()
                        : Instant.from(read);
            }
        }
    }
}
