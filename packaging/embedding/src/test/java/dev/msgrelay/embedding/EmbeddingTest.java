package dev.msgrelay.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.LocalPublisher;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.admin.AdminServer;
import dev.msgrelay.server.config.AdminConfig;
import dev.msgrelay.server.config.RelayConfig;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.File;
import java.io.IOException;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The libraries as a program of somebody else has them; its pom says what they may not bring along. */
class EmbeddingTest {
    private static final Path DOCUMENT = Path.of("..", "..", "docs", "packages.md");
    private static final Pattern ROW = Pattern.compile("^\\| (`netty-.*) \\| .* \\|$", Pattern.MULTILINE);
    private static final Pattern NAME = Pattern.compile("`(netty-[a-z0-9_-]+)`");
    private static final String FLAG = "--enable-native-access=ALL-UNNAMED";

    @Test
    void aMessageThroughARelayOfThisProgram() throws Exception {
        RelayConfig config = RelayConfig.builder(0, 0).build();
        try (RelayServer relay = RelayServer.start(config);
                LocalPublisher publisher = relay.newLocalPublisher()) {
            assertThat(publisher.publish(7, ByteBuffer.wrap("one".getBytes(StandardCharsets.UTF_8))))
                    .isEqualTo(PublishOutcome.ACCEPTED);
            StringBuilder got = new StringBuilder();
            SubscriberOptions options = SubscriberOptions.builder(Endpoint.of(relay.subscribeAddress()))
                    .fromEarliest()
                    .build();
            try (RelaySubscriber subscriber = RelaySubscriber.connect(options)) {
                while (got.length() == 0) {
                    subscriber.poll((sequence, type, body) ->
                            got.append(sequence + " " + type + " " + StandardCharsets.UTF_8.decode(body)));
                }
            }
            assertThat(got).hasToString("1 7 one");
        }
    }

    @Test
    void theAdminPort() throws Exception {
        RelayConfig config = RelayConfig.builder(0, 0).build();
        try (RelayServer relay = RelayServer.start(config);
                AdminServer admin = AdminServer.start(relay, AdminConfig.parse("127.0.0.1:0", null))) {
            URI metrics = URI.create("http://127.0.0.1:" + admin.address().getPort() + "/metrics");
            assertThat(HttpClient.newHttpClient()
                            .send(HttpRequest.newBuilder(metrics).build(), BodyHandlers.ofString())
                            .body())
                    .contains("relay_memory_limit_bytes{");
        }
    }

    static Stream<List<String>> exclusions() throws IOException {
        List<List<String>> rows = new ArrayList<>();
        String document = Files.readString(DOCUMENT);
        Matcher row = ROW.matcher(document.substring(document.indexOf("| `<exclusion>` |")));
        while (row.find()) {
            rows.add(NAME.matcher(row.group(1))
                    .results()
                    .map(name -> name.group(1))
                    .toList());
        }
        assertThat(rows).hasSizeGreaterThan(1);
        rows.add(rows.stream().flatMap(List::stream).toList());
        return rows.stream();
    }

    /** What the document lists, row by row, and all of it; and no JVM warns with the document's flag. */
    @ParameterizedTest
    @MethodSource("exclusions")
    void withoutWhatMayBeExcluded(List<String> excluded, @TempDir Path folder) throws Exception {
        makeCertificates(folder);
        List<String> jars =
                new ArrayList<>(List.of(System.getProperty("java.class.path").split(File.pathSeparator)));
        for (String name : excluded) {
            Pattern jar = Pattern.compile(Pattern.quote(name) + "-\\d.*\\.jar");
            assertThat(jars.removeIf(path ->
                            jar.matcher(Path.of(path).getFileName().toString()).matches()))
                    .as("relay-server brings %s", name)
                    .isTrue();
        }
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1"));
        if (Runtime.version().feature() >= 24) {
            assertThat(Files.readString(DOCUMENT)).contains("`" + FLAG + "`");
            command.add(FLAG);
        }
        command.addAll(List.of(
                "-cp", String.join(File.pathSeparator, jars), EmbeddedRelay.class.getName(), folder.toString()));
        Path said = folder.resolve("said");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile());
        // JAVA_TOOL_OPTIONS and the like would be told in its output.
        builder.environment().clear();
        Process program = builder.start();
        try {
            assertThat(program.waitFor(120, TimeUnit.SECONDS)).isTrue();
        } finally {
            program.destroyForcibly();
        }
        // With BoringSSL the relay tells the key exchange; the JDK's logging puts the place of the call before it.
        String told = "(?m)^.*CloseLog agreed\\R"
                + "INFO: publisher 127\\.0\\.0\\.1:\\d+: TLS with the key exchange \\w+, the first connection with it\\R";
        assertThat(Files.readString(said).replaceFirst(told, "").lines()).containsExactly("good");
    }

    private static void makeCertificates(Path folder) throws Exception {
        X509Bundle authority = new CertificateBuilder()
                .ecp256()
                .subject("CN=authority of a test")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        X509Bundle relay = new CertificateBuilder()
                .ecp256()
                .subject("CN=relay of a test")
                .addSanIpAddress("127.0.0.1")
                .notAfter(Instant.now().plus(Duration.ofDays(365)))
                .buildIssuedBy(authority);
        Files.writeString(folder.resolve("authority.pem"), authority.getCertificatePEM());
        Files.writeString(folder.resolve("certificate.pem"), relay.getCertificatePathPEM());
        Files.writeString(folder.resolve("key.pem"), relay.getPrivateKeyPEM());
    }

    /** Names that stay when a jar gets another file name. */
    @Test
    void modules() {
        Set<String> modules = ModuleFinder.of(classPath()).findAll().stream()
                .filter(EmbeddingTest::ours)
                .map(module -> module.descriptor().name())
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(modules).containsExactly("dev.msgrelay.client", "dev.msgrelay.protocol", "dev.msgrelay.server");
    }

    private static boolean ours(ModuleReference module) {
        return module.descriptor().packages().stream().anyMatch(name -> name.startsWith("dev.msgrelay."));
    }

    private static Path[] classPath() {
        return Set.of(System.getProperty("java.class.path").split(System.getProperty("path.separator"))).stream()
                .filter(entry -> entry.endsWith(".jar") && entry.contains("relay-"))
                .map(Path::of)
                .toArray(Path[]::new);
    }
}
