package dev.msgrelay.loadgen.lane;

import dev.msgrelay.loadgen.host.Site;
import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.host.Tool;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A network namespace without a name. It exists as long as a process is in it: its holder, a {@code cat} that waits for
 * the end of its stdin, which is the end of this process, however that comes. So nothing has to be removed, and nothing
 * can stay behind: with the last process the kernel takes the namespace, its interfaces and their queues away.
 */
public final class Namespace implements AutoCloseable {
    private static final long START_MILLIS = 60_000;
    private static final long END_MILLIS = 2_000;
    private static final String UP = "up";

    /** Ctrl-C goes to all processes of a terminal: the holder stays until we leave, so that others can end in order. */
    private static final String HOLD = "trap '' INT QUIT; echo " + UP + "; exec cat";

    private final Process holder;
    private final boolean userNamespace;

    private Namespace(Process holder, boolean userNamespace) {
        this.holder = holder;
        this.userNamespace = userNamespace;
    }

    /** A new one, made by root, or in a user namespace of its own. */
    public static Namespace create(boolean userNamespace) throws IOException, InterruptedException {
        List<String> words =
                userNamespace ? List.of("unshare", "--user", "--map-root-user", "--net") : List.of("unshare", "--net");
        return start(words, userNamespace);
    }

    /** One more, in the same user namespace: only within one may interfaces be handed over. */
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
            // From now on the process whose id we have is in the namespace.
            return namespace;
        } catch (IOException | InterruptedException | RuntimeException e) {
            namespace.close();
            throw e;
        }
    }

    public long pid() {
        return holder.pid();
    }

    /** The words before a command that is to run in it; the last of them becomes that command. */
    List<String> entering() {
        List<String> words = new ArrayList<>(List.of("nsenter", "--target", "" + pid(), "--net"));
        if (userNamespace) {
            words.addAll(List.of("--user", "--preserve-credentials"));
        }
        return words;
    }

    /**
     * Runs a command in it, whose words have no blanks.
     *
     * @throws IOException it failed: its words and what it said
     */
    public void run(Tool tool, String command) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(entering());
        words.addAll(List.of(command.split(" ")));
        Tool.Outcome outcome;
        try {
            outcome = tool.run(words);
        } catch (Tool.NotEndedException e) {
            throw e.of("'" + command + "'");
        }
        if (!outcome.succeeded()) {
            String said = outcome.output().lines().collect(Collectors.joining("; "));
            throw new IOException(
                    "'" + command + "' failed: " + (said.isEmpty() ? "exit code " + outcome.exitCode() : said));
        }
    }

    public Site site(String name, String address) {
        return new Site(name, entering(), address);
    }

    /** Ends the holder. The namespace goes with the last process in it. */
    @Override
    public void close() {
        Subprocess.stop(holder, END_MILLIS);
    }
}
