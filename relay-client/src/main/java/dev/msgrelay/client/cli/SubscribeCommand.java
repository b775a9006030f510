package dev.msgrelay.client.cli;

import dev.msgrelay.client.Endpoint;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SubscriberConfig;
import dev.msgrelay.protocol.FrameConsumer;
import dev.msgrelay.protocol.FrameLayout;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code relay-client subscribe}. Owned by the main thread; Ctrl-C only closes its connection. */
@Command(
        name = "subscribe",
        mixinStandardHelpOptions = true,
        versionProvider = RelayClientMain.Version.class,
        sortOptions = false,
        description = {
            "Reads messages and measures how fast they come, or prints them.",
            "Ends when --count is reached, when the relay closes the connection (a failure), or on Ctrl-C."
        },
        footer = {
            "",
            "A report is one line on stdout:",
            "  Time for 10000000 msg: 503; speed: 19880715 msg/s; 2147.1 MB/s",
            "Milliseconds; MB are 10^6 bytes and include each message's header of 8 bytes.",
            "The clock starts at the first message. The sum is told on stderr at the end.",
            "",
            "Exit codes: 0 --count was reached; 1 failure; 2 wrong usage; 130 Ctrl-C."
        })
final class SubscribeCommand implements Callable<Integer> {
    private static final String DEFAULT_ENDPOINT = "127.0.0.1:7400";
    private static final long DEFAULT_REPORT_EVERY = 10_000_000;

    /** On Ctrl-C: a batch to finish and the sum to print; long only where nobody reads our output. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(2);

    @Spec
    private CommandSpec spec;

    @Mixin
    private EndpointOptions where;

    @Option(names = "--count", paramLabel = "N", description = "End after N messages. Default: never.")
    private Long count;

    @Option(
            names = "--report-every",
            paramLabel = "N",
            description = "Report after every N messages; 0: never. Default: 10000000, with --print 0.")
    private Long reportEvery;

    @Option(
            names = "--print",
            description = "Print each message: type, length, and the body as text, or in hex where it is not"
                    + " printable UTF-8.")
    private boolean print;

    @Option(names = "--hex", description = "Print each message, the body always in hex.")
    private boolean hex;

    @Option(names = "--json", description = "One JSON object per line: for each report, message, and at the end.")
    private boolean json;

    @Option(names = "--quiet", description = "Do not tell the sum at the end.")
    private boolean quiet;

    @Option(
            names = "--max-body",
            paramLabel = "BYTES",
            defaultValue = "" + FrameLayout.DEFAULT_MAX_BODY,
            description = "A longer body ends the connection. Default: ${DEFAULT-VALUE}.")
    private int maxBody;

    private PrintWriter out;
    private MessagePrinter printer;
    private long most;
    private long interval;
    private long messages;
    private long bytes;
    private long startedAt;
    private long reportedAt;
    private long reportedMessages;
    private long reportedBytes;
    private volatile boolean stopped;

    @Override
    public Integer call() throws IOException {
        Endpoint endpoint = where.endpoint(DEFAULT_ENDPOINT);
        SubscriberConfig config =
                SubscriberConfig.defaults().withMaxBody(checkedMaxBody()).withConnectTimeout(where.connectTimeout());
        prepare();
        try (RelaySubscriber subscriber = RelaySubscriber.connect(endpoint, config)) {
            OnShutdown onShutdown = new OnShutdown(() -> stop(subscriber), LAST_WORDS);
            try {
                receive(subscriber);
            } finally {
                tellSum();
                onShutdown.done();
            }
        }
        return 0;
    }

    /** On the shutdown thread. */
    private void stop(RelaySubscriber subscriber) {
        stopped = true;
        subscriber.close();
    }

    private int checkedMaxBody() {
        where.check("--max-body", maxBody, 0, FrameLayout.MAX_MAX_BODY);
        return maxBody;
    }

    private void prepare() {
        if (count != null) {
            where.check("--count", count, 1, Long.MAX_VALUE);
        }
        if (reportEvery != null) {
            where.check("--report-every", reportEvery, 0, Long.MAX_VALUE);
        }
        out = spec.commandLine().getOut();
        boolean printing = print || hex;
        printer = printing ? new MessagePrinter(out, json, hex) : null;
        most = count == null ? Long.MAX_VALUE : count;
        long every = reportEvery != null ? reportEvery : printing ? 0 : DEFAULT_REPORT_EVERY;
        interval = every == 0 ? Long.MAX_VALUE : every;
        // One object may be executed more than once.
        messages = bytes = reportedMessages = reportedBytes = 0;
        stopped = false;
    }

    private void receive(RelaySubscriber subscriber) throws IOException {
        FrameConsumer consumer = this::onMessage;
        int n = 0;
        while (messages < most && n >= 0) {
            n = subscriber.poll(consumer);
            if (n > 0 && out.checkError()) {
                throw new IOException("standard output is closed");
            }
        }
        if (messages < most && !stopped) {
            String wanted = count == null ? "" : " of " + count;
            throw new EOFException("the relay at " + subscriber.endpoint() + " closed the connection after " + messages
                    + wanted + " messages");
        }
    }

    private void onMessage(int type, ByteBuffer body) {
        if (messages == most) {
            return;
        }
        if (messages == 0) {
            startedAt = reportedAt = System.nanoTime();
        }
        messages++;
        bytes += FrameLayout.frameLength(body.remaining());
        if (printer != null) {
            printer.print(type, body);
        }
        if (messages - reportedMessages == interval) {
            report();
        }
    }

    private void report() {
        long now = System.nanoTime();
        Speed speed = new Speed(messages - reportedMessages, bytes - reportedBytes, now - reportedAt);
        out.println(json ? speed.json("report") : speed.line());
        reportedAt = now;
        reportedMessages = messages;
        reportedBytes = bytes;
    }

    private void tellSum() {
        Speed sum = new Speed(messages, bytes, messages == 0 ? 0 : System.nanoTime() - startedAt);
        if (json) {
            out.println(sum.json("end"));
        }
        out.flush();
        if (!json && !quiet) {
            PrintWriter err = spec.commandLine().getErr();
            err.println("received " + messages + " messages, " + bytes + " bytes in " + sum.millis() + " ms");
            err.flush();
        }
    }
}
