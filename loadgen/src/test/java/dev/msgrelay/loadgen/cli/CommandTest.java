package dev.msgrelay.loadgen.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.stream.Stream;
import picocli.CommandLine;

/** Tests of a command, which is called as from a shell. */
abstract class CommandTest {
    final StringWriter out = new StringWriter();
    final StringWriter err = new StringWriter();

    /**
     * The same of a run whose window is short: one in which a busy machine brought nothing says nothing, and is run
     * again.
     */
    final int executeUntilSomethingComes(String command, Object... args) {
        while (true) {
            int code = execute(command, args);
            // A report breaks its lines.
            String said = (out + " " + err).replaceAll("\\s+", " ");
            if (!said.contains("no message arrived within the measured window")) {
                return code;
            }
            out.getBuffer().setLength(0);
            err.getBuffer().setLength(0);
        }
    }

    final int execute(String command, Object... args) {
        CommandLine loadgen = LoadgenMain.commandLine(new LoadgenMain());
        loadgen.setOut(new PrintWriter(out, true));
        loadgen.setErr(new PrintWriter(err, true));
        return loadgen.execute(Stream.concat(Stream.of(command), Stream.of(args))
                .map(Object::toString)
                .toArray(String[]::new));
    }
}
