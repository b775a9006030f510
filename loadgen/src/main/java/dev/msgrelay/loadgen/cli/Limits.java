package dev.msgrelay.loadgen.cli;

import java.time.Duration;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Checks of option values that several commands share. */
public final class Limits {
    private static final Duration MAX_SHORT = Duration.ofMinutes(1);

    private Limits() {}

    /**
     * @throws ParameterException naming the value and its limits
     */
    public static void within(CommandSpec spec, String option, long value, long min, long max) {
        refuse(spec, value < min || value > max, option + " " + value + " is not within " + min + ".." + max);
    }

    static void refuse(CommandSpec spec, boolean wrong, String message) {
        if (wrong) {
            throw new ParameterException(spec.commandLine(), message);
        }
    }

    /**
     * How long an experiment measures.
     *
     * @param given null where the option is not
     * @throws ParameterException naming the value and its limit
     */
    public static Duration duration(CommandSpec spec, Duration given, Duration byDefault) {
        refuse(spec, given != null && given.isZero(), "--duration 0 is not above 0");
        return given == null ? byDefault : given;
    }

    /**
     * As above, for goes that are short: from a millisecond to a minute.
     *
     * @throws ParameterException naming the value and its limits
     */
    public static Duration shortDuration(CommandSpec spec, Duration given, Duration byDefault) {
        Duration time = given == null ? byDefault : given;
        refuse(
                spec,
                time.isZero() || time.compareTo(MAX_SHORT) > 0,
                "--duration " + time.toMillis() + "ms is not within 1ms..1m");
        return time;
    }
}
