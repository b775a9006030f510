package dev.msgrelay.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Package pages, ARCHITECTURE.md and the documents name types and packages that there are. */
class DoorsTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final String PAGE = "package-info.java";
    private static final Set<String> NOT_SEARCHED = Set.of("target", "node_modules", "build", "clients", ".git");

    private static final Pattern CAMEL_CASE = Pattern.compile("(?<![\\w.$#@-])[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+\\b");
    private static final Pattern DECLARED = Pattern.compile("\\b(?:class|interface|record|enum)\\s+([A-Z]\\w*)");
    private static final Pattern COMMENT = Pattern.compile("\\s*(?:\\*|//|/\\*)");
    private static final Pattern FENCED = Pattern.compile("```.*?```", Pattern.DOTALL);
    private static final Pattern IN_BACKTICKS = Pattern.compile("`([^`\n]+)`");
    private static final Pattern IN_A_PAGE =
            Pattern.compile("\\{@(?:code|link)\\s([^}]*)}|<pre>(.*?)</pre>", Pattern.DOTALL);

    /** Types of libraries, each with its library. */
    private static final Map<String, String> OF_LIBRARIES = Map.of(
            "ClusterBackup", "Aeron Cluster",
            "MultiProducerSequencer", "Disruptor",
            "RandomAccessFile", "JDK",
            "SslHandler", "Netty",
            "WatchAll", "nats.go");

    /** Words that are no types, each with what it is. */
    private static final Map<String, String> OTHER_WORDS = Map.ofEntries(
            Map.entry("AtomicPositionWrites", "a contestant of the lab"),
            Map.entry("BufferedWrites", "a contestant of the lab"),
            Map.entry("NullLogger", "a contestant of the lab"),
            Map.entry("MaxDirectMemorySize", "an option of the JVM"),
            Map.entry("MemoryMax", "a setting of systemd"),
            Map.entry("WatchdogSec", "a setting of systemd"),
            Map.entry("PerSecond", "the end of a name in JSON"),
            Map.entry("FuzzTarget", "the end of a class's name"));

    private static final List<Path> FILES = new ArrayList<>();
    private static final Set<String> MAIN_TYPES = new HashSet<>();
    private static final Set<String> TEST_TYPES = new HashSet<>();

    @BeforeAll
    static void collects() throws IOException {
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                return NOT_SEARCHED.contains(String.valueOf(directory.getFileName()))
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                String name = file.getFileName().toString();
                if (name.endsWith(".java") || name.endsWith(".md")) {
                    FILES.add(file);
                }
                if (name.endsWith(".java") && !name.equals(PAGE)) {
                    DECLARED.matcher(Files.readString(file))
                            .results()
                            .map(found -> found.group(1))
                            .forEach((isMain(file) ? MAIN_TYPES : TEST_TYPES)::add);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        assertThat(MAIN_TYPES).contains("NetworkBatchHandler", "FrameReader", "RelaySubscriber");
    }

    /**
     * A type of a test is a door for documents, since they name the test that holds a rule; not for a page of main
     * code.
     */
    @Test
    void namesAreTypes() throws IOException {
        Set<String> alerts = alerts();
        Map<String, Set<String>> unknown = new TreeMap<>();
        for (Path file : FILES) {
            boolean page = file.endsWith(PAGE);
            boolean isOfMainCode = page && isMain(file);
            if (page || isADocument(file)) {
                Set<String> wrong = (page ? named(IN_A_PAGE, Files.readString(file)) : named(document(file)))
                        .filter(word -> !MAIN_TYPES.contains(word))
                        .filter(word -> isOfMainCode || !TEST_TYPES.contains(word))
                        .filter(word -> !OF_LIBRARIES.containsKey(word) && !OTHER_WORDS.containsKey(word))
                        .filter(word -> !alerts.contains(word))
                        .collect(Collectors.toCollection(TreeSet::new));
                if (!wrong.isEmpty()) {
                    unknown.put(ROOT.relativize(file).toString(), wrong);
                }
            }
        }
        assertThat(unknown).isEmpty();
    }

    @Test
    void wordsOfTheShortListsAreUsed() throws IOException {
        Set<String> used = new HashSet<>();
        for (Path file : FILES) {
            if (file.endsWith(PAGE)) {
                named(IN_A_PAGE, Files.readString(file)).forEach(used::add);
            } else if (isADocument(file)) {
                named(document(file)).forEach(used::add);
            }
        }
        assertThat(used).containsAll(OTHER_WORDS.keySet()).containsAll(OF_LIBRARIES.keySet());
    }

    /** The formatter leaves comments as they are, so it does not see their width. */
    @Test
    void linesOfCommentsHave120Columns() throws IOException {
        List<String> wide = new ArrayList<>();
        for (Path file : FILES) {
            if (file.toString().endsWith(".java")) {
                Files.readString(file)
                        .lines()
                        .filter(line ->
                                line.length() > 120 && COMMENT.matcher(line).lookingAt())
                        .forEach(line -> wide.add(ROOT.relativize(file) + ": " + line.strip()));
            }
        }
        assertThat(wide).isEmpty();
    }

    @Test
    void drawingsOfModulesNameFolders() throws IOException {
        Path loadgen = ROOT.resolve("loadgen/src/main/java/dev/msgrelay/loadgen");
        assertThat(firstWords("(?m)^ \\*  ([a-z]+) +\\S", Files.readString(loadgen.resolve(PAGE))))
                .containsExactlyInAnyOrderElementsOf(folders(loadgen));

        String architecture = Files.readString(ROOT.resolve("ARCHITECTURE.md"));
        List<String> modules =
                firstWords("(?m)^([a-z][a-z-]+)  +\\S", architecture.split("```")[modulesAt(architecture)]);
        assertThat(modules).hasSizeGreaterThan(8).allMatch(module -> Files.isDirectory(ROOT.resolve(module)));
    }

    @Test
    void theRelaysPackagesAreThoseOfTheDocument() throws IOException {
        String architecture = Files.readString(ROOT.resolve("ARCHITECTURE.md"));
        int begin = architecture.indexOf("## The relay's packages");
        String section = architecture.substring(begin, architecture.indexOf("\n## ", begin + 1));
        Set<String> named = new TreeSet<>();
        Pattern.compile("(?m)^\\* ((?:`[a-z]+`(?:, )?)+)")
                .matcher(section)
                .results()
                .forEach(line ->
                        IN_BACKTICKS.matcher(line.group(1)).results().forEach(word -> named.add(word.group(1))));
        List<String> there = folders(ROOT.resolve("relay-server/src/main/java/dev/msgrelay/server"));
        assertThat(named).containsExactlyInAnyOrderElementsOf(there);
    }

    private static boolean isMain(Path file) {
        return ROOT.relativize(file).toString().contains("src/main/");
    }

    private static int modulesAt(String architecture) {
        String[] parts = architecture.split("```");
        for (int i = 1; i < parts.length; i += 2) {
            if (parts[i].contains("\nrelay-protocol ")) {
                return i;
            }
        }
        throw new AssertionError("ARCHITECTURE.md has no drawing of the modules");
    }

    private static List<String> firstWords(String line, String text) {
        return Pattern.compile(line)
                .matcher(text)
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    private static List<String> folders(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.filter(Files::isDirectory)
                    .map(folder -> folder.getFileName().toString())
                    .toList();
        }
    }

    /** ARCHITECTURE.md, docs and the READMEs of modules. A changelog also names what is gone. */
    private static boolean isADocument(Path file) {
        String path = ROOT.relativize(file).toString();
        return path.endsWith(".md") && !path.equals("CHANGELOG.md");
    }

    private static Stream<String> named(String document) {
        return named(IN_BACKTICKS, document);
    }

    private static String document(Path file) throws IOException {
        return FENCED.matcher(Files.readString(file)).replaceAll("");
    }

    private static Stream<String> named(Pattern places, String text) {
        return places.matcher(text)
                .results()
                .flatMap(DoorsTest::groups)
                .flatMap(place -> CAMEL_CASE.matcher(place).results())
                .map(MatchResult::group);
    }

    private static Stream<String> groups(MatchResult found) {
        List<String> groups = new ArrayList<>();
        for (int i = 1; i <= found.groupCount(); i++) {
            if (found.group(i) != null) {
                groups.add(found.group(i));
            }
        }
        return groups.stream();
    }

    /** The alerts that the packages bring along: each is a name in a file of rules. */
    private static Set<String> alerts() throws IOException {
        Set<String> names = new HashSet<>();
        try (Stream<Path> files = Files.walk(ROOT.resolve("packaging"))) {
            for (Path file : files.filter(path -> path.toString().matches(".*\\.ya?ml"))
                    .filter(path -> !path.toString().contains("/target/"))
                    .toList()) {
                names.addAll(firstWords("alert: *(\\w+)", Files.readString(file)));
            }
        }
        return names;
    }
}
