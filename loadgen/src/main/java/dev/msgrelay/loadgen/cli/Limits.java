package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.host.NetInterface;
import dev.msgrelay.loadgen.host.NetInterfaces;
import dev.msgrelay.loadgen.run.Timing;
import java.time.Duration;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Checks of option values that several commands share. */
final class Limits {
    private Limits() {}

    /**
     * @throws ParameterException naming the value and its limits
     */
    static void within(CommandSpec spec, String option, long value, long min, long max) {
        if (value < min || value > max) {
            throw new ParameterException(
                    spec.commandLine(), option + " " + value + " is not within " + min + ".." + max);
        }
    }

    /**
     * How long an experiment measures.
     *
     * @param given null where the option is not
     * @throws ParameterException naming the value and its limit
     */
    static Duration duration(CommandSpec spec, Duration given, Duration byDefault) {
        if (given != null && given.isZero()) {
            throw new ParameterException(spec.commandLine(), "--duration 0 is not above 0");
        }
        return given == null ? byDefault : given;
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
