package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.loadgen.rig.RelayContestant;
import dev.msgrelay.server.cli.RelayServerMain;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.PicocliException;
import picocli.CommandLine.Spec;

/**
 * A command, or options that several commands share. An invalid value throws a {@link ParameterException} that names
 * the option, the value and the limits.
 */
public abstract class Options {
    @Spec
    private CommandSpec own;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec user;

    protected final CommandSpec spec() {
        return user == null ? own : user;
    }

    protected final void refuse(boolean wrong, String message) {
        if (wrong) {
            throw new ParameterException(spec().commandLine(), message);
        }
    }

    protected final void within(String option, long value, long min, long max) {
        refuse(value < min || value > max, option + " " + value + " is not within " + min + ".." + max);
    }

    /** Refuses options that have no effect together with {@code other}. */
    final void exclude(List<String> options, String other) {
        options.forEach(option -> refuse(isGiven(option), option + " and " + other + " exclude each other"));
    }

    /** Refuses invalid arguments of relay-server before any process starts. */
    final void checkRelay(List<String> args) {
        try {
            RelayServerMain.config(args.toArray(String[]::new));
        } catch (PicocliException | IllegalArgumentException wrong) {
            throw new ParameterException(spec().commandLine(), "relay-server: " + wrong.getMessage(), wrong);
        }
    }

    /** Refuses acknowledgements that need a journal if these arguments start a relay without a journal. */
    final void checkJournal(Load load, List<String> args) {
        refuse(
                load.clients().acks().needsJournal() && !args.contains(RelayContestant.JOURNAL),
                "--ack " + load.clients().acks() + " needs a relay with a journal: give --relay-arg=--journal=temp");
    }

    /** Splits {@code --name=value} into two arguments, the name and the value. Leaves other arguments whole. */
    static List<String> word(String word) {
        int equals = word.indexOf('=');
        return word.startsWith("--") && equals > 0
                ? List.of(word.substring(0, equals), word.substring(equals + 1))
                : List.of(word);
    }

    final boolean isGiven(String option) {
        return spec().commandLine().getParseResult().hasMatchedOption(option);
    }

    final Timing timing(Duration warmup, Duration usual, Duration duration) {
        refuseZero("--duration", duration);
        return new Timing(warmup == null ? usual : warmup, duration);
    }

    protected final void refuseZero(String option, Duration time) {
        refuse(time != null && time.isZero(), option + " 0 is not above 0");
    }

    /** Parses an option's value; an error message starts with {@code name}, for example "--link: ". */
    final <T> T parsed(String name, String text, Function<String, T> parser) {
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec().commandLine(), name + e.getMessage(), e);
        }
    }
}
