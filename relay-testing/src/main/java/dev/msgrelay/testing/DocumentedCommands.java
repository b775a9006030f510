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
    /** Up to the next command, or the comment behind it, which may be set off by blanks alone. */
    private static final Pattern END = Pattern.compile("\\s+#.*|\\s{2,}.*|\\s*[|;&>].*");

    /** Text that the shell or the reader replaces: the output of a command, an option that may be left out. */
    private static final Pattern REPLACED = Pattern.compile("\\$\\([^)]*\\)");

    private static final Pattern OPTIONAL = Pattern.compile("\\s\\[[^\\]]*\\]");

    private static final Pattern WORD = Pattern.compile("(?:[^\\s\"]|\"[^\"]*\")+");

    private DocumentedCommands() {}

    /**
     * The arguments of every command in a block of a document of the project's folder or of docs/ that calls this
     * program with arguments, as "bin/relay-server" or, where a command may begin, as "relay-server".
     */
    public static List<List<String>> of(String program) throws IOException {
        Pattern call =
                Pattern.compile("(?:(?:^|[\\s|])bin/|(?:^|[|;&]\\s*)(?:\\w+=\\S*\\s+)*)" + program + "(?=\\s|$)(.*)");
        List<List<String>> all = new ArrayList<>();
        for (Path document : documents()) {
            boolean block = false;
            String begun = "";
            for (String line : Files.readAllLines(document)) {
                block ^= line.startsWith("```");
                if (block && line.endsWith("\\")) {
                    begun += line.substring(0, line.length() - 1).strip() + " ";
                } else if (block) {
                    call.matcher(REPLACED.matcher(begun.isEmpty() ? line : begun + line.strip())
                                    .replaceAll("replaced"))
                            .results()
                            .map(found -> words(found.group(1)))
                            .filter(words -> !words.isEmpty())
                            .forEach(all::add);
                    begun = "";
                }
            }
        }
        return all;
    }

    private static List<String> words(String text) {
        return WORD.matcher(OPTIONAL.matcher(END.matcher(text).replaceFirst("")).replaceAll(""))
                .results()
                .map(MatchResult::group)
                .map(word -> word.replace("\"", ""))
                .toList();
    }

    private static List<Path> documents() throws IOException {
        List<Path> all = new ArrayList<>();
        for (Path folder : List.of(PROJECT, PROJECT.resolve("docs"))) {
            try (DirectoryStream<Path> documents = Files.newDirectoryStream(folder, "*.md")) {
                documents.forEach(all::add);
            }
        }
        return all;
    }
}
