package dev.msgrelay.loadgen.cli;

import java.time.Duration;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Checks of option values that several commands share. */
public final class Limits {

    private Limits() {}

    public static void within(CommandSpec spec, String option, long value, long min, long max) {
        refuse(spec, value < min || value > max, option + " " + value + " is not within " + min + ".." + max);
    }

    static void refuse(CommandSpec spec, boolean wrong, String message) {
        if (wrong) {
            throw new ParameterException(spec.commandLine(), message);
        }
    }

    /** The time that an experiment measures; {@code given} is null where the option is not. */
    public static Duration duration(CommandSpec spec, Duration given, Duration byDefault) {
        refuse(spec, given != null && given.isZero(), "--duration 0 is not above 0");
        return given == null ? byDefault : given;
    }
}
