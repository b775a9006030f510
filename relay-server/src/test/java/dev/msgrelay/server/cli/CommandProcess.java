package dev.msgrelay.server.cli;

import dev.msgrelay.testing.Signals;
import dev.msgrelay.testing.TestProcess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The command as its users run it: a process of its own. */
public final class CommandProcess extends TestProcess {
    private static final String LOG_SIZE = "--log-size=8m";
    private static final List<String> LIMITS = JvmLimits.of(LOG_SIZE);

    private final boolean json;

    CommandProcess(String... args) throws IOException {
        this(command(args), Map.of());
    }

    /** As users have it, who see in the log what is done; the tests' own settings leave most of it out. */
    static CommandProcess logging(String... args) throws IOException {
        return startedBy(List.of(), args);
    }

    /** As {@link #logging}, by a command that goes before it. */
    static CommandProcess startedBy(List<String> before, String... args) throws IOException {
        List<String> command = command(args);
        command.add(1, "-Dorg.slf4j.simpleLogger.log.relay=info");
        command.addAll(0, before);
        return new CommandProcess(command, Map.of());
    }

    private CommandProcess(List<String> command, Map<String, String> environment) throws IOException {
        super(command, environment);
        json = command.contains("--json");
    }

    /** Any command line that starts the relay in the end. */
    static CommandProcess started(List<String> command) throws IOException {
        return started(command, Map.of());
    }

    static CommandProcess started(List<String> command, Map<String, String> environment) throws IOException {
        return new CommandProcess(command, environment);
    }

    static CommandProcess of(Class<?> main, String... args) throws IOException {
        return of(main, Map.of(), args);
    }

    static CommandProcess of(Class<?> main, Map<String, String> environment, String... args) throws IOException {
        List<String> command = command(args);
        command.set(command.indexOf(RelayServerMain.class.getName()), main.getName());
        return new CommandProcess(command, environment);
    }

    static CommandProcess with(Map<String, String> environment, String... args) throws IOException {
        return new CommandProcess(command(args), environment);
    }

    /** What starts the relay with these {@link #arguments}. */
    public static List<String> command(String... args) {
        List<String> command =
                javaCommand(RelayServerMain.class.getName(), arguments(args).toArray(String[]::new));
        command.addAll(command.indexOf("-cp"), LIMITS);
        return command;
    }

    /** Of a relay on free ports, with little memory and no admin port, unless {@code args} say something else. */
    static List<String> arguments(String... args) {
        List<String> all = new ArrayList<>(List.of("--publish-port=0", "--subscribe-port=0", "--admin=none", LOG_SIZE));
        for (String arg : args) {
            all.removeIf(usual -> arg.startsWith(usual.substring(0, usual.indexOf('=') + 1)));
        }
        all.addAll(List.of(args));
        return all;
    }

    /** Where it takes publishers, as it says once it is ready. */
    InetSocketAddress publishers() {
        return told(json ? "\"publish\":\"" : "relay-server: publishers ");
    }

    /** Where it takes subscribers. */
    InetSocketAddress subscribers() {
        return told(json ? "\"subscribe\":\"" : ", subscribers ");
    }

    /** The address on this host that the first line with these words has behind them; waits for it. */
    InetSocketAddress told(String words) {
        Matcher port =
                Pattern.compile(Pattern.quote(words) + "127\\.0\\.0\\.1:(\\d+)").matcher("");
        line(l -> port.reset(l).find());
        return new InetSocketAddress("127.0.0.1", Integer.parseInt(port.group(1)));
    }

    /** The lines of its log: on standard error, or with {@code --json} among those of standard output. */
    List<String> log() {
        return json ? lines() : errors();
    }

    /** The first line of its log, behind the first {@code from} lines, that {@code wanted} accepts; waits for it. */
    String logged(int from, Predicate<String> wanted) {
        return json ? line(from, wanted) : error(from, wanted);
    }

    /** Sends SIGHUP; skips the test where this process and its children ignore it. */
    void hangUp() throws Exception {
        Signals.assumeHeard("HUP");
        signal("HUP");
    }
}
