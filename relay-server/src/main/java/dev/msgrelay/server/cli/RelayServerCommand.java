package dev.msgrelay.server.cli;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.config.ListenConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.config.StreamConfig;
import dev.msgrelay.server.transport.Transport;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code relay-server}: starts a relay, reports once a second, drains on SIGTERM and Ctrl-C. */
@Command(
        name = "relay-server",
        mixinStandardHelpOptions = true,
        versionProvider = VersionFromManifest.class,
        sortOptions = false,
        showDefaultValues = true,
        description = {
            "Relays framed messages: publishers connect to one port and write, subscribers connect to another and read.",
            "A frame is a type (int32), a length (int32) and a body, big-endian. Every subscriber gets every message, in",
            "the same order."
        },
        footer = {
            "",
            "Exit codes: 0 after SIGTERM or Ctrl-C, 1 if it cannot start, 2 for wrong options.",
            "Sizes take k, m or g; durations take ms, s or m."
        })
final class RelayServerCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--bind",
            paramLabel = "ADDRESS",
            defaultValue = ListenConfig.DEFAULT_HOST,
            description = "Address to listen on. There is no authentication yet: think before you say 0.0.0.0.")
    private String bind;

    @Option(
            names = "--publish-port",
            paramLabel = "PORT",
            defaultValue = "" + ListenConfig.DEFAULT_PUBLISH_PORT,
            description = "TCP port for publishers; 0: any free one.")
    private int publishPort;

    @Option(
            names = "--subscribe-port",
            paramLabel = "PORT",
            defaultValue = "" + ListenConfig.DEFAULT_SUBSCRIBE_PORT,
            description = "TCP port for subscribers; 0: any free one.")
    private int subscribePort;

    @Option(
            names = "--publish-socket",
            paramLabel = "PATH",
            description = "Unix socket for publishers, too: the fast path on one host.")
    private Path publishSocket;

    @Option(names = "--subscribe-socket", paramLabel = "PATH", description = "Unix socket for subscribers, too.")
    private Path subscribeSocket;

    @Option(
            names = "--transport",
            defaultValue = "auto",
            description = "How sockets are driven: ${COMPLETION-CANDIDATES}.",
            completionCandidates = Candidates.Transports.class)
    private Transport transport;

    @Option(
            names = "--event-loops",
            paramLabel = "N",
            defaultValue = EventLoops.AUTO,
            converter = EventLoops.class,
            description =
                    "Threads that drive the sockets: the first one reads and packs, further ones send. auto: one, and on"
                            + " machines with several cores a second one while the first is busy.")
    private int eventLoops;

    @Option(
            names = "--mtu",
            paramLabel = "BYTES",
            defaultValue = "" + StreamConfig.DEFAULT_MTU,
            converter = ByteSize.class,
            description = "MTU of the links: a packet is this less 40 bytes of IP and TCP headers. 9000: jumbo frames.")
    private int mtu;

    @Option(
            names = "--ring-size",
            paramLabel = "SIZE",
            defaultValue = "4m",
            converter = ByteSize.class,
            description = "What may wait between publishers and the log; a power of two.")
    private int ringSize;

    @Option(
            names = "--log-size",
            paramLabel = "SIZE",
            defaultValue = "16m",
            converter = ByteSize.class,
            description = "How far a subscriber may fall behind; a multiple of 512k.")
    private int logSize;

    @Option(
            names = "--max-body",
            paramLabel = "SIZE",
            defaultValue = "" + FrameLayout.DEFAULT_MAX_BODY,
            converter = ByteSize.class,
            description = "Longest body of a message. A longer one ends its publisher's connection.")
    private int maxBody;

    @Mixin
    private ClientOptions clients;

    @Option(
            names = "--stall-timeout",
            paramLabel = "TIME",
            defaultValue = "5s",
            converter = TimeSpan.class,
            description =
                    "backpressure: a subscriber that makes publishers wait and reads nothing for this long is cut off.")
    private Duration stallTimeout;

    @Option(
            names = "--drain-timeout",
            paramLabel = "TIME",
            defaultValue = "5s",
            converter = TimeSpan.class,
            description = "On SIGTERM: how long subscribers may take to read what is on its way.")
    private Duration drainTimeout;

    @Option(names = "--quiet", description = "No line a second.")
    private boolean quiet;

    @Option(names = "--json", description = "Everything on standard output as one JSON object a line.")
    private boolean json;

    @Override
    public Integer call() throws InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        RelayServer relay;
        try {
            relay = RelayServer.start(config());
        } catch (IOException e) {
            spec.commandLine().getErr().println("relay-server: " + e.getMessage());
            return 1;
        }
        ServerReport report = json ? new JsonReport(out, relay) : new TextReport(out, relay);
        report.ready();
        runUntilTold(relay, report);
        return 0;
    }

    private void runUntilTold(RelayServer relay, ServerReport report) throws InterruptedException {
        CountDownLatch told = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        Thread hook = new Thread(
                () -> {
                    told.countDown();
                    try {
                        // As long as close() may take: draining, telling everyone, ending the threads.
                        if (done.await(drainTimeout.toMillis() + 10_000, TimeUnit.MILLISECONDS)) {
                            // The JVM's own code for an end by SIGTERM is 143, whatever main answers.
                            Runtime.getRuntime().halt(0);
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "relay-shutdown");
        Runtime.getRuntime().addShutdownHook(hook);
        while (!told.await(1, TimeUnit.SECONDS)) {
            if (!quiet) {
                report.second();
            }
        }
        long start = System.nanoTime();
        report.draining();
        relay.close();
        report.stopped((System.nanoTime() - start) / 1e9);
        done.countDown();
    }

    private RelayConfig config() {
        try {
            RelayConfig.Builder config = RelayConfig.builder()
                    .host(bind)
                    .publishPort(publishPort)
                    .subscribePort(subscribePort)
                    .publishSocket(publishSocket)
                    .subscribeSocket(subscribeSocket)
                    .transport(transport)
                    .eventLoops(eventLoops)
                    .mtu(mtu)
                    .ringSize(ringSize)
                    .logSize(logSize)
                    .maxBody(maxBody)
                    .stallTimeout(stallTimeout)
                    .drainTimeout(drainTimeout);
            clients.applyTo(config);
            transport.resolve();
            return config.build();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage());
        }
    }
}
