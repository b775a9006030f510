package dev.msgrelay.loadgen.cli;

import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command, or options that several have: what is wrong with them is said in the command's name. */
abstract class Options {
    @Spec
    private CommandSpec own;

    /** Null in the command itself. */
    @Spec(Spec.Target.MIXEE)
    private CommandSpec user;

    /** The command's. */
    final CommandSpec spec() {
        return user == null ? own : user;
    }

    /**
     * @throws ParameterException with this message, where something is wrong
     */
    final void refuse(boolean wrong, String message) {
        Limits.refuse(spec(), wrong, message);
    }

    /**
     * @throws ParameterException naming the value and its limits
     */
    final void within(String option, long value, long min, long max) {
        Limits.within(spec(), option, value, min, max);
    }

    /**
     * Refuses options that would have no effect.
     *
     * @param other what makes them so: "--connect"
     * @throws ParameterException naming the first of them that is on the command line, and the other one
     */
    final void exclude(List<String> options, String other) {
        options.forEach(option -> refuse(isGiven(option), option + " and " + other + " exclude each other"));
    }

    final boolean isGiven(String option) {
        return spec().commandLine().getParseResult().hasMatchedOption(option);
    }

    /**
     * The value of an option.
     *
     * @param name before what the parser finds wrong: "--link: "
     * @throws ParameterException the parser refuses the text
     */
    final <T> T parsed(String name, String text, Function<String, T> parser) {
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec().commandLine(), name + e.getMessage(), e);
        }
    }
}
