package dev.msgrelay.client.cli;

import dev.msgrelay.client.Endpoint;
import dev.msgrelay.client.PublishOutcome;
import dev.msgrelay.client.PublisherConfig;
import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.client.ReconnectingPublisher;
import dev.msgrelay.client.RelayPublisher;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.FrameLayout;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/**
 * {@code relay-client publish}. Owned by the main thread, which reads and publishes; on Ctrl-C the shutdown thread
 * flushes and tells the sum instead, as the main thread may be deep in a read of the terminal.
 */
@Command(
        name = "publish",
        mixinStandardHelpOptions = true,
        versionProvider = RelayClientMain.Version.class,
        sortOptions = false,
        description = {
            "Reads lines (or pieces of a fixed size) from stdin or a file and publishes each as one message.",
            "Waits while the relay takes less than there is to publish. With --ack, ends when all is acknowledged."
        },
        footer = {
            "",
            "A line goes out without its end (LF or CR LF); an empty line is a message without a body.",
            "At the end, what was published is told on stderr; bytes include each message's header of 8 bytes.",
            "",
            "With --ack, --name, --reconnect or several endpoints it says HELLO, and tells on",
            "stderr what happens to the connection. Without --ack, messages that were under",
            "way when a connection was lost may be lost.",
            "",
            "Exit codes: 0 all of the input was sent, with --ack acknowledged; 1 failure; 2 wrong usage; 130 Ctrl-C."
        })
final class PublishCommand implements Callable<Integer> {
    private static final String DEFAULT_ENDPOINT = "127.0.0.1:7401";

    /** 128 + SIGINT; the JVM, which is shutting down by then, says so itself. */
    private static final int INTERRUPTED = 130;

    @Spec
    private CommandSpec spec;

    @Mixin
    private EndpointOptions where;

    @Mixin
    private SessionOptions session;

    @Option(
            names = "--ack",
            description = "Keep each message until the relay has acknowledged it, and send it again over another"
                    + " connection if need be: nothing is lost, nothing is taken twice. --name is under what the relay"
                    + " counts; it must be this publisher's own. Default: a name made up for this run, of which the relay"
                    + " keeps a bounded number.")
    private boolean ack;

    @Option(
            names = "--type",
            paramLabel = "T",
            defaultValue = "1",
            converter = MessageType.class,
            description = "The messages' type, decimal or 0x...; 0x80000000..0x800000FF are reserved."
                    + " Default: ${DEFAULT-VALUE}.")
    private int type;

    @Option(names = "--file", paramLabel = "F", description = "Read this file instead of stdin.")
    private Path file;

