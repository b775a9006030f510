package dev.msgrelay.testing;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The command lines of the documents, to be parsed by the programs that they name. */
public final class DocumentedCommands {
    private static final Path PROJECT = Path.of("..");
    /** Up to the next command, or the comment behind it. */
    private static final Pattern END = Pattern.compile("\\s+#.*|\\s*[|;&>].*");

    private static final Pattern WORD = Pattern.compile("(?:[^\\s\"]|\"[^\"]*\")+");

    private DocumentedCommands() {}

    /**
     * The arguments of every command in a block of README.md or of docs/ that calls this program.
     *
     * @param program as in "bin/relay-server"
     */
    public static List<List<String>> of(String program) throws IOException {
        Pattern call = Pattern.compile("(?:^|[\\s|])bin/" + program + "(?=\\s|$)(.*)");
        List<List<String>> all = new ArrayList<>();
        for (Path document : documents()) {
            boolean block = false;
            for (String line : Files.readAllLines(document)) {
                block ^= line.startsWith("```");
                if (block) {
                    call.matcher(line)
                            .results()
                            .map(found -> words(found.group(1)))
                            .forEach(all::add);
                }
            }
        }
        return all;
    }

    private static List<String> words(String text) {
        return WORD.matcher(END.matcher(text).replaceFirst(""))
                .results()
                .map(MatchResult::group)
                .map(word -> word.replace("\"", ""))
                .toList();
    }

    private static List<Path> documents() throws IOException {
        List<Path> all = new ArrayList<>(List.of(PROJECT.resolve("README.md")));
        try (DirectoryStream<Path> others = Files.newDirectoryStream(PROJECT.resolve("docs"), "*.md")) {
            others.forEach(all::add);
        }
        return all;
    }
}
