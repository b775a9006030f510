package dev.msgrelay.testing.scripted;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * One case of a case file; {@code clients/conformance/README.md} has the form.
 *
 * @param name group and name: {@code gaps/slow}; the group is the file's name
 * @param needs capabilities that a client must have
 * @param loop the number that the case is played with; null: once
 */
record Case(String name, Path file, Set<String> needs, Loop loop, List<Step> steps) {
    private static final String SUFFIX = ".case";

    /** One line. The words still hold their variables. */
    record Step(int line, String verb, List<String> words) {
        @Override
        public String toString() {
            return "line " + line + ", " + verb + " " + String.join(" ", words);
        }
    }

    /** A variable that takes each number from {@code from} to {@code to}. */
    record Loop(String variable, long from, long to) {}

    /** The cases of a file, or of all {@code .case} files of a directory. */
    static List<Case> read(Path fileOrDirectory) throws IOException {
        if (!Files.isDirectory(fileOrDirectory)) {
            return readFile(fileOrDirectory);
        }
        List<Case> all = new ArrayList<>();
        try (Stream<Path> files = Files.list(fileOrDirectory)) {
            for (Path file :
                    files.filter(f -> f.toString().endsWith(SUFFIX)).sorted().toList()) {
                all.addAll(readFile(file));
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        return all;
    }

    private static List<Case> readFile(Path file) throws IOException {
        String group = file.getFileName().toString().replace(SUFFIX, "");
        List<Case> cases = new ArrayList<>();
        Case open = null;
        int line = 0;
        for (String text : Files.readAllLines(file)) {
            line++;
            List<String> words = text.strip().startsWith("#") ? List.of() : Words.of(text.strip());
            if (words.isEmpty()) {
                continue;
            }
            String verb = words.get(0);
            List<String> rest = words.subList(1, words.size());
            if (verb.equals("case")) {
                open = new Case(group + "/" + rest.get(0), file, new LinkedHashSet<>(), null, new ArrayList<>());
                cases.add(open);
            } else if (open == null) {
                throw new IOException(file + ", line " + line + ": a step before the first case");
            } else if (verb.equals("needs")) {
                open.needs.addAll(rest);
            } else if (verb.equals("for")) {
                String[] range = rest.get(2).split("\\.\\.");
                Loop loop = new Loop(rest.get(0), Long.parseLong(range[0]), Long.parseLong(range[1]));
                open = new Case(open.name, open.file, open.needs, loop, open.steps);
                cases.set(cases.size() - 1, open);
            } else {
                open.steps.add(new Step(line, verb, rest));
            }
        }
        return cases;
    }
}
