package dev.msgrelay.protocol.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** What a user writes is what a command gets. */
class CommandParserTest {
    private static final List<String> TEXTS =
            List.of("@@x", "\"quoted\"", "'", "${user.dir}", "$$", "a=b", "%n", "\\n", " x ", "");

    @Test
    void noArgumentIsChanged(@TempDir Path folder) throws IOException {
        List<String> texts = new ArrayList<>(TEXTS);
        texts.add("@" + Files.writeString(folder.resolve("file"), "the content of a file"));
        for (String text : texts) {
            Root root = new Root();
            CommandParser.of(root).parseArgs("--name", text, text);
            assertThat(root.name).isEqualTo(text);
            assertThat(root.rest).containsExactly(text);

            Inner inner = new Inner();
            CommandParser.of(new Root(), inner).parseArgs("inner", "--name", text);
            assertThat(inner.name).isEqualTo(text);
        }
    }

    @Test
    void aValueMayBeTheNameOfASubcommand() {
        Inner inner = new Inner();
        Root root = new Root();
        CommandParser.of(root, inner).parseArgs("--name", "inner", "inner", "--name", "inner");
        assertThat(root.name).isEqualTo("inner");
        assertThat(inner.name).isEqualTo("inner");
    }

    @Test
    void noDefaultIsChanged() {
        for (String text : Stream.concat(TEXTS.stream(), Stream.of("$${x}", "$$${x}", "a$b"))
                .toList()) {
            Root root = new Root();
            CommandParser.of(root)
                    .setDefaultValueProvider(of -> of instanceof OptionSpec ? CommandParser.asDefault(text) : null)
                    .parseArgs();
            assertThat(root.name).isEqualTo(text);
        }
    }

    @Test
    void aFaultNamesTheUnknownCommandAndShowsNoSecret() {
        assertThat(fault("iner", "x")).isEqualTo("Unmatched argument: 'iner' (did you mean 'inner'?)");
        assertThat(fault("inner", "--nam", "x")).startsWith("Unknown option: '--nam' (did you mean '--name'?)");
        assertThat(fault("inner", "@ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
                .contains("not shown")
                .doesNotContain("ABC");
        assertThat(fault("inner", "--name")).isEqualTo("Missing required parameter for option '--name' (<name>)");
    }

    private static String fault(String... args) {
        try {
            CommandParser.of(new Choice(), new Inner()).parseArgs(args);
        } catch (ParameterException e) {
            return CommandParser.fault(e);
        }
        throw new AssertionError("was taken");
    }

    /** A parser of its own would take texts for other ones again. */
    @Test
    void allCommandsHaveThisParser() throws IOException {
        List<String> found = new ArrayList<>();
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            for (Path module : modules.toList()) {
                Path main = module.resolve("src/main/java");
                if (Files.isDirectory(main)) {
                    try (Stream<Path> files = Files.walk(main)) {
                        for (Path file : files.filter(Files::isRegularFile).toList()) {
                            if (Files.readString(file).contains("new CommandLine(")) {
                                found.add(file.getFileName().toString());
                            }
                        }
                    }
                }
            }
        }
        assertThat(found).containsExactly("CommandParser.java");
    }

    @Command(name = "root")
    private static final class Root {
        @Option(names = "--name")
        private String name;

        @Parameters
        private List<String> rest;
    }

    @Command(name = "choice")
    private static final class Choice {}

    @Command(name = "inner")
    private static final class Inner {
        @Option(names = "--name")
        private String name;
    }
}
