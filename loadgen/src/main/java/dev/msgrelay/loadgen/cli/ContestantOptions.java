package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.host.PathMtu;
import dev.msgrelay.loadgen.load.LoadMessage;
import dev.msgrelay.loadgen.result.Results.Side;
import dev.msgrelay.loadgen.run.Clients;
import dev.msgrelay.loadgen.run.CommandContestant;
import dev.msgrelay.loadgen.run.Contestant;
import dev.msgrelay.loadgen.run.Contestants;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.RelayContestant;
import dev.msgrelay.protocol.Policy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The two sides of a comparison in turn. */
final class ContestantOptions extends Options {
    /** The things that can lie between publishers and subscribers. */
    enum Through {
        RELAY,
        PLAIN;

        /** The word on the command line. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Room for larger logs and more loops: a limit, of which nothing is taken before it is needed. */
    private static final String DIRECT_MEMORY = "-XX:MaxDirectMemorySize=1g";

    @Option(
            names = "--a",
            paramLabel = "OPTIONS",
            description = "Options of A's relay-server, separated by spaces; may be empty: \"--event-loops 1\".")
    private String a;

    @Option(names = "--b", paramLabel = "OPTIONS", description = "Options of B's relay-server, separated by spaces.")
    private String b;

    @Option(names = "--a-dir", paramLabel = "DIR", description = "A's relay is the build in this checkout.")
    private Path dirA;

    @Option(names = "--b-dir", paramLabel = "DIR", description = "B's relay is the build in this checkout.")
    private Path dirB;

    @Option(
            names = "--a-command",
            paramLabel = "COMMAND",
            description =
                    "A is this command: any relay that speaks the plain protocol. {publish} and {subscribe} become"
                            + " the ports on 127.0.0.1 that it has to listen at (with --lane unix: paths), {publishers} and"
                            + " {subscribers} their numbers.")
    private String commandA;

    @Option(names = "--b-command", paramLabel = "COMMAND", description = "B's.")
    private String commandB;

    @Option(
            names = "--a-through",
            paramLabel = "WHAT",
            description = "A is relay, or plain: the plain relay of the ceilings (relay).")
    private Through throughA;

    @Option(names = "--b-through", paramLabel = "WHAT", description = "What B is: relay or plain.")
    private Through throughB;

    @Option(
            names = "--a-java-opts",
            paramLabel = "OPTS",
            description = "Options of the JVM of A's relay, instead of the usual ones; separated by spaces.")
    private String javaOptionsA;

    @Option(
            names = "--b-java-opts",
            paramLabel = "OPTS",
            description = "Options of B's relay-server, separated by spaces.")
    private String javaOptionsB;

    @Option(names = "--a-tls", description = "A's load is over TLS; --tls: both.")
    private boolean tlsA;

    @Option(names = "--b-tls", description = "B's.")
    private boolean tlsB;

    @Option(names = "--a-ack", paramLabel = "WHAT", description = "A's publishers ask for it; --ack: both.")
    private Clients.Ack ackA;

    @Option(names = "--b-ack", paramLabel = "WHAT", description = "B's.")
    private Clients.Ack ackB;

    /**
     * One side, as given; null for what is not.
     *
     * @param option "--a" or "--b"
     */
    private record Given(
            String option,
            String options,
            Path directory,
            String command,
            Through through,
            String javaOptions,
            boolean tls,
            Clients.Ack ack) {
        boolean isGiven() {
            return tls
                    || Stream.of(options, directory, command, through, javaOptions, ack)
                            .anyMatch(Objects::nonNull);
        }

        /** The load of this side. */
        Load of(Load load) {
            Clients clients = ack == null ? load.clients() : load.clients().withAcks(ack);
            return load.withClients(tls ? clients.withTls() : clients);
        }

        /** Words about its load, where the two differ. */
        private String clients() {
            return of(Load.oneToOne(LoadMessage.MIN_BODY)).clients().text() + (ack == null ? "" : ", --ack " + ack);
        }

        boolean isReference() {
            return through != null && through != Through.RELAY;
        }

        /** For people. */
        String title() {
            if (isReference()) {
                return through + " relay" + clients();
            }
            return command != null
                    ? command
                    : "relay-server"
                            + words(options).stream().map(word -> " " + word).collect(Collectors.joining())
                            + (directory == null ? ", this build" : ", build of " + directory)
                            + (javaOptions == null ? "" : ", JVM options " + javaOptions)
                            + clients();
        }
    }

    private Given given(Side side) {
        return side == Side.A
                ? new Given("--a", a, dirA, commandA, throughA, javaOptionsA, tlsA, ackA)
                : new Given("--b", b, dirB, commandB, throughB, javaOptionsB, tlsB, ackB);
    }

