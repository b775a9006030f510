package dev.msgrelay.client.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.cli.CommandRun;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.testing.TestProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script of operations.md: a nightly export, by its exit codes. */
class ExportScriptTest {
    private static final Path OPERATIONS = Path.of("..", "docs", "operations.md");

    private static final String HALF = "{\"event\":\"mess";

    @TempDir
    private Path directory;

    @Test
    void itExportsWhatIsNewAndSaysWhatWentWrong() throws Exception {
        String document = Files.readString(OPERATIONS);
        int begin = document.indexOf("#!/bin/sh\n");
        Files.writeString(directory.resolve("export"), document.substring(begin, document.indexOf("```", begin)));
        Path commands = Files.createDirectory(directory.resolve("bin"));
        String client = TestProcess.javaCommand("dev.msgrelay.client.cli.RelayClientMain").stream()
                .map(word -> "'" + word + "'")
                .collect(Collectors.joining(" "));
        program(commands.resolve("relay-client"), "exec " + client + " \"$@\"");
        program(commands.resolve("alert"), "echo \"$1\" >>alerts");
        Endpoint subscribe;
        try (RelayServer relay = RelayServer.start(RelayConfig.builder(0, 0).build())) {
            subscribe = Endpoint.of(relay.subscribeAddress());
            publish(relay, "a", "b");
            assertThat(exportWhile(relay, subscribe)).isZero();
            publish(relay, "c");
            // As a run that was killed leaves it.
            Files.writeString(directory.resolve("export.part"), HALF);
            assertThat(exportWhile(relay, subscribe)).isZero();
            CommandRun all = CommandRun.of(
                    "subscribe", subscribe.toString(), "--from=earliest", "--until=head", "--json", "--quiet");
            String exported = exported();
            assertThat(exported.lines().limit(2))
                    .satisfiesExactly(
                            first -> assertThat(first).contains("\"body\":\"a\""),
                            second -> assertThat(second).contains("\"body\":\"b\""));
            assertThat(exported).containsOnlyOnce("\n" + HALF + "\n");
            assertThat(all.out()).as("each message once").startsWith(exported.replace(HALF + "\n", ""));
        }
        assertThat(directory.resolve("alerts")).doesNotExist();
        try (TestProcess export = export(subscribe)) {
            assertThat(export.awaitExit()).as("%s", export.errors()).isEqualTo(1);
        }
        assertThat(directory.resolve("alerts")).hasContent("no export: code 1");
    }

    /** The exit code; publishes meanwhile, for the last question of the script. */
    private int exportWhile(RelayServer relay, Endpoint subscribe) throws IOException, InterruptedException {
        try (TestProcess export = export(subscribe)) {
            while (export.isAlive()) {
                publish(relay, "later");
            }
            return export.awaitExit();
        }
    }

    private TestProcess export(Endpoint subscribe) throws IOException {
        String start = "cd \"$0\" && PATH=\"$0/bin:$PATH\" && export PATH && exec sh export \"$1\"";
        return new TestProcess(List.of("sh", "-c", start, directory.toString(), subscribe.toString()));
    }

    private static void program(Path file, String text) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + text + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private static void publish(RelayServer relay, String... messages) {
        String[] command = {"publish", Endpoint.of(relay.publishAddress()).toString(), "--quiet"};
        Stream<String> all = Stream.of(messages).map(message -> "--message=" + message);
        CommandRun run = CommandRun.of(Stream.concat(Stream.of(command), all).toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
    }

    /** The files of the export, in their order. */
    private String exported() throws IOException {
        StringBuilder text = new StringBuilder();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.filter(one -> one.toString().endsWith(".json"))
                    .sorted()
                    .toList()) {
                text.append(Files.readString(file));
            }
        }
        return text.toString();
    }
}
