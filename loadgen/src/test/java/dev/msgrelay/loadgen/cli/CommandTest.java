package dev.msgrelay.loadgen.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.stream.Stream;
import picocli.CommandLine;

/** Tests of a command, which is called as from a shell. */
abstract class CommandTest {
    final StringWriter out = new StringWriter();
    final StringWriter err = new StringWriter();

    /** The exit code. */
    final int execute(String command, Object... args) {
        CommandLine loadgen = LoadgenMain.commandLine();
        loadgen.setOut(new PrintWriter(out, true));
        loadgen.setErr(new PrintWriter(err, true));
        return loadgen.execute(Stream.concat(Stream.of(command), Stream.of(args))
                .map(Object::toString)
                .toArray(String[]::new));
    }
}
