package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.agent.Agent;
import dev.msgrelay.loadgen.agent.AgentLimits;
import dev.msgrelay.loadgen.agent.AgentSettings;
import dev.msgrelay.loadgen.agent.Token;
import dev.msgrelay.loadgen.run.RunException;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code loadgen agent}: waits on this host for a controller on another one. */
@Command(
        name = "agent",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Waits for a controller on another host, and starts the load generator's processes here for it.",
            "One controller at a time; who does not know the token gets nothing. When the controller is gone, so are its"
                    + " processes. The connection is not encrypted: see docs/agent.md."
        })
final class AgentCommand implements Callable<Integer> {
    private static final int MAX_PORT = 65_535;
    private static final Duration MIN_SILENCE = Duration.ofMillis(500);

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--bind",
            paramLabel = "ADDRESS",
            defaultValue = "127.0.0.1",
            description = "The one address to listen on (${DEFAULT-VALUE}); 0.0.0.0 and :: are refused.")
    private String bind;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "7410",
            description = "To listen on (${DEFAULT-VALUE}); 0: any free one, which is printed.")
    private int port;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "A file with the token, for its owner's eyes only. Without it: the environment's "
                    + Token.VARIABLE + ", or a new one, printed once.")
    private Path tokenFile;

    @Option(
            names = "--data-address",
            paramLabel = "ADDRESS",
            description = "Where processes here listen, if not on the address of --bind: needed when the controller"
                    + " comes through a tunnel.")
    private String dataAddress;

    @Option(
            names = "--allow",
            paramLabel = "ADDRESS",
            split = ",",
            description = "Other hosts that processes here may connect to, beside the controller's and this one.")
    private List<String> allowed = new ArrayList<>();

    @Option(
            names = "--idle-timeout",
            paramLabel = "TIME",
            defaultValue = "10s",
            converter = DurationConverter.class,
            description = "A controller that says nothing for so long is gone (${DEFAULT-VALUE}).")
    private Duration idleTimeout;

    @Option(names = "--once", description = "Leave after the first controller.")
    private boolean once;

    @Override
    public Integer call() throws IOException, RunException, InterruptedException {
        AgentSettings settings = settings();
        PrintWriter out = spec.commandLine().getOut();
        String generated = null;
        Token token = Limits.token(spec, tokenFile);
        if (token == null) {
            token = Token.generate();
            generated = token.secret();
        }
        try (Interrupts interrupts = Interrupts.watch();
                Agent agent = Agent.start(settings, token, once, line -> log(out, line))) {
            out.println(
                    "loadgen agent listens on " + agent.address().getAddress().getHostAddress() + " port "
                            + agent.address().getPort() + "; Ctrl-C ends it and all that it started");
            if (generated != null) {
                out.println("token, told this once: " + generated);
            }
            out.flush();
            return interrupts.orInterrupted(() -> {
                agent.awaitEnd();
                return 0;
            });
        }
    }

    private static void log(PrintWriter out, String line) {
        synchronized (out) {
            out.println(LocalTime.now().truncatedTo(ChronoUnit.SECONDS) + " " + line);
            out.flush();
        }
    }

    private AgentSettings settings() {
        Limits.within(spec, "--port", port, 0, MAX_PORT);
        if (idleTimeout.compareTo(MIN_SILENCE) < 0) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--idle-timeout " + idleTimeout.toMillis() + "ms is under " + MIN_SILENCE.toMillis() + "ms");
        }
        InetAddress address = address("--bind", bind);
        Set<InetAddress> others = new HashSet<>();
        allowed.forEach(host -> others.add(address("--allow", host)));
        InetAddress data = dataAddress == null ? address : address("--data-address", dataAddress);
        return new AgentSettings(address, port, data, others, AgentLimits.USUAL.withSilence(idleTimeout));
    }

    private InetAddress address(String option, String host) {
        try {
            if (host.isBlank()) {
                throw new ParameterException(spec.commandLine(), option + " '" + host + "' is no address");
            }
            InetAddress address = InetAddress.getByName(host);
            if (address.isAnyLocalAddress()) {
                throw new ParameterException(
                        spec.commandLine(),
                        option + " '" + host + "' is every address: name the one that the other host reaches");
            }
            return address;
        } catch (UnknownHostException e) {
            throw new ParameterException(spec.commandLine(), option + ": unknown host '" + host + "'", e);
        }
    }
}