    private static <T> Map<Side, T> both(Function<Side, T> each) {
        Map<Side, T> both = new EnumMap<>(Side.class);
        for (Side side : Side.values()) {
            both.put(side, each.apply(side));
        }
        return both;
    }

    /** Whether there is anything to be run. */
    boolean areGiven() {
        return given(Side.A).isGiven() || given(Side.B).isGiven();
    }

    /** The option that makes one of the sides end with a run; null where both stay as long as they are let. */
    String endsWithARun() {
        for (Side side : Side.values()) {
            Given given = given(side);
            if (given.through() == Through.PLAIN) {
                return given.option() + "-through " + given.through();
            }
        }
        return null;
    }

    /** The load of each side. */
    Map<Side, Load> loads(Load load) {
        for (Side side : Side.values()) {
            Given given = given(side);
            refuse(given.tls() && load.unix(), given.option() + "-tls and --lane unix exclude each other");
            refuse(
                    given.tls() && load.clients().kind() != Clients.Kind.LIBRARY,
                    given.option() + "-tls needs --client library, so that both sides have the same clients");
            refuse(
                    given.ack() != null
                            && given.ack().isAsked()
                            && load.clients().kind() != Clients.Kind.LIBRARY,
                    given.option() + "-ack " + given.ack() + " needs --client library");
        }
        return both(side -> given(side).of(load));
    }

    /** Both. */
    Map<Side, Contestant> contestants(Map<Side, Load> loads) {
        return both(side -> contestant(given(side), loads.get(side)));
    }

    /** For people. */
    Map<Side, String> titles() {
        return both(side -> given(side).title());
    }

    private Contestant contestant(Given given, Load load) {
        String option = given.option();
        if (given.isReference()) {
            String what = option + "-through " + given.through();
            exclude(List.of(option, option + "-command", option + "-dir", option + "-java-opts"), what);
            refuse(load.tls(), "--tls and " + what + " exclude each other");
            refuse(
                    load.clients().kind() == Clients.Kind.LIBRARY,
                    "--client library says HELLO, which " + what + " does not know");
            refuse(load.publishers() != 1, what + " takes one publisher, not " + load.publishers());
            return Contestants.plain(PathMtu.loopbackSegment());
        }
        String command = given.command();
        if (command != null) {
            exclude(List.of(option, option + "-dir", option + "-java-opts"), option + "-command");
            refuse(
                    !command.contains(CommandContestant.PUBLISH) || !command.contains(CommandContestant.SUBSCRIBE),
                    option + "-command needs " + CommandContestant.PUBLISH + " and " + CommandContestant.SUBSCRIBE
                            + ": it is told where to listen by them");
            refuse(load.tls(), "--tls and " + option + "-command exclude each other");
            return new CommandContestant(command);
        }
        List<String> args = words(given.options());
        if (!args.contains(RelayContestant.POLICY)) {
            args.addAll(0, List.of(RelayContestant.POLICY, Policy.BACKPRESSURE.flag()));
        }
        checkPolicy(option, args);
        checkJournal(load, option + " \"--journal temp\"", args);
        if (given.directory() == null) {
            checkRelay(args);
        }
        List<String> jvm = given.javaOptions() == null ? usual() : words(given.javaOptions());
        return new RelayContestant(args, jvm, false, build(option, given.directory()));
    }

    /** The usual ones; a relay refuses to start where its options need more memory than its JVM allows. */
    private static List<String> usual() {
        List<String> usual = new ArrayList<>(RelayContestant.JAVA_OPTIONS);
        usual.add(DIRECT_MEMORY);
        return usual;
    }

    private RelayContestant.Build build(String option, Path directory) {
        if (directory == null) {
            return null;
        }
        refuse(!Files.isDirectory(directory), option + "-dir " + directory + " is no directory");
        RelayContestant.Build build = new RelayContestant.Build(directory);
        try {
            build.jar("relay-server");
        } catch (IOException e) {
            throw new ParameterException(spec().commandLine(), option + "-dir: " + e.getMessage(), e);
        }
        return build;
    }

    private void checkPolicy(String option, List<String> args) {
        int at = args.indexOf(RelayContestant.POLICY) + 1;
        String name = at < args.size() ? args.get(at) : "";
        boolean known = Policy.DECIDED.stream().anyMatch(policy -> policy.flag().equalsIgnoreCase(name));
        refuse(!known, option + ": " + RelayContestant.POLICY + " '" + name + "' is none of " + Policy.DECIDED);
    }
}
