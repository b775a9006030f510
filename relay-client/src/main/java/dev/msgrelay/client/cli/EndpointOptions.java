package dev.msgrelay.client.cli;

import dev.msgrelay.client.Endpoint;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Where to connect to, and how long to try: the same words in every command. */
final class EndpointOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec mixee;

    @Parameters(
            arity = "0..*",
            paramLabel = "ENDPOINT",
            description = "host:port, :port, [ipv6]:port or unix:path; several are tried in turn."
                    + " Default: 127.0.0.1:7400 to subscribe, 127.0.0.1:7401 to publish.")
    private List<String> endpoints;

    @Option(names = "--unix", paramLabel = "PATH", description = "A Unix domain socket, the same as unix:PATH.")
    private Path unix;

    @Option(
            names = "--connect-timeout",
            paramLabel = "SECONDS",
            defaultValue = "5",
            description = "Give up connecting, or waiting for WELCOME, after this time. Default: ${DEFAULT-VALUE}.")
    private int connectTimeout;

    /** At least one. */
    List<Endpoint> endpoints(String byDefault) {
        if (unix != null && endpoints != null) {
            throw new ParameterException(
                    mixee.commandLine(),
                    "--unix " + unix + " and the endpoint '" + endpoints.get(0) + "' exclude each other");
        }
        if (unix != null) {
            return List.of(Endpoint.unix(unix));
        }
        try {
            return endpoints == null
                    ? List.of(Endpoint.parse(byDefault))
                    : endpoints.stream().map(Endpoint::parse).toList();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(mixee.commandLine(), e.getMessage(), e);
        }
    }

    Duration connectTimeout() {
        check("--connect-timeout", connectTimeout, 1, 3600);
        return Duration.ofSeconds(connectTimeout);
    }

    /** A wrong value is wrong usage, and named with its limits. */
    void check(String option, long value, long least, long most) {
        if (value < least || value > most) {
            throw new ParameterException(
                    mixee.commandLine(), option + " " + value + " is not within " + least + ".." + most);
        }
    }
}
