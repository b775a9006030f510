package dev.msgrelay.loadgen.ssh;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A command that takes what ssh takes, and runs it on this host: for what a test is to see without any sshd. */
public final class FakeSsh {
    private FakeSsh() {}

    /**
     * Writes it.
     *
     * @param cache where the other host keeps jars
     * @param first what the user's shell there does before it starts the command
     */
    public static Path write(Path directory, Path cache, String first) throws IOException {
        Path script = Files.writeString(
                directory.resolve("fake-ssh"),
                String.join(
                        "\n",
                        "#!/bin/sh",
                        "while test \"$1\" != --; do shift; done",
                        // The environment is the other host's.
                        "unset JDK_JAVA_OPTIONS",
                        "export XDG_CACHE_HOME='" + cache + "' SSH_CONNECTION='127.0.0.1 50000 127.0.0.1 22'",
                        first,
                        "exec sh -c \"$3\"",
                        ""));
        script.toFile().setExecutable(true);
        return script;
    }

    static Ssh in(Path directory, String first) throws IOException {
        return new Ssh(List.of(write(directory, directory, first).toString()), "second");
    }
}
