package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.ssh.Ssh;
import dev.msgrelay.loadgen.ssh.SshHost;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** A second host, by ssh. */
class HostOptions extends Options {
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

    /** Checks everything that can be known before the host is asked. */
    void check() {
        if (host == null) {
            own().options()
                    .forEach(option -> refuse(isGiven(option.longestName()), option.longestName() + " needs --host"));
            return;
        }
        List<String> words = command == null
                ? List.of("ssh")
                : Stream.of(command.split("\\s+"))
                        .filter(word -> !word.isEmpty())
                        .toList();
        ssh = parsed("--host: ", host, name -> new Ssh(words, name));
    }

    /**
     * The host with loadgen on it; says on stderr what was done.
     *
     * @throws IOException in one line that names the host
     */
    SshHost prepare() throws IOException, InterruptedException {
        PrintWriter err = spec().commandLine().getErr();
        return SshHost.prepare(ssh, java == null ? "java" : java, SshHost.ownJar(), line -> {
            err.println(line);
            err.flush();
        });
    }
}
