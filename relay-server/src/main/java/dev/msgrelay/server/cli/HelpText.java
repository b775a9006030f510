package dev.msgrelay.server.cli;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Layout;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.CommandSpec;

/** The list of options in the help text, under one heading for each class of options. */
final class HelpText implements IHelpSectionRenderer {
    private final Map<String, String> headings;

    /** @param headings headings by the names of the mixins, in their order */
    HelpText(Map<String, String> headings) {
        this.headings = headings;
    }

    @Override
    public String render(Help help) {
        return headings.entrySet().stream()
                .map(heading -> "\n" + heading.getValue() + ":\n"
                        + list(help, help.commandSpec().mixins().get(heading.getKey())))
                .collect(Collectors.joining());
    }

    private static String list(Help help, CommandSpec mixin) {
        // Laid out for all options, so that the columns are equally wide under every heading.
        Layout layout = help.createDefaultLayout(help.commandSpec().options(), List.of(), help.colorScheme());
        layout.addAllOptions(mixin.options(), help.parameterLabelRenderer());
        return layout.toString();
    }
}
