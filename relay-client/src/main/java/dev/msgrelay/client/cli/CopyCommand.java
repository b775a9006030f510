package dev.msgrelay.client.cli;

import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.client.ReconnectPolicy;
import dev.msgrelay.client.RelayPublisher;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.cli.ShortHelp;
import dev.msgrelay.protocol.text.Durations;
import dev.msgrelay.protocol.text.PrintableText;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code relay-client copy}. The main thread reads FROM and publishes to TO: see {@link CopyRun}. */
@ShortHelp(
        examples = {
            "relay-client copy site-a.example:7400 site-b.example:7401 --position b.copy",
            "relay-client copy --from-context a --to-context b --types 7,100-199"
        },
        options = {
            "Messages: FROM TO --types --from --position --count",
            "Safety: --ack --name --stall-timeout",
            "Connection: --from-context --to-context"
        })
@Command(
        name = "copy",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Copies the stream of a relay into another one.",
            "Ends at --count, on Ctrl-C, or when there is no connection for good."
        },
        footer = {
            "",
            "Each message is kept until TO has acknowledged it, and sent again if a connection is lost. With --position the"
                    + " next run goes on where this one ended, however it ended: no message is left out, none comes twice.",
            "FROM and TO must not be one relay, nor lives of one. A circle of several copies cannot be seen: each message"
                    + " would go round for ever. Messages have no time to live and no origin."
        })
final class CopyCommand implements Callable<Integer> {
    private static final Duration LONGEST_STALL = Duration.ofDays(1);
    private static final Duration LONGEST_END = Duration.ofSeconds(30);

