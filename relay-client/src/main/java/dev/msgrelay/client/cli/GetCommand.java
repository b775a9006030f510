package dev.msgrelay.client.cli;

import dev.msgrelay.client.ReconnectPolicy;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.client.StateView;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.cli.ExitCodes;
import dev.msgrelay.protocol.cli.ShortHelp;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.protocol.text.MessagePrinter;
import dev.msgrelay.protocol.text.PrintableText;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code relay-client get}: the state of a relay, once. Owned by the main thread. */
@ShortHelp(
        examples = {
            "relay-client get --type 7",
            "relay-client get --types 1-99 --json",
            "relay-client get --types 1-99 --tls-ca ca.pem relay.example:7410"
        })
@Command(
        name = "get",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Prints the newest message of a type, or of each of several types, and ends. The relay must keep"
                + " its state (--state).",
        footer = {
            "",
            "Exit code 0: there is at least one. 4: there is none. 5: the relay has forgotten a part of its state, and"
                    + " what is missing is not known; what it has is printed."
        })
final class GetCommand implements Callable<Integer> {
    private static final int MOST_RANGES = 8;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--type",
            paramLabel = "T",
            converter = PublishInput.MessageType.class,
            description = "The newest message of this type, decimal or hexadecimal.")
    private Integer type;

    @Option(
            names = "--types",
            paramLabel = "RANGES",
            description =
                    "The newest message of each of these types, such as 7,100-199 (negative ones: --types=-5--1).")
    private TypeRanges types;

    @Option(names = "--json", description = "Print one JSON object a line, as subscribe --json does.")
    private boolean json;

    @Option(names = "--hex", description = "Print the body always in hex.")
    private boolean hex;

    @Option(
            names = "--max-body",
            paramLabel = "SIZE",
            defaultValue = "1m",
            converter = PublishInput.SizeConverter.class,
            description =
                    "Longest body; a longer one ends the command. Bytes, or such as 64k or 4m. Default: ${DEFAULT-VALUE}.")
    private int maxBody;

    @Option(names = "--token-file", paramLabel = "FILE", description = SessionOptions.TOKEN_FILE_WORDS)
    private Path tokenFile;

    @Mixin
    private EndpointOptions where;

    private final long mostBytes;

    GetCommand() {
        this(StateView.DEFAULT_BYTES);
    }

    /** @param mostBytes limit of the state, as {@link StateView} counts it */
    GetCommand(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    @Override
    public Integer call() throws IOException {
        List<Endpoint> endpoints = where.endpoints(Context.SUBSCRIBE, "127.0.0.1:7400", 7410);
        where.check("--max-body", maxBody, 0, FrameLayout.MAX_MAX_BODY);
        where.refuse(type != null && types != null, "--type and --types exclude each other");
        where.refuse(type == null && types == null, "--type or --types says what to get");
        where.refuse(json && hex, "--json and --hex exclude each other");
        Token token = SessionOptions.token(tokenFile, where.context());
        Answer answer = new Answer(mostBytes);
        try (RelaySubscriber subscriber = RelaySubscriber.open(options(endpoints, token, answer.view))) {
            while (!answer.isThere) {
                if (subscriber.poll(answer::onMessage) < 0) {
                    throw new EOFException("the relay closed the connection before its state was complete");
                }
            }
        } catch (IllegalStateException e) {
            if (!answer.isThere) {
                throw new IOException("the state is too large for one command, get fewer types: " + e.getMessage(), e);
            }
        } catch (IOException e) {
            if (!answer.isThere) {
                throw e;
            }
        }
        PrintWriter out = spec.commandLine().getOut();
        MessagePrinter printer = new MessagePrinter(out, json, hex);
        answer.bodies.forEach((of, body) -> printer.print(answer.sequences.get(of), of, body));
        out.flush();
        if (!answer.isWhole) {
            throw new CodedException(ExitCodes.NOT_WHOLE, "not whole: the relay has forgotten a part of its state");
        }
        if (answer.bodies.isEmpty()) {
            throw new CodedException(
                    ExitCodes.MISSED,
                    type != null ? "no message of type " + type : "no message of the types " + types.text(MOST_RANGES));
        }
        return ExitCodes.DONE;
    }

    private SubscriberOptions options(List<Endpoint> endpoints, Token token, StateView view) throws IOException {
        try {
            SubscriberOptions.Builder options = SubscriberOptions.builder(endpoints)
                    .types(types != null ? types : TypeRanges.of(type, type))
                    .fromState()
                    .view(view)
                    .maxBody(maxBody)
                    .connectTimeout(where.connectTimeout())
                    .handshakeTimeout(where.connectTimeout())
                    .reconnect(ReconnectPolicy.none())
                    .token(token)
                    .onGap(gap -> {})
                    .onEvent(this::event);
            where.tls().ifPresent(options::tls);
            return options.build();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private void event(SessionEvent event) {
        if (event instanceof SessionEvent.StateLate || event instanceof SessionEvent.CertificateEnds) {
            PrintWriter err = spec.commandLine().getErr();
            err.println(PrintableText.line(event.text()));
            err.flush();
        }
    }

    /** The state as it was at its end: whatever comes behind that in the same read changes nothing. */
    private static final class Answer {
        private final StateView view;
        private final Map<Integer, Long> sequences = new HashMap<>();
        private final Map<Integer, ByteBuffer> bodies = new TreeMap<>();
        private boolean isThere;
        private boolean isWhole;

        private Answer(long mostBytes) {
            view = new StateView(mostBytes, (next, types) -> complete());
        }

        private void onMessage(long sequence, int of, ByteBuffer body) {
            if (!isThere) {
                sequences.put(of, sequence);
            }
        }

        private void complete() {
            if (!isThere) {
                isThere = true;
                isWhole = view.whole();
                view.types().forEach(of -> bodies.put(of, view.get(of).orElseThrow()));
            }
        }
    }
}
