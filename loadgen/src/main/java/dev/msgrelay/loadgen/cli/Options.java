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
 * A command, or options that several commands share. Wrong values are refused by a {@link ParameterException} in the
 * command's name, which names the option, its value, and its limits.
 */
public abstract class Options {
    @Spec
    private CommandSpec own;

    /** The command that these options are mixed into; null in a command. */
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

    /** Refuses options that would have no effect beside another one, such as "--connect". */
    final void exclude(List<String> options, String other) {
        options.forEach(option -> refuse(isGiven(option), option + " and " + other + " exclude each other"));
    }

    /** Refuses arguments that a relay of this build would refuse later, when the runs have begun. */
    final void checkRelay(List<String> args) {
        try {
            RelayServerMain.config(args.toArray(String[]::new));
        } catch (PicocliException | IllegalArgumentException wrong) {
            throw new ParameterException(spec().commandLine(), "relay-server: " + wrong.getMessage(), wrong);
        }
    }

    /** Refuses acknowledgements that a relay with these arguments does not give. */
    final void checkJournal(Load load, List<String> args) {
        refuse(
                load.clients().acks().needsJournal() && !args.contains(RelayContestant.JOURNAL),
                "--ack " + load.clients().acks() + " needs a relay with a journal: give --relay-arg=--journal=temp");
    }

    /** {@code --name=value} as two words; any other word as it is. */
    static List<String> word(String word) {
        int equals = word.indexOf('=');
        return word.startsWith("--") && equals > 0
                ? List.of(word.substring(0, equals), word.substring(equals + 1))
                : List.of(word);
    }

    final boolean isGiven(String option) {
        return spec().commandLine().getParseResult().hasMatchedOption(option);
    }

    /** @param warmup null: the usual one */
    final Timing timing(Duration warmup, Duration usual, Duration duration) {
        refuseZero("--duration", duration);
        return new Timing(warmup == null ? usual : warmup, duration);
    }

    /** @param time null where it is not given */
    protected final void refuseZero(String option, Duration time) {
        refuse(time != null && time.isZero(), option + " 0 is not above 0");
    }

    /** The parsed value of an option; the message of a fault begins with the name, "--link: ". */
    final <T> T parsed(String name, String text, Function<String, T> parser) {
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec().commandLine(), name + e.getMessage(), e);
        }
    }
}
