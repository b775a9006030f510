package dev.msgrelay.client.cli;

import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.client.RelayPublisher;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.cli.ExitCodes;
import dev.msgrelay.protocol.cli.ShortHelp;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.protocol.text.PrintableText;
import dev.msgrelay.protocol.text.ShortText;
import dev.msgrelay.protocol.text.TextFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Stack;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code relay-client publish}. Owned by the main thread, which reads and publishes; on Ctrl-C the shutdown thread ends
 * the run instead, since the main thread may be within a read of the terminal.
 */
@ShortHelp(
        examples = {
            "relay-client publish --message hello",
            "relay-client publish --ack --name orders --file orders.txt --type 7",
            "relay-client publish --json --tls-ca ca.pem relay.example:7411"
        },
        options = {
            "Messages: ENDPOINT --message --file --json --type",
            "Delivery: --ack --name --rate",
            "Connection: --tls-ca --token-file --context"
        })
@Command(
        name = "publish",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Publishes messages: those of --message, or each line of stdin or a file, or as --json, --frames, --raw or --chunk say.",
            "Waits while the relay is slower than the input. Ends when the relay has read all of it; with --ack, when all is"
                    + " acknowledged; with --plain, when all is handed to the kernel."
        },
        footer = {
            "",
            "A line goes out without its end (LF or CR LF); an empty line is a message without a body, which at a relay"
                    + " with --state removes its type from the state, as --delete does.",
            "A sum on stderr ends the run; its bytes are those of the bodies.",
            "",
            "The client says HELLO, makes a lost connection again, and reports the state of the connection on stderr."
                    + " Without --ack, messages under way may be lost with a connection: the sum says how many are in doubt,"
                    + " since the relay has not confirmed that it has read them.",
            "",
            "Ctrl-C and SIGTERM end the run: it waits once for the relay, at most --stall-timeout. A second one ends at once."
        })
final class PublishCommand implements Callable<Integer> {
    private static final String DEFAULT_ENDPOINT = "127.0.0.1:7401";
    private static final int DEFAULT_TLS_PORT = 7411;

    /** Longest time to close a connection whose messages were waited for before. */
    private static final Duration LONGEST_CLOSE = Duration.ofSeconds(5);

    @Spec
    private CommandSpec spec;

    @Mixin
    private PublishInput messages;

    @Option(
            names = "--ack",
            arity = "0..1",
            paramLabel = "LEVEL",
            preprocessor = BareAck.class,
            completionCandidates = Level.Words.class,
            description =
                    "Keep each message until the relay has acknowledged it, and send it again over a new connection "
                            + "if necessary: no message is lost or taken twice. LEVEL is what an acknowledgement means: the "
                            + "message is in the stream (stream, the default LEVEL), in the relay's journal (written: it "
                            + "survives the end of the relay's process), or on its disk (forced: it survives the end of the "
                            + "machine). The relay counts the messages under --name, which must belong to this publisher "
                            + "alone. With --name and --file, the same command publishes only what the relay has not: the "
                            + "rest of a run that was cut short, even by kill -9, or the lines that the file has gained since. "
                            + "Default name: one made up for this run; the "
                            + "relay keeps a bounded number of names.")
    private Level ack;

    @Option(
            names = "--state",
            paramLabel = "DIR",
            description =
                    "Directory in which --ack keeps a file for each --name: the secret id by which the relay recognises this "
                            + "publisher, and a record of the run. Default: relay-client in $XDG_STATE_HOME, or in "
                            + "~/.local/state.")
    private Path state;

    @ArgGroup
    private Again again;

    /** One of the two. */
    static final class Again {
        @Option(
                names = "--from-start",
                description = "Publish all of --file, even if an earlier run has published it, or a part of it.")
        private boolean fromStart;

