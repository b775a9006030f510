package dev.msgrelay.loadgen.lane;

import dev.msgrelay.loadgen.host.Site;
import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.host.Tool;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * An unnamed network namespace, which exists as long as a process is in it. Its first process is a {@code cat}, which
 * ends when its stdin is closed, and so no later than this JVM. When the last process has ended, the kernel removes the
 * namespace with its interfaces.
 */
public final class Namespace implements AutoCloseable {
    private static final long START_MILLIS = 60_000;
    private static final long END_MILLIS = 2_000;
    private static final String UP = "up";

    /** The first process ignores a terminal's Ctrl-C, so that the namespace outlives the processes of the run. */
    private static final String HOLD = "trap '' INT QUIT; echo " + UP + "; exec cat";

    private final Process holder;
    private final boolean userNamespace;

    private Namespace(Process holder, boolean userNamespace) {
        this.holder = holder;
        this.userNamespace = userNamespace;
    }

    public static Namespace create(boolean userNamespace) throws IOException, InterruptedException {
        List<String> words =
                userNamespace ? List.of("unshare", "--user", "--map-root-user", "--net") : List.of("unshare", "--net");
        return start(words, userNamespace);
    }

    /**
     * Creates a second namespace in the same user namespace, since interfaces can only move within one user namespace.
     */
    public Namespace sibling() throws IOException, InterruptedException {
        List<String> words = new ArrayList<>();
        if (userNamespace) {
            words.addAll(List.of("nsenter", "--target", "" + pid(), "--user", "--preserve-credentials"));
        }
        words.addAll(List.of("unshare", "--net"));
        return start(words, userNamespace);
    }

    private static Namespace start(List<String> words, boolean userNamespace) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(words);
        command.addAll(List.of("sh", "-c", HOLD));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("LC_ALL", "C");
        Namespace namespace = new Namespace(builder.start(), userNamespace);
        try {
            String said = Subprocess.awaitLine(namespace.holder, UP, START_MILLIS);
            if (!UP.equals(said)) {
                throw new IOException("no network namespace: " + said);
            }
            // The process was in the namespace already when it printed this line.
            return namespace;
        } catch (IOException | InterruptedException | RuntimeException e) {
            namespace.close();
            throw e;
        }
    }

    public long pid() {
        return holder.pid();
    }

    /** Returns the arguments to put before a command: those of nsenter, which runs it in the namespace (exec). */
    List<String> entering() {
        List<String> words = new ArrayList<>(List.of("nsenter", "--target", "" + pid(), "--net"));
        if (userNamespace) {
            words.addAll(List.of("--user", "--preserve-credentials"));
        }
        return words;
    }

    public void run(Tool tool, String command) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(entering());
        words.addAll(List.of(command.split(" ")));
        Tool.Completed outcome = tool.run(words);
        if (!outcome.succeeded()) {
            String said = outcome.output().lines().collect(Collectors.joining("; "));
            throw new IOException(
                    "'" + command + "' failed: " + (said.isEmpty() ? "exit code " + outcome.exitCode() : said));
        }
    }

    public Site site(String name, String address) {
        return new Site(name, entering(), address);
    }

    @Override
    public void close() {
        Subprocess.stop(holder, END_MILLIS);
    }
}