    @Option(
            names = "--chunk",
            paramLabel = "BYTES",
            description = "Cut the input into pieces of this size instead of lines; the last may be shorter.")
    private Integer chunk;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "Publish N messages a second. Default: as fast as it goes.")
    private Long rate;

    @Option(
            names = "--max-body",
            paramLabel = "BYTES",
            defaultValue = "" + FrameLayout.DEFAULT_MAX_BODY,
            description = "A longer line is a failure. Default: ${DEFAULT-VALUE}.")
    private int maxBody;

    @Option(
            names = "--stall-timeout",
            paramLabel = "SECONDS",
            defaultValue = "30",
            description =
                    "Give up when the relay takes, or with --ack acknowledges, nothing for this time. Default: ${DEFAULT-VALUE}.")
    private int stallTimeout;

    @Option(names = "--quiet", description = "Tell neither the sum at the end nor the state of the connection.")
    private boolean quiet;

    private final InputStream stdin;
    private boolean finished; // guarded by this

    PublishCommand(InputStream stdin) {
        this.stdin = stdin;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<Endpoint> endpoints = where.endpoints(DEFAULT_ENDPOINT);
        checkOptions();
        boolean plainOnce = !ack && !session.areGiven() && endpoints.size() == 1;
        PublisherConfig config =
                PublisherConfig.defaults().withMaxBody(maxBody).withConnectTimeout(where.connectTimeout());
        PublisherOptions options = plainOnce ? null : options(endpoints, config);
        try (InputStream input = open()) {
            Outlet outlet = plainOnce
                    ? Outlet.of(RelayPublisher.connect(endpoints.get(0), config))
                    : Outlet.of(ReconnectingPublisher.open(options), ack);
            finished = false;
            // The hook finishes by itself: the main thread may be deep in a read of the terminal.
            OnShutdown onShutdown = new OnShutdown(() -> finish(outlet), Duration.ZERO);
            try {
                publishAll(new BodyReader(input, maxBody), outlet);
                outlet.settle(Duration.ofSeconds(stallTimeout));
            } catch (StoppedException e) {
                return INTERRUPTED;
            } finally {
                finish(outlet);
                onShutdown.done();
            }
            Optional<IOException> failure = outlet.publisher().failure();
            if (failure.isPresent()) {
                throw failure.get();
            }
        }
        return 0;
    }

    private PublisherOptions options(List<Endpoint> endpoints, PublisherConfig config) {
        PrintWriter err = spec.commandLine().getErr();
        EventPrinter events = new EventPrinter(spec.commandLine().getOut(), err, false, quiet);
        try {
            PublisherOptions.Builder options = PublisherOptions.builder(endpoints)
                    .connection(config)
                    .handshakeTimeout(where.connectTimeout())
                    .reconnect(session.reconnect())
                    .onEvent(events::event);
            if (session.isPlain()) {
                options.plain();
            }
            if (ack) {
                options.acks(session.name() != null ? session.name() : madeUpName());
            } else if (session.name() != null) {
                options.name(session.name());
            }
            return options.build();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    /** Two runs at a time must not have the same one. */
    private static String madeUpName() {
        return "relay-client-" + Long.toHexString(new SecureRandom().nextLong());
    }

    private void checkOptions() {
        where.check("--max-body", maxBody, 0, FrameLayout.MAX_MAX_BODY);
        where.check("--stall-timeout", stallTimeout, 1, 24 * 3600);
        if (chunk != null) {
            where.check("--chunk", chunk, 1, maxBody);
        }
        if (rate != null) {
            where.check("--rate", rate, 1, 1_000_000_000);
        }
        if (ControlFrames.isControl(type)) {
            throw new ParameterException(spec.commandLine(), "--type " + ControlFrames.typeName(type) + " is reserved");
        }
    }

    private InputStream open() throws IOException {
        if (file == null) {
            return stdin;
        }
        try {
            return Files.newInputStream(file);
        } catch (NoSuchFileException e) {
            throw new IOException("cannot read " + file + ": no such file", e);
        } catch (AccessDeniedException e) {
            throw new IOException("cannot read " + file + ": permission denied", e);
        } catch (IOException e) {
            throw new IOException("cannot read " + file + ": " + e.getMessage(), e);
        }
    }

    private void publishAll(BodyReader bodies, Outlet outlet) throws IOException, InterruptedException {
        Pace pace = rate == null ? null : new Pace(rate);
        Duration stall = Duration.ofSeconds(stallTimeout);
        BodyReader.Sink sink = (array, offset, length) -> {
            if (pace != null) {
                pace.await();
            }
            PublishOutcome outcome = outlet.publisher().publish(type, array, offset, length, stall);
            if (outcome == PublishOutcome.FULL) {
                throw new IOException(
                        outlet.taker() + (ack ? " acknowledged " : " took ") + "nothing for " + stallTimeout + " s");
            }
            if (outcome == PublishOutcome.CLOSED) {
                throw outlet.publisher().failure().orElseGet(StoppedException::new);
            }
        };
        if (chunk != null) {
            bodies.chunks(chunk, sink);
        } else {
            bodies.lines(sink);
        }
    }

    /** Called by the main thread and on Ctrl-C; the second waits for the first. */
    private synchronized void finish(Outlet outlet) {
        if (finished) {
            return;
        }
        finished = true;
        outlet.publisher().close();
        if (!quiet) {
            PrintWriter err = spec.commandLine().getErr();
            err.println(outlet.sum());
            err.flush();
        }
    }

    /** The publisher was closed by Ctrl-C. */
    private static final class StoppedException extends IOException {
        private static final long serialVersionUID = 1L;
    }

    /** Decimal or hexadecimal, within 32 bits, signed or unsigned. */
    static final class MessageType implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String value) {
            try {
                long number = Long.decode(value);
                if (number >= Integer.MIN_VALUE && number <= 0xFFFFFFFFL) {
                    return (int) number;
                }
            } catch (NumberFormatException e) {
                // Told below, together with what does not fit.
            }
            throw new TypeConversionException("'" + value + "' is no number of 32 bits");
        }
    }
}
