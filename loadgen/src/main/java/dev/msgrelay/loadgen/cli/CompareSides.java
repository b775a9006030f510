package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.experiment.SideBySide.Sided;
import dev.msgrelay.loadgen.experiment.Way;
import dev.msgrelay.loadgen.plan.Clients;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.result.Results.Side;
import dev.msgrelay.loadgen.rig.CommandContestant;
import dev.msgrelay.loadgen.rig.Contestant;
import dev.msgrelay.loadgen.rig.Contestants;
import dev.msgrelay.loadgen.rig.RelayContestant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Stack;
import picocli.CommandLine;
import picocli.CommandLine.IParameterConsumer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The two sides of a comparison, with the options of {@code run} that both share, and the options of each side. */
final class CompareSides extends Options {
    /** The value of {@code --a-command} that selects the plain relay instead of a shell command. */
    private static final String PLAIN = "plain";

    @Mixin
    private LoadOptions load;

    @Mixin
    private RelayStartOptions start;

    @Mixin
    private CongestionOption congestion;

    @Option(
            names = "--a",
            paramLabel = "OPTIONS",
            parameterConsumer = Verbatim.class,
            description = "Options of 'run' for A alone, one text with spaces: \"--relay-arg=--event-loops=1 --tls\".")
    private String a;

    @Option(
            names = "--b",
            paramLabel = "OPTIONS",
            parameterConsumer = Verbatim.class,
            description = "Options of 'run' for B alone.")
    private String b;

    @Option(names = "--a-dir", paramLabel = "DIR", description = "A's relay is the build in this checkout.")
    private Path dirA;

    @Option(names = "--b-dir", paramLabel = "DIR", description = "B's relay is the build in this checkout.")
    private Path dirB;

    @Option(
            names = "--a-command",
            paramLabel = "COMMAND",
            description = "A is any relay that speaks the plain protocol, at {publish} and {subscribe}; or 'plain'.")
    private String commandA;

    @Option(names = "--b-command", paramLabel = "COMMAND", description = "B is this command.")
    private String commandB;

    /** Accepts the next argument as the option's value, even if it looks like an option. */
    static final class Verbatim implements IParameterConsumer {
        @Override
        public void consumeParameters(Stack<String> args, ArgSpec option, CommandSpec command) {
            if (args.isEmpty()) {
                throw new ParameterException(command.commandLine(), "Missing required parameter for " + option);
            }
            option.setValue(args.pop());
        }
    }

    @CommandLine.Command(name = "run")
    private static final class Shared {
        @Mixin
        private LoadOptions load;

        @Mixin
        private RelayStartOptions start;

        @Mixin
        private CongestionOption congestion;
    }

    LoadOptions load() {
        return load;
    }

    Map<Side, Sided> sides() {
        boolean given = a != null || b != null || dirA != null || dirB != null || commandA != null || commandB != null;
        refuse(!given, "what with? give --a, --b, --a-dir, --b-dir, --a-command or --b-command");
        Map<Side, Sided> both = new EnumMap<>(Side.class);
        both.put(Side.A, side("--a", a, dirA, commandA));
        both.put(Side.B, side("--b", b, dirB, commandB));
        refuse(
                both.get(Side.A).load().isPaced() != both.get(Side.B).load().isPaced(),
                "--rate of one side alone: a latency and a speed cannot be compared");
        return both;
    }

    /** Reads the options of one side. An error message names {@code compare}, not {@code run}, as the command. */
    private Sided side(String option, String words, Path directory, String command) {
        try {
            return sided(option, words, directory, command);
        } catch (ParameterException e) {
            boolean own = e.getCommandLine() == spec().commandLine();
            throw own ? e : new ParameterException(spec().commandLine(), option + ": " + e.getMessage(), e);
        }
    }

    private Sided sided(String option, String words, Path directory, String command) {
        List<String> own = words == null || words.isBlank()
                ? List.of()
                : Arrays.asList(words.trim().split("\\s+"));
        Shared options = parsed(own);
        refuse(
                options.load.lane().isEmulated(),
                option + ": --lane " + options.load.lane() + " is none of loopback, unix");
        Load itsLoad = options.load.load(options.start.policy()).withLocalCongestion(options.congestion.own());
        String said = own.isEmpty() ? "" : " " + String.join(" ", own);
        if (command != null) {
            exclude(List.of(option + "-dir"), option + "-command");
            return new Sided(command + said, itsLoad, command(option, command, itsLoad));
        }
        List<String> args = options.start.arguments(0, options.congestion);
        if (directory == null) {
            checkRelay(args);
        }
        checkJournal(itsLoad, args);
        String build = directory == null ? ", this build" : ", build of " + directory;
        return new Sided(
                "relay" + said + build,
                itsLoad,
                new RelayContestant(args, options.start.jvmOptions(), build(option, directory)));
    }

    private Contestant command(String option, String command, Load itsLoad) {
        refuse(
                itsLoad.clients().kind() == Clients.Kind.LIBRARY,
                option + "-command takes plain connections, without HELLO and TLS: --client raw");
        if (command.toLowerCase(Locale.ROOT).equals(PLAIN)) {
            refuse(itsLoad.publishers() != 1, option + "-command plain takes one publisher");
            return Contestants.plain(Way.SIZE);
        }
        refuse(
                !command.contains(CommandContestant.PUBLISH) || !command.contains(CommandContestant.SUBSCRIBE),
                option + "-command needs " + CommandContestant.PUBLISH + " and " + CommandContestant.SUBSCRIBE
                        + ": it is told where to listen by them");
        return new CommandContestant(command);
    }

    private Shared parsed(List<String> own) {
        Shared options = new Shared();
        CommandLine command = LoadgenMain.commandLine(options).setOverwrittenOptionsAllowed(true);
        List<String> words = new ArrayList<>();
        for (OptionSpec shared : spec().commandLine().getParseResult().matchedOptions()) {
            if (command.getCommandSpec().findOption(shared.longestName()) == null) {
                continue;
            }
            if (shared.arity().max() == 0) {
                words.add(shared.longestName());
            }
            shared.originalStringValues().stream()
                    .filter(value -> shared.arity().max() > 0)
                    .forEach(value -> words.add(shared.longestName() + "=" + value));
        }
        words.addAll(own);
        command.parseArgs(words.toArray(String[]::new));
        return options;
    }

    private Optional<RelayContestant.Build> build(String option, Path directory) {
        if (directory == null) {
            return Optional.empty();
        }
        refuse(!Files.isDirectory(directory), option + "-dir " + directory + " is no directory");
        RelayContestant.Build build = new RelayContestant.Build(directory);
        try {
            build.jar("relay-server");
        } catch (IOException e) {
            throw new ParameterException(spec().commandLine(), option + "-dir: " + e.getMessage(), e);
        }
        return Optional.of(build);
    }
}
