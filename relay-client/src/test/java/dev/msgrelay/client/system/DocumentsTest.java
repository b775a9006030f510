package dev.msgrelay.client.system;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.cli.ExitCodes;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.assembly.MemoryPlan;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.testing.FreePort;
import dev.msgrelay.testing.TestProcess;
import dev.msgrelay.testing.ThisMachine;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the README and the documents show does what they say. */
class DocumentsTest {
    private static final Path README = Path.of("..", "README.md");
    private static final Path JAVA_README = Path.of("..", "clients", "java", "README.md");
    private static final Path DOCS = Path.of("..", "docs");
    private static final Path OPERATIONS = DOCS.resolve("operations.md");

    /** The library's public classes, whose javadoc has examples. */
    private static final Path LIBRARY = Path.of("src", "main", "java", "dev", "msgrelay", "client");

    private static final Pattern EXAMPLE =
            Pattern.compile("^ \\* <pre>\\{@code\n(.*?)^ \\* }</pre>", Pattern.MULTILINE | Pattern.DOTALL);

    private static final Pattern PUBLIC =
            Pattern.compile("^public (?:abstract |final |sealed )*(?:class|interface|record|enum) ", Pattern.MULTILINE);

    private static final Pattern BLOCK = Pattern.compile("^```(\\w+)\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

    /** What a whole program has, and a piece of one has not. */
    private static final String MAIN = "static void main";

    /** What stands around a piece of Java: a name that it uses and does not declare is a field here. */
    private static final String PIECE = """
            import dev.msgrelay.client.*;
            import dev.msgrelay.protocol.*;
            import dev.msgrelay.protocol.net.Endpoint;
            import dev.msgrelay.server.*;
            import dev.msgrelay.server.admin.*;
            import dev.msgrelay.server.config.*;
            import java.nio.ByteBuffer;
            import java.nio.charset.StandardCharsets;
            import java.nio.file.Path;
            import java.time.Duration;
            import java.util.function.LongSupplier;

            class Piece%d {
                interface Registry {
                    void counter(String name, LongSupplier value);

                    void gauge(String name, LongSupplier value);
                }

                Registry registry;
                RelayPublisher publisher;
                RelaySubscriber subscriber;
                RelayServer relay;
                Endpoint endpoint;
                String secret;
                ByteBuffer body;

                void piece() throws Exception {
                    %s
                }
            }
            """;

    @TempDir
    private Path folder;

    private static List<String> blocks(String language, Path document) {
        List<String> blocks = new ArrayList<>();
        Matcher block = BLOCK.matcher(text(document));
        while (block.find()) {
            if (block.group(1).equals(language)) {
                blocks.add(block.group(2));
            }
        }
        return blocks;
    }

    private static String text(Path document) {
        try {
            return Files.readString(document);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static RelayServer start() throws IOException {
        return RelayServer.start(RelayConfig.builder(0, 0).build());
    }

    /** The program, for a relay on other ports. */
    private static String at(RelayServer relay, String program) {
        return program.replace("7401", "" + relay.publishAddress().getPort())
                .replace("7400", "" + relay.subscribeAddress().getPort());
    }

    @Test
    void theProgramInJavaPublishesAndSubscribes() throws Exception {
        try (RelayServer relay = start();
                TestProcess hello = hello(at(relay, programInJava()))) {
            assertThat(hello.line(line -> line.endsWith("hello"))).isEqualTo("1 7 hello");
        }
    }

    /** It waits for its own limits, of half a minute by default: a second does here. */
    @Tag("thorough")
    @Test
    void theProgramInJavaFailsWhereThereIsNoRelay() throws Exception {
        String program =
                programInJava().replace("ofSeconds(30)", "ofSeconds(1)").replace("7401", "" + FreePort.next());
        try (TestProcess hello = hello(program, "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")) {
            assertThat(hello.awaitExit()).isEqualTo(1);
            assertThat(hello.lines()).isEmpty();
            assertThat(hello.errors())
                    .as("a try that fails is logged")
                    .anyMatch(line -> line.contains("WARN") && line.contains("Connection refused; next try in "))
                    .anyMatch(line -> line.contains("PublishException: 1 message not acknowledged in time: ")
                            && line.endsWith("Connection refused"));
        }
    }

    @Test
    void theProgramsOfTheJavaClientPublishAndSubscribe() throws Exception {
        List<String> programs = programsOfTheJavaClient();
        List<String> printed = blocks("text", JAVA_README).get(0).lines().toList();
        try (RelayServer relay = start();
                TestProcess orders = hello(at(relay, programs.get(1)))) {
            assertThat(orders.awaitExit()).as("%s", orders.errors()).isZero();
            assertThat(orders.lines()).containsExactly("10 acknowledged");
            assertThat(text(JAVA_README)).contains("It prints `10 acknowledged`");
            try (TestProcess audit = hello(at(relay, programs.get(0)))) {
                audit.line(printed.get(printed.size() - 1)::equals);
                assertThat(audit.lines()).isEqualTo(printed);
            }
        }
    }

    /** The subscriber waits for ever; the publisher for its limits, of half a minute: a second does here. */
    @Test
    void theProgramsOfTheJavaClientSayThatThereIsNoRelay() throws Exception {
        String port = "" + FreePort.next();
        List<String> programs = programsOfTheJavaClient().stream()
                .map(program -> program.replace("ofSeconds(30)", "ofSeconds(1)")
                        .replace("7400", port)
                        .replace("7401", port))
                .toList();
        String flag = "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn";
        String said = "cannot connect to 127.0.0.1:" + port + ": Connection refused; next try in ";
        try (TestProcess audit = hello(programs.get(0), flag);
                TestProcess orders = hello(programs.get(1), flag)) {
            audit.error(0, line -> line.contains(said));
            orders.error(0, line -> line.contains(said));
            assertThat(orders.awaitExit()).isEqualTo(1);
            assertThat(orders.errors()).anyMatch(line -> line.contains("10 messages not acknowledged in time"));
            assertThat(audit.isAlive()).isTrue();
            assertThat(audit.lines()).isEmpty();
        }
        assertThat(text(JAVA_README))
                .contains(
                        "`cannot connect to 127.0.0.1:`",
                        "`Connection refused`",
                        "`10 messages not acknowledged in time`");
    }

    private static List<String> programsOfTheJavaClient() {
        List<String> programs = blocks("java", JAVA_README).stream()
                .filter(block -> block.contains(MAIN))
                .toList();
        assertThat(programs).hasSize(2);
        return programs;
    }

    private static String programInJava() {
        return blocks("java", README).stream()
                .filter(block -> block.contains(MAIN))
                .findFirst()
                .orElseThrow();
    }

    private TestProcess hello(String program, String... flags) throws IOException {
        String main = program.replaceAll("(?s).*?class (\\w+).*", "$1");
        compile(List.of(Files.writeString(folder.resolve(main + ".java"), program)));
        List<String> command = TestProcess.javaCommand(main);
        int classPath = command.indexOf("-cp") + 1;
        command.set(classPath, folder + File.pathSeparator + command.get(classPath));
        command.addAll(1, List.of(flags));
        return new TestProcess(command);
    }

    @Test
    void thePiecesOfJavaCompile() throws Exception {
        List<String> pieces = new ArrayList<>();
        try (Stream<Path> documents = Stream.concat(Files.list(Path.of("..")), Files.list(DOCS))) {
            Stream.concat(documents, Stream.of(JAVA_README))
                    .filter(document -> document.toString().endsWith(".md"))
                    .flatMap(document -> blocks("java", document).stream())
                    .filter(block -> !block.contains(MAIN))
                    .forEach(pieces::add);
        }
        assertThat(pieces).isNotEmpty();
        compilePieces(pieces);
    }

    @Test
    void eachPublicClassOfTheLibraryHasAnExampleThatCompiles() throws Exception {
        List<String> pieces = new ArrayList<>();
        try (Stream<Path> files = Files.list(LIBRARY)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String source = text(file);
                List<String> examples = EXAMPLE.matcher(source)
                        .results()
                        .map(example -> example.group(1).replaceAll("(?m)^ \\* ?", ""))
                        .toList();
                assertThat(!PUBLIC.matcher(source).find() || !examples.isEmpty())
                        .as("%s has an example", file.getFileName())
                        .isTrue();
                pieces.addAll(examples);
            }
        }
        assertThat(pieces).hasSizeGreaterThan(10);
        compilePieces(pieces);
    }

    private void compilePieces(List<String> pieces) throws IOException {
        List<Path> files = new ArrayList<>();
        for (String piece : pieces) {
            files.add(Files.writeString(
                    folder.resolve("Piece" + files.size() + ".java"),
                    String.format(Locale.ROOT, PIECE, files.size(), piece)));
        }
        compile(files);
    }

    private void compile(List<Path> files) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            boolean good = compiler.getTask(
                            said,
                            manager,
                            null,
                            List.of("-proc:none", "-d", folder.toString(), "-cp", ThisMachine.classPath()),
                            null,
                            manager.getJavaFileObjectsFromPaths(files))
                    .call();
            assertThat(good).as("%s", said).isTrue();
        }
    }

