package dev.msgrelay.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;

/** The commands of a command line. */
public final class Commands {
    private Commands() {}

    /** All there are, by the words that name them; the first one, which has no words, is the program itself. */
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
