package dev.msgrelay.loadgen.ssh;

import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.host.Tool;
import dev.msgrelay.protocol.text.TextWidth;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * How a second host is reached: by {@code ssh}, as a process, with the keys, port, user and jump hosts that the user's
 * own configuration of ssh has for it.
 *
 * @param command the words of the ssh command, "ssh" and options of the user's
 * @param host as ssh takes it: a name, user@name, an alias of the configuration
 */
public record Ssh(List<String> command, String host) {
    /**
     * Nothing is asked, no terminal, no forwarding. Each process has a connection of its own, which is gone when nothing
     * was heard of the other side for 15 seconds.
     */
    private static final List<String> OPTIONS = List.of(
            "-T",
            "-x",
            "-a",
            "-oBatchMode=yes",
            "-oClearAllForwardings=yes",
            "-oRemoteCommand=none",
            "-oControlMaster=no",
            "-oControlPath=none",
            "-oConnectTimeout=10",
            "-oServerAliveInterval=5",
            "-oServerAliveCountMax=3");

    /** Ctrl-C goes to all processes of a terminal: ssh stays until we leave, so that others can end in order. */
    private static final List<String> BESIDE_CTRL_C = List.of("sh", "-c", "trap '' INT QUIT; exec \"$@\"", "sh");

    /** The exit code of ssh where it is not that of what it started. */
    static final int FAILED = 255;

    private static final int MAX_SAID = 2_000;

    /**
     * @throws IllegalArgumentException the host is nothing that ssh could take for one, or there is no command
     */
    public Ssh {
        if (!host.matches("[^-\\s\\p{Cntrl}][^\\s\\p{Cntrl}]*")) {
            throw new IllegalArgumentException("'" + host + "' is no host for ssh");
        }
        if (command.isEmpty()) {
            throw new IllegalArgumentException("the ssh command is empty");
        }
        command = List.copyOf(command);
    }

    /** Starts a shell script there, with these arguments. What it reads and prints goes through the pipes of the process. */
    Process start(String script, List<String> args) throws IOException {
        return new ProcessBuilder(words(script, args)).start();
    }

    /**
     * Runs a shell script there, to its end.
     *
     * @param stdin what it reads; null: nothing
     * @return what it printed
     * @throws IOException in one line that names the host: with what ssh or the script said
     */
    String run(String script, List<String> args, Path stdin, Duration limit) throws IOException, InterruptedException {
        Tool.Outcome outcome;
        try {
            outcome = new Subprocess(limit.toMillis()).run(words(script, args), stdin);
        } catch (IOException e) {
            throw new IOException(host + ": ssh: " + e.getMessage(), e);
        }
        if (!outcome.succeeded()) {
            String byHand = " (by hand: " + String.join(" ", command) + " " + host + " true)";
            throw new IOException(failure(outcome.exitCode(), outcome.output()).getMessage()
                    + (outcome.exitCode() == FAILED ? byHand : ""));
        }
        return outcome.output();
    }

    /** For one line of a message: what ssh, or what it started, said at its end. */
    IOException failure(int exitCode, String said) {
        String line = inOneLine(said);
        return new IOException(host + ": " + (line.isEmpty() ? "ssh ended with exit code " + exitCode : line));
    }

    /** The lines without blanks and without the frames of at signs that ssh draws. */
    static String inOneLine(String said) {
        String line = said.lines()
                .map(one -> one.replaceAll("@{2,}|^@\\s+|\\s+@$", "").strip())
                .filter(one -> !one.isEmpty())
                .collect(Collectors.joining("; "));
        return line.length() > MAX_SAID ? TextWidth.firstChars(line, MAX_SAID) + "..." : line;
    }

    private List<String> words(String script, List<String> args) {
        List<String> words = new ArrayList<>(BESIDE_CTRL_C);
        words.addAll(command);
        words.addAll(OPTIONS);
        words.addAll(List.of("--", host, remoteCommand(script, args)));
        return words;
    }

    /** One text for the user's shell there, whichever that is: it starts sh, which gets the words as they are. */
    static String remoteCommand(String script, List<String> args) {
        return "exec sh -c " + quoted(script) + " sh"
                + args.stream().map(arg -> " " + quoted(arg)).collect(Collectors.joining());
    }

    private static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }
}