        @Option(
                names = "--append",
                description = "Publish only what --file has gained since the last run that ended, even if the relay has"
                        + " lost what that run published.")
        private boolean append;
    }

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "Publish N messages a second. Default: as fast as possible.")
    private Long rate;

    @Option(
            names = "--stall-timeout",
            paramLabel = "TIME",
            defaultValue = "30s",
            description =
                    "Give up when the relay takes and confirms, or with --ack acknowledges, nothing for this time. Default:"
                            + " ${DEFAULT-VALUE}.")
    private Duration stallTimeout;

    @Option(names = "--quiet", description = "Print neither the sum at the end nor the state of the connection.")
    private boolean quiet;

    @Mixin
    private EndpointOptions where;

    @Mixin
    private SessionOptions session;

    private final InputStream stdin;
    private EventPrinter events;
    private long had;
    private long firstNanos;

    PublishCommand(InputStream stdin) {
        this.stdin = stdin;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<Endpoint> endpoints = where.endpoints(Context.PUBLISH, DEFAULT_ENDPOINT, DEFAULT_TLS_PORT);
        Token token = session.token(where.context());
        checkOptions();
        try (Resumption kept = resumption()) {
            events = new EventPrinter(
                    spec.commandLine().getOut(), spec.commandLine().getErr(), false, quiet);
            Resumption resumption = kept;
            OptionalInt exitCode = attempt(endpoints, resumption, token);
            while (exitCode.isEmpty()) {
                resumption = resumption.anew();
                exitCode = attempt(endpoints, resumption, token);
            }
            return exitCode.getAsInt();
        }
    }

    /** Publishes what the relay has not. Returns the exit code; empty: it has lost what it had, and all begins anew. */
    private OptionalInt attempt(List<Endpoint> endpoints, Resumption resumption, Token token)
            throws IOException, InterruptedException {
        try (InputStream input = messages.open(stdin)) {
            FirstConnection first = session.firstConnection(endpoints);
            RelayPublisher publisher = RelayPublisher.open(options(endpoints, resumption, token, first));
            PublishEnd end = new PublishEnd(publisher, proof(), stallTimeout, this::printError);
            Runnable lastWords = () -> {
                events.sumUp();
                if (!first.hasFailed() && !resumption.isRolledBack()) {
                    printError(end.sum());
                }
            };
            // The hook finishes the run itself: the main thread may be within a read of the terminal.
            OnShutdown onShutdown = new OnShutdown(() -> end.stop(lastWords), Duration.ZERO);
            try {
                first.await(stallTimeout, end.stalledText());
                try {
                    publishAll(input, publisher, end, resumption);
                } finally {
                    // Also after a fault of the input: what came before it is published.
                    end.settle();
                }
            } catch (StoppedException e) {
                return OptionalInt.of(ExitCodes.INTERRUPTED);
            } catch (PublishInput.BadInputException e) {
                // In front of the sum, which looks like success.
                RelayClientMain.printFailure(e, spec.commandLine());
                throw new RelayClientMain.ToldException(e);
            } catch (IOException e) {
                if (!resumption.isRolledBack()) {
                    throw e;
                }
            } finally {
                end.finish(lastWords);
                onShutdown.releaseHook();
            }
            if (end.isStopping()) {
                return OptionalInt.of(ExitCodes.INTERRUPTED);
            }
            if (resumption.isRolledBack()) {
                return OptionalInt.empty();
            }
            end.check();
            resumption.recordEnd(had + publisher.messages());
            return OptionalInt.of(ExitCodes.DONE);
        }
    }

    private PublisherOptions options(
            List<Endpoint> endpoints, Resumption resumption, Token token, FirstConnection first) throws IOException {
        try {
            PublisherOptions.Builder options = PublisherOptions.builder(endpoints)
                    .maxBody(messages.maxBody())
                    .name(session.name())
                    .connectTimeout(where.connectTimeout())
                    .handshakeTimeout(where.connectTimeout())
                    .reconnect(session.reconnect())
                    .closeTimeout(stallTimeout.compareTo(LONGEST_CLOSE) < 0 ? stallTimeout : LONGEST_CLOSE)
                    .token(token)
                    .onEvent(event -> {
                        if (first.event(event)) {
                            events.event(event);
                        }
                        resumption.event(event);
                    });
            where.tls().ifPresent(options::tls);
            session.tokenFile(where.context()).ifPresent(options::tokenFile);
            if (session.isPlain()) {
                options.plain();
            }
            if (ack != null) {
                options.acks(session.name().isEmpty() ? SessionOptions.madeUpName("relay-client") : session.name(), ack)
                        .producer(resumption.producer())
                        .firstNumber(resumption.epoch(), 0)
                        .epochs(resumption.epochs());
            }
            return options.build();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    /** The record of a run under a name that the user gave; without a name nothing is kept. */
    private Resumption resumption() throws IOException {
        if (ack == null || session.name().isEmpty() || session.isPlain()) {
            return Resumption.none();
        }
        Path directory = state != null ? state : PublisherState.defaultDirectory(System.getenv());
        Resumption.Again how =
                again == null ? Resumption.Again.MISSING : again.append ? Resumption.Again.NEW : Resumption.Again.ALL;
        try {
            return new Resumption(PublisherState.open(directory, session.name()), messages.name(), how);
        } catch (PublisherState.HeldException e) {
            throw e;
        } catch (IOException e) {
            if (state != null) {
                throw new IOException(
                        "cannot keep the producer id of '" + session.name() + "' in " + directory + ": "
                                + TextFile.fault(e),
                        e);
            }
            printError("cannot keep the producer id of '" + session.name() + "' in " + directory + " ("
                    + TextFile.fault(e) + "): this run cannot be continued if it is cut short");
            return Resumption.none();
        }
    }

    private void checkOptions() {
        messages.check(where);
        where.check("--stall-timeout", stallTimeout, Duration.ofDays(1));
        if (rate != null) {
            where.check("--rate", rate, 1, 1_000_000_000);
        }
        if (again != null && (ack == null || session.name().isEmpty() || messages.file() == null)) {
            throw new ParameterException(
                    spec.commandLine(),
                    (again.append ? "--append" : "--from-start") + " goes with --ack, --name and --file");
        }
    }

    private PublishEnd.Proof proof() {
        if (ack != null) {
            return PublishEnd.Proof.ACKNOWLEDGED;
        }
        return session.isPlain() ? PublishEnd.Proof.NONE : PublishEnd.Proof.CONFIRMED;
    }

    private void publishAll(InputStream input, RelayPublisher publisher, PublishEnd end, Resumption resumption)
            throws IOException, InterruptedException {
        had = resumption.awaitHad(stallTimeout, end.stalledText());
        long[] left = {had};
        if (resumption.streamIsNew()) {
            printError("the relay has another stream than in the last run: "
                    + (had == 0 ? "publishing all of " + messages.file() + " again" : "publishing what is new"));
        }
        if (resumption.lostTo() > 0) {
            printError("the relay no longer has messages " + (had + 1) + " to " + resumption.lostTo() + " of "
                    + messages.file() + ", which it had acknowledged in an earlier run: publishing them again");
        }
        checkBeginning(resumption.toCheck(had));
        messages.read(input, (type, array, offset, length) -> {
            resumption.countMessage(array, offset, length);
            if (left[0] > 0) {
                left[0]--;
                if (resumption.isOther()) {
                    throw otherFile(had - left[0], had);
                }
                return;
            }
            if (publisher.messages() == 0) {
                tellHad();
                firstNanos = System.nanoTime();
            }
            if (rate != null) {
                awaitDue(publisher.messages());
            }
            publish(publisher, end, type, array, offset, length);
        });
        messages.passedOver().forEach(this::printError);
        if (left[0] > 0) {
            throw new IOException("the relay has " + ShortText.counted(had, "message") + " of " + messages.file()
                    + " from an earlier run, and now it has only " + (had - left[0])
                    + ": --from-start publishes it anew");
        }
        if (had > 0 && publisher.messages() == 0) {
            printError("nothing to publish: the relay has all " + ShortText.counted(had, "message") + " of "
                    + messages.file() + "; --from-start publishes them again");
        }
    }

    /**
     * Reads the beginning of the file, if one is expected; throws if it is another one. Of a file that has been
     * replaced a part would be published otherwise.
     */
    private void checkBeginning(PublisherState.Beginning expected) throws IOException, InterruptedException {
        if (expected.messages() == 0) {
            return;
        }
        CRC32C crc = new CRC32C();
        long[] left = {expected.messages()};
        try (InputStream file = messages.open(stdin)) {
            messages.read(file, (type, array, offset, length) -> {
                Resumption.update(crc, array, offset, length);
                if (--left[0] == 0) {
                    throw new CheckedException();
                }
            });
        } catch (CheckedException e) {
            // The rest may be new.
        }
        if (left[0] > 0 || crc.getValue() != expected.crc()) {
            throw otherFile(expected.messages(), had);
        }
    }

    private IOException otherFile(long first, long had) {
        return new IOException(messages.file() + " is not the file of the earlier run: its first "
                + (first == 1 ? "message is another" : first + " messages are others")
                + ". --from-start publishes all of it; --append goes on behind message " + had);
    }

    /**
     * Waits until a message is due, n / rate seconds after the first one. A late one does not delay those behind it.
     */
    private void awaitDue(long n) throws InterruptedException {
        double nanos = (double) TimeUnit.SECONDS.toNanos(1) * n / rate;
        TimeUnit.NANOSECONDS.sleep(firstNanos + (long) nanos - System.nanoTime());
    }

    private void tellHad() {
        if (had > 0) {
            printError("going on with " + messages.file() + " behind its message " + had
                    + ": up to there the relay has it from an earlier run");
        }
    }

    private void publish(RelayPublisher publisher, PublishEnd end, int type, byte[] array, int offset, int length)
            throws IOException, InterruptedException {
        if (end.isStopping()) {
            throw new StoppedException();
        }
        PublishOutcome outcome;
        try {
            outcome = publisher.publish(type, array, offset, length, stallTimeout);
        } catch (IllegalArgumentException e) {
            // The relay's limit may be below --max-body.
            throw new IOException("message " + (publisher.messages() + had + 1) + ": " + e.getMessage(), e);
        }
        if (outcome == PublishOutcome.FULL) {
            throw end.stalled();
        }
        if (outcome == PublishOutcome.CLOSED) {
            throw publisher.failure().orElseGet(StoppedException::new);
        }
    }

    private void printError(String line) {
        if (!quiet) {
            PrintWriter err = spec.commandLine().getErr();
            err.println(PrintableText.line(line));
            err.flush();
        }
    }

    /** Enough of the file is read. */
    private static final class CheckedException extends IOException {
        private static final long serialVersionUID = 1L;
    }

    /** Ctrl-C has closed the publisher. */
    private static final class StoppedException extends IOException {
        private static final long serialVersionUID = 1L;
    }

    /** {@code --ack} takes a level behind {@code =} or a blank; any other word after it is an endpoint. */
    static final class BareAck implements IParameterPreprocessor {
        @Override
        public boolean preprocess(Stack<String> args, CommandSpec of, ArgSpec option, Map<String, Object> info) {
            boolean named = !args.isEmpty() && Level.isFlag(args.peek());
            if (!"=".equals(info.get("separator")) && !named) {
                args.push(Level.STREAM.flag());
            }
            return false;
        }
    }
}
