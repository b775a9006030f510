package dev.msgrelay.protocol.cli;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.TypeConversionException;

/**
 * The option {@code --help} of one command: examples and a few options in short ({@link ShortHelp}), with {@code
 * --help=all} all that there is. One thread.
 */
final class HelpOption {
    private static final String ALL = "all";

    /** The first sentence of a description, or its first line. */
    private static final Pattern SENTENCE = Pattern.compile("(.*?\\.)(\\s.*)?", Pattern.DOTALL);

    private final CommandLine command;
    private final ShortHelp help;
    private final List<String> sections;
    private boolean all;

    private HelpOption(CommandLine command, ShortHelp help) {
        this.command = command;
        this.help = help;
        this.sections = List.copyOf(command.getHelpSectionKeys());
    }

    /** Puts it in the place of picocli's own option, if the command has that. */
    static void install(CommandLine command) {
        CommandSpec spec = command.getCommandSpec();
        // By the map: findOption makes a new text of each name of each option, at every start.
        OptionSpec standard = spec.optionsMap().get("--help");
        if (!spec.mixinStandardHelpOptions() || standard == null || isInstalled(command, standard)) {
            return;
        }
        ShortHelp help = declared(spec);
        HelpOption option = new HelpOption(command, help);
        // picocli hands a method its arguments by their place behind its own two options: they stay.
        if (!(spec.userObject() instanceof Method)) {
            option.replace(spec, standard);
        }
        if (help != null) {
            // The command line's own setters would change the subcommands as well.
            spec.usageMessage().sectionKeys(List.of(ALL));
            spec.usageMessage().sectionMap().put(ALL, option::text);
        }
    }

    private static boolean isInstalled(CommandLine command, OptionSpec help) {
        return command.getHelpSectionKeys().equals(List.of(ALL))
                || help.paramLabel().equals(ALL);
    }

    /** The version goes behind the help again, as in all commands. */
    private void replace(CommandSpec spec, OptionSpec standard) {
        OptionSpec version = spec.optionsMap().get("--version");
        spec.remove(standard);
        spec.remove(version);
        spec.addOption(OptionSpec.builder("-h", "--help")
                .usageHelp(true)
                .type(boolean.class)
                .arity("0..1")
                .paramLabel(ALL)
                .fallbackValue("true")
                .initialValue(false)
                .converters(this::read)
                .description("Show this help message and exit. --help=all: with every option.")
                .build());
        spec.addOption(version);
    }

    /** The annotation of the command's class or method; null: it has none. */
    private static ShortHelp declared(CommandSpec spec) {
        Object object = spec.userObject();
        if (object == null) {
            return null;
        }
        AnnotatedElement element = object instanceof Method method ? method : object.getClass();
        return element.getAnnotation(ShortHelp.class);
    }

    private Boolean read(String value) {
        all = value.equals(ALL);
        if (!all && !value.equals("true") && !value.equals("false")) {
            throw new TypeConversionException("'" + value + "' is not all");
        }
        return !value.equals("false");
    }

    private String text(Help usage) {
        return all || help.options().length == 0 ? full(usage) : inShort(usage);
    }

    /** All sections, with the examples in front of the options. */
    private String full(Help usage) {
        StringBuilder text = new StringBuilder();
        String before = "";
        for (String key : sections) {
            if (key.equals(UsageMessageSpec.SECTION_KEY_PARAMETER_LIST_HEADING)) {
                before = examples();
                text.append(before);
            }
            IHelpSectionRenderer section = command.getHelpSectionMap().get(key);
            String next = section == null ? "" : section.render(usage);
            text.append(before.isEmpty() || next.isEmpty() ? next : behindALine(next));
            before = next.isEmpty() ? before : "";
        }
        return text.toString();
    }

    private static String behindALine(String text) {
        return text.startsWith("\n") ? text : "\n" + text;
    }

    private String inShort(Help usage) {
        CommandSpec spec = command.getCommandSpec();
        StringBuilder text =
                new StringBuilder("Usage: ").append(spec.qualifiedName()).append(" [OPTIONS]");
        spec.positionalParameters().forEach(one -> text.append(" [")
                .append(one.paramLabel())
                .append(one.arity().max() > 1 ? "...]" : "]"));
        if (!spec.subcommands().isEmpty()) {
            text.append("\n       ").append(spec.qualifiedName()).append(" (");
            text.append(String.join("|", spec.subcommands().keySet())).append(") ...");
        }
        text.append('\n').append(behindALine(usage.description()));
        text.append(examples());
        List<Group> groups = groups(spec);
        // Laid out for all groups, so that the columns are equally wide.
        List<OptionSpec> options =
                groups.stream().flatMap(one -> one.options.stream()).toList();
        for (Group group : groups) {
            Help.Layout layout = usage.createDefaultLayout(options, List.of(), usage.colorScheme());
            group.parameters.forEach(one -> layout.addPositionalParameter(one, usage.parameterLabelRenderer()));
            group.options.forEach(one -> layout.addOption(one, usage.parameterLabelRenderer()));
            text.append('\n').append(group.heading).append(":\n").append(layout);
        }
        return text.append(usage.exitCodeListHeading())
                .append(usage.exitCodeList())
                .append("\nEvery option: ")
                .append(spec.qualifiedName())
                .append(" --help=all\n")
                .toString();
    }

    private String examples() {
        StringBuilder text = new StringBuilder("\nExamples:\n");
        for (String example : help.examples()) {
            text.append("  ").append(example).append('\n');
        }
        return text.toString();
    }

    /** Options under a heading, each with the first sentence of its description. */
    private record Group(String heading, List<OptionSpec> options, List<PositionalParamSpec> parameters) {}

    private List<Group> groups(CommandSpec spec) {
        List<Group> groups = new ArrayList<>();
        for (String words : help.options()) {
            int colon = words.indexOf(':');
            Group group = new Group(words.substring(0, colon), new ArrayList<>(), new ArrayList<>());
            for (String name : words.substring(colon + 1).strip().split("\\s+")) {
                if (name.startsWith("-")) {
                    OptionSpec option = spec.findOption(name);
                    if (option == null) {
                        throw new IllegalStateException(spec.qualifiedName() + " has no option " + name);
                    }
                    group.options.add(OptionSpec.builder(option)
                            .description(first(option.description()))
                            .build());
                } else {
                    spec.positionalParameters().stream()
                            .filter(one -> one.paramLabel().equals(name))
                            .forEach(one -> group.parameters.add(PositionalParamSpec.builder(one)
                                    .description(first(one.description()))
                                    .build()));
                }
            }
            groups.add(group);
        }
        return groups;
    }

    private static String first(String... description) {
        String whole = String.join(" ", description);
        Matcher sentence = SENTENCE.matcher(whole);
        // picocli formats a description once more.
        return (sentence.matches() ? sentence.group(1) : whole).replace("%", "%%");
    }

    /** The command lines that the help of a command and its subcommands shows. */
    static List<String> examples(CommandLine command) {
        List<String> examples = new ArrayList<>();
        ShortHelp help = declared(command.getCommandSpec());
        if (help != null) {
            examples.addAll(List.of(help.examples()));
        }
        command.getSubcommands().values().forEach(one -> examples.addAll(examples(one)));
        return examples;
    }
}
