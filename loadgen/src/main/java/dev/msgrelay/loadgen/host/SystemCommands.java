package dev.msgrelay.loadgen.host;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Where commands are looked for: tc, ethtool and their like are often not on the path of an ordinary user. */
final class SystemCommands {
    private static final List<String> ALSO = List.of("/usr/sbin", "/sbin");

    private SystemCommands() {}

    /** The path that a command gets for the commands which it calls. */
    static String path() {
        return path(System.getenv().getOrDefault("PATH", ""));
    }

    static String path(String users) {
        List<String> directories = new ArrayList<>(users.isEmpty() ? List.of() : List.of(users));
        directories.addAll(ALSO);
        return String.join(File.pathSeparator, directories);
    }

    /** The command as it is found; unchanged where it is not. */
    static List<String> resolved(List<String> command) {
        return resolved(command, path());
    }

    static List<String> resolved(List<String> command, String path) {
        String name = command.get(0);
        if (name.contains(File.separator)) {
            return command;
        }
        List<String> found = new ArrayList<>(command);
        Stream.of(path.split(File.pathSeparator))
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory, name))
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .findFirst()
                .ifPresent(file -> found.set(0, file.toString()));
        return found;
    }
}
