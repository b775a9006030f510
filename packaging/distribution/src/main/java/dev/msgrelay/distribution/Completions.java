package dev.msgrelay.distribution;

import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** The completion of a command for zsh and fish; picocli makes that for bash. */
final class Completions {
    private Completions() {}

    /** The completion for zsh: a function for the command, and one for each of its own commands. */
    static String zsh(CommandLine command) {
        StringBuilder text = new StringBuilder("#compdef " + command.getCommandName() + "\n");
        zsh(command, "_" + command.getCommandName(), text);
        return text.append('_').append(command.getCommandName()).append(" \"$@\"\n").toString();
    }

    private static void zsh(CommandLine command, String function, StringBuilder text) {
        Map<String, CommandLine> inner = command.getSubcommands();
        inner.forEach((name, one) -> zsh(one, function + "_" + name, text));
        text.append(function).append("() {\n");
        if (!inner.isEmpty()) {
            text.append("  local state line\n  typeset -A opt_args\n");
        }
        text.append(inner.isEmpty() ? "  _arguments \\\n" : "  _arguments -C \\\n");
        for (OptionSpec option : command.getCommandSpec().options()) {
            boolean value = option.arity().max() > 0 && !option.usageHelp();
            for (String name : option.names()) {
                text.append("    '")
                        .append(name)
                        .append(value && name.startsWith("--") ? "=" : "")
                        .append('[')
                        .append(firstSentence(option).replaceAll("[\\[\\]:']", ""))
                        .append(']')
                        .append(value ? ":" + option.paramLabel().replaceAll("[\\[\\]:']", "") + ":" + zshValues(option) : "")
                        .append("' \\\n");
            }
        }
        if (inner.isEmpty()) {
            text.append("    '*:argument:_files'\n");
        } else {
            text.append("    '1:command:(")
                    .append(String.join(" ", inner.keySet()))
                    .append(")' '*::argument:->rest'\n  case $state in\n  rest)\n    case $words[1] in\n");
            inner.keySet()
                    .forEach(name -> text.append("    ")
                            .append(name)
                            .append(") ")
                            .append(function)
                            .append('_')
                            .append(name)
                            .append(" ;;\n"));
            text.append("    esac ;;\n  esac\n");
        }
        text.append("}\n");
    }

    private static String zshValues(OptionSpec option) {
        return option.completionCandidates() == null
                ? "_files"
                : "(" + String.join(" ", option.completionCandidates()) + ")";
    }

    /** The completion for fish: a line for each option, under its command. */
    static String fish(CommandLine command) {
        StringBuilder text = new StringBuilder();
        String name = command.getCommandName();
        String inner = String.join(" ", command.getSubcommands().keySet());
        fish(
                command,
                "complete -c " + name + (inner.isEmpty() ? "" : " -n 'not __fish_seen_subcommand_from " + inner + "'"),
                text);
        command.getSubcommands()
                .forEach((sub, one) ->
                        fish(one, "complete -c " + name + " -n '__fish_seen_subcommand_from " + sub + "'", text));
        return text.toString();
    }

    private static void fish(CommandLine command, String begin, StringBuilder text) {
        command.getSubcommands().keySet().forEach(inner -> text.append(begin)
                .append(" -a ")
                .append(inner)
                .append('\n'));
        for (OptionSpec option : command.getCommandSpec().options()) {
            text.append(begin);
            for (String name : option.names()) {
                text.append(name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1));
            }
            if (option.arity().max() > 0 && !option.usageHelp()) {
                text.append(" -r");
            }
            if (option.completionCandidates() != null) {
                text.append(" -f -a '")
                        .append(String.join(" ", option.completionCandidates()))
                        .append('\'');
            }
            text.append(" -d '").append(firstSentence(option).replace("'", "")).append("'\n");
        }
    }

    /** The first sentence of an option's description, as a line. */
    private static String firstSentence(OptionSpec option) {
        String all = String.join(" ", option.description()).replaceAll("%n|\\$\\{[^}]*}|\\s+", " ").strip();
        return all.replaceFirst("[.:;] .*$", "").replaceFirst("\\.$", "");
    }
}
