package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.host.NetInterface;
import dev.msgrelay.loadgen.host.NetInterfaces;
import dev.msgrelay.loadgen.run.Timing;
import java.time.Duration;
import java.util.List;
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
        if (value < min || value > max) {
            throw new ParameterException(
                    spec.commandLine(), option + " " + value + " is not within " + min + ".." + max);
        }
    }

    /**
     * Refuses options that would have no effect.
     *
     * @param other what makes them so: "--connect"
     * @throws ParameterException naming the first of them that is on the command line, and the other one
     */
    static void exclude(CommandSpec spec, List<String> options, String other) {
        for (String option : options) {
            if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
                throw new ParameterException(spec.commandLine(), option + " and " + other + " exclude each other");
            }
        }
    }

    /**
     * How long an experiment measures.
     *
     * @param given null where the option is not
     * @throws ParameterException naming the value and its limit
     */
    public static Duration duration(CommandSpec spec, Duration given, Duration byDefault) {
        if (given != null && given.isZero()) {
            throw new ParameterException(spec.commandLine(), "--duration 0 is not above 0");
        }
        return given == null ? byDefault : given;
    }

    /**
     * As above, for goes that are short: from a millisecond to a minute.
     *
     * @throws ParameterException naming the value and its limits
     */
    public static Duration shortDuration(CommandSpec spec, Duration given, Duration byDefault) {
        Duration time = given == null ? byDefault : given;
        if (time.isZero() || time.compareTo(MAX_SHORT) > 0) {
            throw new ParameterException(
                    spec.commandLine(), "--duration " + time.toMillis() + "ms is not within 1ms..1m");
        }
        return time;
    }

    /**
     * @throws ParameterException naming the value and its limit
     */
    static Timing timing(CommandSpec spec, Duration warmup, Duration duration) {
        if (duration.isZero()) {
            throw new ParameterException(spec.commandLine(), "--duration 0 is not above 0");
        }
        return new Timing(warmup, duration);
    }

    /**
     * The network interface of this name.
     *
     * @throws ParameterException naming it and those that there are
     */
    static NetInterface networkInterface(CommandSpec spec, NetInterfaces all, String name) {
        return all.named(name)
                .orElseThrow(() -> new ParameterException(
                        spec.commandLine(), "--interface '" + name + "' is none of " + String.join(", ", all.names())));
    }
}
