package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.ssh.Ssh;
import dev.msgrelay.loadgen.ssh.SshHost;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A second host, by ssh. */
class HostOptions {
    @Spec(Spec.Target.MIXEE)
    protected CommandSpec spec;

    @Option(
            names = "--host",
            paramLabel = "USER@HOST",
            description =
                    "A second host, as ssh knows it: keys, port and jump hosts are those of your ssh configuration."
                            + " It needs a JDK 17 or newer; loadgen is copied there when it is missing. See docs/second-host.md.")
    private String host;

    @Option(
            names = "--ssh",
            paramLabel = "COMMAND",
            description =
                    "The ssh command, with options where the configuration has not got them: --ssh \"ssh -p 2222\""
                            + " (ssh).")
    private String command;

    @Option(
            names = "--host-java",
            paramLabel = "PATH",
            description = "The java of the second host, where it is not on the path of commands by ssh (java).")
    private String java;

    private Ssh ssh;

    boolean isGiven() {
        return host != null;
    }

    /**
     * Checks everything that can be known before the host is asked.
     *
     * @throws ParameterException naming what is missing or does not fit
     */
    void check() {
        if (host == null) {
            refuse(command, "--ssh");
            refuse(java, "--host-java");
            return;
        }
        List<String> words = command == null
                ? List.of("ssh")
                : Stream.of(command.split("\\s+"))
                        .filter(word -> !word.isEmpty())
                        .toList();
        try {
            ssh = new Ssh(words, host);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--host: " + e.getMessage(), e);
        }
    }

    /**
     * The host with loadgen on it; says on stderr what was done.
     *
     * @throws IOException in one line that names the host
     */
    SshHost prepare() throws IOException, InterruptedException {
        PrintWriter err = spec.commandLine().getErr();
        return SshHost.prepare(ssh, java == null ? "java" : java, SshHost.ownJar(), line -> {
            err.println(line);
            err.flush();
        });
    }

    protected final void refuse(Object value, String option) {
        if (value != null) {
            throw new ParameterException(spec.commandLine(), option + " needs --host");
        }
    }
}