    @Test
    void theProgramsInPythonPublishAndSubscribe() throws Exception {
        assumeThereIsPython();
        List<String> programs = blocks("python", README);
        assertThat(programs).hasSize(2);
        try (RelayServer relay = start()) {
            Process subscriber = python(at(relay, programs.get(0))).start();
            try (BufferedReader output = subscriber.inputReader(StandardCharsets.UTF_8)) {
                CompletableFuture<String> line = CompletableFuture.supplyAsync(() -> firstLine(output));
                // It gets what comes from its connection on: when that is, nobody tells.
                long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
                while (!line.isDone() && System.nanoTime() < end) {
                    Process publisher = python(at(relay, programs.get(1))).start();
                    assertThat(publisher.waitFor(120, TimeUnit.SECONDS)).isTrue();
                    assertThat(publisher.exitValue()).isZero();
                }
                assertThat(line.get(120, TimeUnit.SECONDS)).isEqualTo("7 b'hello'");
            } finally {
                subscriber.destroyForcibly();
            }
        }
    }

    private static ProcessBuilder python(String program) {
        return TestProcess.builder(List.of("python3", "-c", program)).redirectError(ProcessBuilder.Redirect.INHERIT);
    }

    private static String firstLine(BufferedReader output) {
        try {
            return output.readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void assumeThereIsPython() throws InterruptedException {
        boolean there;
        try {
            there = python("").start().waitFor() == 0;
        } catch (IOException none) {
            there = false;
        }
        ThisMachine.need(there, "there is no python3: the README's programs in Python are not run");
    }

    @ParameterizedTest
    @EnumSource(CloseReason.class)
    void whatToDoAboutEachReasonIsTold(CloseReason reason) {
        String operations = text(OPERATIONS);
        assertThat(operations.substring(operations.indexOf("\n## Troubleshooting")))
                .contains("`" + reason + "`");
    }

    @Test
    void whatToDoAboutEachLimitIsTold() {
        String operations = text(OPERATIONS);
        String counters = operations.substring(operations.indexOf("\n### Counters"));
        assertThat(Counter.values()).filteredOn(Counter::limit).allSatisfy(counter -> assertThat(counters)
                .contains("`" + counter.key() + "`"));
    }

    @Test
    void theTableOfExitCodesIsThatOfTheHelp() {
        String operations = text(OPERATIONS);
        String table = operations.substring(operations.indexOf("\n### Exit codes"), operations.indexOf("\n## Upgrade"));
        ExitCodes.table().forEach((code, words) -> assertThat(table).contains("\n| " + code + " | " + words + " |"));
    }

    @Test
    void theExampleOfTheMemoryIsWhatTheRelayPrints() {
        MemoryPlan plan = MemoryPlan.of(RelayConfig.builder()
                .set(LOG_SIZE, 512 << 20)
                .set(MAX_CONNECTIONS, 100)
                .build());
        assertThat(text(OPERATIONS)).contains(String.join("\n", plan.table()) + "\n");
    }
}