    @Spec
    private CommandSpec spec;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "FROM",
            description = "Where the messages come from: the relay's subscribe endpoint, or several with commas between"
                    + " them. Default: subscribe of --from-context.")
    private String from;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "TO",
            description = "Where they go: the relay's publish endpoint, or several. Default: publish of --to-context.")
    private String to;

    @Option(
            names = "--types",
            paramLabel = "RANGES",
            description = "Copy only these types, such as 7,100-199 (negative ones: --types=-5--1). Default: all.")
    private TypeRanges types = TypeRanges.ALL;

    @Option(
            names = "--from",
            paramLabel = "START",
            description =
                    "Start with new messages (live), the oldest that FROM holds (earliest), a sequence, or a time,"
                            + " as subscribe --from. With --position only while there is no such file. Default: live.")
    private Start start;

    @Option(
            names = "--position",
            paramLabel = "FILE",
            description =
                    "Keep the place in FROM beside the number at TO in this file, and go on there. It moves when TO"
                            + " acknowledges, at most ten times a second. For one run at a time.")
    private Path position;

    @Option(
            names = "--ack",
            paramLabel = "LEVEL",
            completionCandidates = Level.Words.class,
            description = "A message counts as copied once it is in TO's stream (stream), or its journal has written it"
                    + " (written), or has it on the disk (forced). Default: stream.")
    private Level ack = Level.STREAM;

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description =
                    "The name under which TO counts the copied messages. Default: that in --position's file, else a"
                            + " random one.")
    private String name = "";

    @Option(names = "--count", paramLabel = "N", description = "End after N messages. Default: never.")
    private long count = Long.MAX_VALUE;

    @Option(
            names = "--stall-timeout",
            paramLabel = "TIME",
            defaultValue = "10m",
            description =
                    "Give up when TO takes or acknowledges nothing for this time, also while its connection is made"
                            + " again. Default: ${DEFAULT-VALUE}.")
    private Duration stallTimeout;

    @Option(
            names = "--max-body",
            paramLabel = "SIZE",
            defaultValue = "1m",
            converter = PublishInput.SizeConverter.class,
            description = "Longest body; a longer one ends the copy. Bytes, or such as 64k or 4m. Default:"
                    + " ${DEFAULT-VALUE}.")
    private int maxBody;

    @Option(
            names = "--reconnect",
            paramLabel = "N",
            description = "Make a connection again after a failure: N rounds through the endpoints, with growing waits;"
                    + " endless; none. Default: a lost connection endlessly, a first one that fails not at all.")
    private ReconnectPolicy reconnect;

    @Option(
            names = "--connect-timeout",
            paramLabel = "TIME",
            defaultValue = "5s",
            description = "Give up connecting, or waiting for WELCOME, after this time. Default: ${DEFAULT-VALUE}.")
    private Duration connectTimeout;

    @Option(
            names = "--from-context",
            paramLabel = "NAME",
            description =
                    "FROM's endpoints, token and TLS by the name of a context, as --context of the other commands."
                            + " RELAY_TOKEN of the environment is not used: it would be shown to both relays.")
    private String fromContext;

    @Option(names = "--to-context", paramLabel = "NAME", description = "The same of TO.")
    private String toContext;

    @Option(names = "--quiet", description = "Print neither the sum at the end nor the state of the connections.")
    private boolean quiet;

    @Override
    public Integer call() throws IOException, InterruptedException {
        CopySide source = side(CopySide.Role.FROM, from, fromContext);
        CopySide target = side(CopySide.Role.TO, to, toContext);
        EndpointOptions.check(spec, "--stall-timeout", stallTimeout, LONGEST_STALL);
        EndpointOptions.check(spec, "--connect-timeout", connectTimeout, Duration.ofHours(1));
        if (start != null && start.isState()) {
            throw new ParameterException(
                    spec.commandLine(), "--from state leaves messages out, and a copy leaves out none");
        }
        if (count < 1) {
            throw new ParameterException(spec.commandLine(), "--count " + count + " is below 1");
        }
        PrintWriter err = spec.commandLine().getErr();
        EventPrinter events = new EventPrinter(spec.commandLine().getOut(), err, false, quiet);
        Optional<CopyFile> file =
                position == null ? Optional.empty() : Optional.of(CopyFile.open(position, name, types));
        try {
            CopyRun run = new CopyRun(file, count, stallTimeout, events, this::printError);
            FirstConnection first = new FirstConnection(target.endpoints().size(), reconnect != null);
            PublisherOptions publishing = publishing(target, file, run, first, events);
            try (RelayPublisher publisher = RelayPublisher.open(publishing)) {
                first.await(stallTimeout, "TO did not answer within " + Durations.format(stallTimeout));
                FirstConnection second = new FirstConnection(source.endpoints().size(), reconnect != null);
                try (RelaySubscriber subscriber =
                        RelaySubscriber.open(subscribing(source, file, run, second, events))) {
                    OnShutdown onShutdown = new OnShutdown(() -> run.stop(subscriber), lastWords());
                    try {
                        return run.copy(subscriber, publisher, second);
                    } finally {
                        events.sumUp();
                        if (!second.hasFailed()) {
                            printError(run.sum());
                        }
                        onShutdown.releaseHook();
                    }
                }
            }
        } finally {
            if (file.isPresent()) {
                file.get().close();
            }
        }
    }

    /** Time on Ctrl-C for what is under way to be acknowledged. */
    private Duration lastWords() {
        return (stallTimeout.compareTo(LONGEST_END) < 0 ? stallTimeout : LONGEST_END).plusSeconds(2);
    }

    private CopySide side(CopySide.Role role, String endpoints, String context) throws IOException {
        try {
            return CopySide.of(
                    role, endpoints, context == null ? Context.NONE : Context.read(context, System.getenv()));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private PublisherOptions publishing(
            CopySide target, Optional<CopyFile> file, CopyRun run, FirstConnection connection, EventPrinter events)
            throws IOException {
        try {
            String own =
                    file.isPresent() ? file.get().name() : name.isEmpty() ? SessionOptions.madeUpName("copy") : name;
            PublisherOptions.Builder options = target.apply(
                            PublisherOptions.builder(target.endpoints()), connectTimeout, policy())
                    .maxBody(maxBody)
                    .name(own)
                    .acks(own, ack)
                    .closeTimeout(Duration.ofSeconds(1))
                    .onEvent(event -> {
                        run.hearTo(event);
                        print(event, connection, events);
                    });
            if (file.isPresent()) {
                CopyFile kept = file.get();
                options.producer(kept.producer())
                        .firstNumber(kept.toEpoch(), kept.continues() ? kept.number() + 1 : 0)
                        .epochs(kept.toEpochs());
            }
            return options.build();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private SubscriberOptions subscribing(
            CopySide source, Optional<CopyFile> file, CopyRun run, FirstConnection connection, EventPrinter events)
            throws IOException {
        try {
            SubscriberOptions.Builder options = source.apply(
                            SubscriberOptions.builder(source.endpoints()), connectTimeout, policy())
                    .maxBody(maxBody)
                    .name(name)
                    .types(types)
                    .onEvent(event -> {
                        run.hearFrom(event);
                        print(event, connection, events);
                    })
                    .onGap(run::miss);
            if (start != null) {
                start.apply(options);
            }
            file.ifPresent(kept -> options.positions(run.places(kept), CopyRun.SAVE_EVERY));
            return options.build();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private ReconnectPolicy policy() {
        return reconnect == null ? ReconnectPolicy.endless() : reconnect;
    }

    private void print(SessionEvent event, FirstConnection connection, EventPrinter events) {
        if (connection.event(event)) {
            events.event(event);
        }
    }

    private void printError(String line) {
        if (!quiet) {
            PrintWriter err = spec.commandLine().getErr();
            err.println(PrintableText.line(line));
            err.flush();
        }
    }
}
