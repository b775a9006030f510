package dev.msgrelay.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;

/** All commands of a program. */
public final class Commands {
    private Commands() {}

    /** All commands, each by the words that name it; the first one, without words, is the program itself. */
    public static List<List<String>> of(CommandLine program) {
        List<List<String>> all = new ArrayList<>();
        add(program, List.of(), all);
        return all;
    }

    private static void add(CommandLine command, List<String> names, List<List<String>> all) {
        all.add(names);
        command.getSubcommands()
                .forEach((name, sub) ->
                        add(sub, Stream.concat(names.stream(), Stream.of(name)).toList(), all));
    }
}
