package dev.msgrelay.protocol.cli;

import dev.msgrelay.protocol.text.SecretText;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Makes the parser of each command, so that one rule holds in all of them: a user's text is taken as it is. */
public final class CommandParser {
    private CommandParser() {}

    /**
     * A parser that changes no argument.
     *
     * @param command a command of picocli, annotated or a {@link CommandSpec}
     * @param subcommands further commands that the user may choose from
     */
    public static CommandLine of(Object command, Object... subcommands) {
        CommandLine line = new CommandLine(command);
        for (Object subcommand : subcommands) {
            line.addSubcommand(subcommand);
        }
        helpOf(line);
        // The settings are those of the subcommands too, which must be there by now.
        return line
                // picocli would put a file's content in the place of @file, and take a sign away from @@text.
                .setExpandAtFiles(false)
                // A value may be the name of a subcommand: --journal journal.
                .setAllowSubcommandsAsOptionParameters(true)
                // These two are picocli's defaults, which its system properties change.
                .setTrimQuotes(false)
                .setAbbreviatedOptionsAllowed(false)
                .setCaseInsensitiveEnumValuesAllowed(true)
                // Newer JVMs have a console even without a terminal, and picocli asks only for a console.
                .setColorScheme(Help.defaultColorScheme(Ansi.OFF));
    }

    /**
     * Gives a command and its subcommands, which have all their options by now, the help of {@link ShortHelp}. Done by
     * {@link #of}; again for a command that gets options later.
     */
    public static void helpOf(CommandLine line) {
        HelpOption.install(line);
        line.getSubcommands().values().forEach(CommandParser::helpOf);
    }

    /** Has a command and its subcommands tell the version that the build has written into the jar of a class. */
    public static void tellVersion(CommandLine line, String name, Class<?> in) {
        String version = in.getPackage().getImplementationVersion();
        line.getCommandSpec().version(name + " " + (version == null ? "(not packaged)" : version));
        line.getSubcommands().values().forEach(one -> tellVersion(one, name, in));
    }

    /** The examples in the help of a command and its subcommands, a command line each. */
    public static List<String> examples(CommandLine line) {
        return HelpOption.examples(line);
    }

    /** A converter with a parser whose error the user reads, behind the name of the option. */
    public static <T> ITypeConverter<T> converter(Function<String, T> parser) {
        return text -> {
            try {
                return parser.apply(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        };
    }

    /**
     * The text as a default value, in which picocli would put variables in the place of {@code ${name}}.
     *
     * @return the text for an {@link CommandLine.IDefaultValueProvider}
     */
    public static String asDefault(String text) {
        return text.replace("$", "$$");
    }

    /** The error in the arguments. Unmatched arguments are not shown as they are: one may be a key without quotes. */
    public static String fault(ParameterException failure) {
        return failure instanceof UnmatchedArgumentException unmatched
                ? SecretText.unmatched(toName(unmatched), known(unmatched.getCommandLine()))
                : failure.getMessage();
    }

    /** The unmatched arguments that are faults: what is behind an unknown command may be right for the one meant. */
    private static List<String> toName(UnmatchedArgumentException e) {
        List<String> all = e.getUnmatched();
        boolean command =
                !e.getCommandLine().getSubcommands().isEmpty() && !all.get(0).startsWith("-");
        return command ? all.subList(0, 1) : all;
    }

    /** The options and commands that may stand behind a command. */
    private static Set<String> known(CommandLine command) {
        Set<String> known =
                new LinkedHashSet<>(command.getCommandSpec().optionsMap().keySet());
        known.addAll(command.getSubcommands().keySet());
        return known;
    }
}
