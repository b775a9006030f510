package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.compare.Side;
import dev.msgrelay.loadgen.measure.PathMtu;
import dev.msgrelay.loadgen.plain.CPrograms;
import dev.msgrelay.loadgen.run.Build;
import dev.msgrelay.loadgen.run.CommandMiddle;
import dev.msgrelay.loadgen.run.InProcessMiddle;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.Middle;
import dev.msgrelay.loadgen.run.Middles;
import dev.msgrelay.loadgen.run.RelayMiddle;
import dev.msgrelay.protocol.Policy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The two sides of a comparison in turn. */
final class ContestantOptions {
    /** Room for larger logs and more loops: a limit, of which nothing is taken before it is needed. */
    private static final String DIRECT_MEMORY = "-XX:MaxDirectMemorySize=1g";

    /** What a relay within the publishers' process can be told. */
    private static final Set<String> IN_PROCESS = Set.of(RelayMiddle.POLICY, "--transport", "--event-loops", "--mtu");

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--a",
            paramLabel = "OPTIONS",
            description = "Options of A's relay-server, separated by spaces; may be empty: \"--event-loops 1\".")
    private String a;

    @Option(names = "--b", paramLabel = "OPTIONS", description = "Of B's.")
    private String b;

    @Option(
            names = "--a-dir",
            paramLabel = "DIR",
            description = "A's relay is of the build in this checkout, instead of this one.")
    private Path dirA;

    @Option(names = "--b-dir", paramLabel = "DIR", description = "B's.")
    private Path dirB;

    @Option(
            names = "--a-command",
            paramLabel = "COMMAND",
            description =
                    "A is this command: any relay that speaks the plain protocol. {publish} and {subscribe} become"
                            + " the ports on 127.0.0.1 that it has to listen at (with --unix: paths), {publishers} and"
                            + " {subscribers} their numbers.")
    private String commandA;

    @Option(names = "--b-command", paramLabel = "COMMAND", description = "B's.")
    private String commandB;

    @Option(
            names = "--a-through",
            paramLabel = "WHAT",
            description = "A is relay; plain, the plain relay of the ceilings; or c, the reference relay in C (relay).")
    private MiddleOptions.Through throughA;

    @Option(names = "--b-through", paramLabel = "WHAT", description = "B.")
    private MiddleOptions.Through throughB;

    @Option(
            names = "--a-java-opts",
            paramLabel = "OPTS",
            description = "Options of the JVM of A's relay, instead of the usual ones; separated by spaces.")
    private String javaOptionsA;

    @Option(names = "--b-java-opts", paramLabel = "OPTS", description = "Of B's.")
    private String javaOptionsB;

    @Option(
            names = "--in-process",
            description = "The publishers are threads in the relay's own JVM, at full speed; --batch says how many"
                    + " messages a publish has. Each run has a JVM of its own.")
    private boolean inProcess;

    /** Whether there is anything to be run. */
    boolean areGiven() {
        return a != null
                || b != null
                || dirA != null
                || dirB != null
                || commandA != null
                || commandB != null
                || throughA != null
                || throughB != null
                || javaOptionsA != null
                || javaOptionsB != null;
    }

    /** What makes one of the sides end with a run, as on the command line; null where both stay as long as they are let. */
    String endsWithARun() {
        if (inProcess) {
            return "--in-process";
        }
        return throughA == MiddleOptions.Through.PLAIN
                ? "--a-through plain"
                : throughB == MiddleOptions.Through.PLAIN ? "--b-through plain" : null;
    }

    /**
     * Both.
     *
     * @throws ParameterException naming what does not fit, or is not there
     */
    Map<Side, Middle> contestants(Load load) {
        Map<Side, Middle> both = new EnumMap<>(Side.class);
        both.put(Side.A, contestant("--a", a, dirA, commandA, throughA, javaOptionsA, load));
        both.put(Side.B, contestant("--b", b, dirB, commandB, throughB, javaOptionsB, load));
        return both;
    }

    /** For people. */
    Map<Side, String> titles() {
        Map<Side, String> both = new EnumMap<>(Side.class);
        both.put(Side.A, title(a, dirA, commandA, throughA, javaOptionsA));
        both.put(Side.B, title(b, dirB, commandB, throughB, javaOptionsB));
        return both;
    }

    private static String title(
            String options, Path directory, String command, MiddleOptions.Through through, String javaOptions) {
        if (isReference(through)) {
            return through + " relay";
        }
        return command == null ? title(directory, words(options), javaOptions) : command;
    }

    private static boolean isReference(MiddleOptions.Through through) {
        return through != null && through != MiddleOptions.Through.RELAY;
    }

    private Middle contestant(
            String option,
            String options,
            Path directory,
            String command,
            MiddleOptions.Through through,
            String javaOptions,
            Load load) {
        if (isReference(through)) {
            String what = option + "-through " + through;
            refuse(command != null, what + " and " + option + "-command exclude each other");
            refuse(options != null, what + " and " + option + " exclude each other");
            refuse(directory != null, what + " and " + option + "-dir exclude each other");
            refuse(javaOptions != null, what + " and " + option + "-java-opts exclude each other");
            refuse(inProcess, what + " and --in-process exclude each other");
            return reference(what, through, load);
        }
        if (command != null) {
            refuse(options != null, option + " and " + option + "-command exclude each other");
            refuse(directory != null, option + "-dir and " + option + "-command exclude each other");
            refuse(javaOptions != null, option + "-java-opts and " + option + "-command exclude each other");
            refuse(inProcess, "--in-process and " + option + "-command exclude each other");
            refuse(
                    !command.contains(CommandMiddle.PUBLISH) || !command.contains(CommandMiddle.SUBSCRIBE),
                    option + "-command needs " + CommandMiddle.PUBLISH + " and " + CommandMiddle.SUBSCRIBE
                            + ": it is told where to listen by them");
            ClientOptions.check(spec, load, option + "-command", true, true);
            return new CommandMiddle(command);
        }
        List<String> given = words(options);
        Policy policy = policy(option, given);
        List<String> args = new ArrayList<>();
        if (!given.contains(RelayMiddle.POLICY)) {
            args.addAll(List.of(RelayMiddle.POLICY, policy.flag()));
        }
        args.addAll(given);
        List<String> jvm = javaOptions == null ? usual() : words(javaOptions);
        return inProcess
                ? inProcess(option, args, jvm, build(option, directory, "loadgen"), load)
                : new RelayMiddle(args, jvm, false, build(option, directory, "relay-server"));
    }

    private Middle reference(String what, MiddleOptions.Through through, Load load) {
        int segment = PathMtu.loopbackSegment();
        ClientOptions.check(spec, load, what, false, through == MiddleOptions.Through.C);
        String obstacle = through == MiddleOptions.Through.C ? CPrograms.obstacle() : "";
        refuse(!obstacle.isEmpty(), what + ": " + obstacle);
        refuse(
                through == MiddleOptions.Through.C && load.body().max() > CPrograms.MAX_BODY,
                "--body " + load.body() + " is over the limit of " + what + ", " + CPrograms.MAX_BODY);
        refuse(
                through == MiddleOptions.Through.PLAIN && load.publishers() != 1,
                what + " takes one publisher, not " + load.publishers());
        return switch (through) {
            case PLAIN -> Middles.plain(segment);
            case C -> Middles.c(segment);
            default -> throw new ParameterException(spec.commandLine(), what + " is none of relay, plain, c");
        };
    }

    /** The usual ones; a relay refuses to start where its options need more memory than its JVM allows. */
    private static List<String> usual() {
        List<String> usual = new ArrayList<>(RelayMiddle.JAVA_OPTIONS);
        usual.add(DIRECT_MEMORY);
        return usual;
    }

    private Middle inProcess(String option, List<String> args, List<String> jvm, Build build, Load load) {
        ClientOptions.checkOwnPublishers(spec, load, "--in-process");
        for (String arg : args) {
            refuse(
                    arg.startsWith("--") && !IN_PROCESS.contains(arg),
                    option + " '" + arg + "': with --in-process it takes only " + String.join(", ", IN_PROCESS));
        }
        refuse(load.writes().bytes() > 0, "--write-size and --in-process exclude each other");
        refuse(load.rate() > 0, "--in-process and --rate " + load.rate() + " exclude each other");
        int batch = load.writes().messages();
        return new InProcessMiddle(batch == 0 ? InProcessMiddle.USUAL_RUN : batch, args, jvm, build);
    }

    private Build build(String option, Path directory, String module) {
        if (directory == null) {
            return null;
        }
        refuse(!Files.isDirectory(directory), option + "-dir " + directory + " is no directory");
        Build build = new Build(directory);
        try {
            build.jar(module);
        } catch (IOException e) {
            throw new ParameterException(spec.commandLine(), option + "-dir: " + e.getMessage(), e);
        }
        return build;
    }

    private Policy policy(String option, List<String> args) {
        int at = args.indexOf(RelayMiddle.POLICY);
        if (at < 0) {
            return Policy.BACKPRESSURE;
        }
        String name = at + 1 < args.size() ? args.get(at + 1) : "";
        try {
            return Policy.ofFlag(name);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(
                    spec.commandLine(),
                    option + ": " + RelayMiddle.POLICY + " '" + name + "' is none of " + Policy.DECIDED,
                    e);
        }
    }

    private static String title(Path directory, List<String> args, String javaOptions) {
        return "relay-server"
                + (args.isEmpty() ? "" : " " + String.join(" ", args))
                + (directory == null ? ", this build" : ", build of " + directory)
                + (javaOptions == null ? "" : ", JVM options " + javaOptions);
    }

    /** Separated by spaces, {@code --name=value} as two. */
    private static List<String> words(String text) {
        List<String> words = new ArrayList<>();
        for (String word : text == null ? new String[0] : text.trim().split("\\s+")) {
            int equals = word.indexOf('=');
            if (word.startsWith("--") && equals > 0) {
                words.add(word.substring(0, equals));
                words.add(word.substring(equals + 1));
            } else if (!word.isEmpty()) {
                words.add(word);
            }
        }
        return words;
    }

    private void refuse(boolean wrong, String message) {
        if (wrong) {
            throw new ParameterException(spec.commandLine(), message);
        }
    }
}
