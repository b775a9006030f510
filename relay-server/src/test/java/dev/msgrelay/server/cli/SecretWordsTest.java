package dev.msgrelay.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.Certificates;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the command says about a secret that stands where something else should: nothing of it. And what marks and line
 * ends do.
 */
class SecretWordsTest {
    /** Shorter pieces may be there by chance. */
    private static final int LEAST_QUOTED = 12;

    private static Certificates certificates;
    private static String certificate;
    private static String key;

    @TempDir
    Path folder;

    @BeforeAll
    static void makeCertificates() throws Exception {
        certificates = new Certificates();
        X509Bundle relay = certificates.relay("CN=relay of a test");
        certificate = certificates.certificateFile(relay).toString();
        key = relay.getPrivateKeyPEM();
    }

    @AfterAll
    static void deleteCertificates() throws IOException {
        certificates.close();
    }

    private static List<String> forms() {
        return List.of(
                key, key.replaceAll("[\r\n]", ""), key.replaceAll("[\r\n]+", " "), key.replaceAll("[\r\n]+", "\r"));
    }

    @Test
    void aKeyInThePlaceOfItsFile() {
        for (String form : forms()) {
            String flag = said(Map.of(), "--tls-cert=" + certificate, "--tls-key=" + form);
            assertQuotesNothing(flag);
            assertThat(flag).contains("there is no file (not shown: ");
            assertQuotesNothing(said(Map.of("RELAY_TLS_CERT", certificate, "RELAY_TLS_KEY", form)));
            assertQuotesNothing(said(Map.of("RELAY_TLS_KEY", form)));
            assertQuotesNothing(said(Map.of("RELAY_TLS_CERT", form)));
            assertQuotesNothing(said(Map.of("RELAY_TLS_CLIENTS", form)));
        }
    }

    /** As of {@code --tls-key $KEY}: each part of it is an argument of its own. */
    @Test
    void aKeyWithoutQuotes() {
        List<String> args = new ArrayList<>(List.of("--tls-cert", certificate, "--tls-key"));
        args.addAll(List.of(key.split("\\s+")));
        String said = said(Map.of(), args.toArray(String[]::new));
        assertQuotesNothing(said);
        assertThat(said).contains("not shown, since they may be parts of a secret that was given without quotes");
        assertThat(said(Map.of(), "--log-sise=64m", "x"))
                .startsWith("relay-server: Unknown option: '--log-sise' (did you mean '--log-size'?); ");
    }

    @Test
    void aKeyInThePlaceOfAConfiguration() throws Exception {
        for (String form : forms()) {
            assertQuotesNothing(said(Map.of(), "--config=" + write(form)));
            assertQuotesNothing(said(Map.of(), "--config=" + write(form.replaceAll("-----.*?-----\\s*", ""))));
        }
        for (String token :
                List.of("Zm9vYmFyYmF6cXV4cXV1eA", "Zm9vYmFyYmF6cXV4cXV1eA==", "Zm9vYmFyYmF6cXV4cXV1eA = a")) {
            assertThat(said(Map.of(), "--config=" + write(token))).doesNotContain("Zm9v");
        }
    }

    @Test
    void aTokenInAFileWithAMarkIsTheSameToken() throws Exception {
        String hash = hash("abc123\n");
        assertThat(hash).startsWith("token = \"sha256:");
        assertThat(hash("\uFEFFabc123\r\n")).isEqualTo(hash);
    }

    private String hash(String text) throws IOException {
        CommandRun run = CommandRun.token("--of=" + write(text));
        assertThat(run.errors()).isEmpty();
        return run.output();
    }

    @Test
    void aConfigurationWithAMarkSaysTheSame() throws Exception {
        String text = "log-size = 32m\r\naccess { a { from = \"127.0.0.0/8\", publish = all } }\r\n";
        for (String mark : List.of("", "\uFEFF")) {
            ConfigFile file = ConfigFile.read(write(mark + text));
            assertThat(file.values().get("log-size").text()).isEqualTo("32m");
            assertThat(file.access().orElseThrow()).containsOnlyKeys("a");
        }
    }

    /** For the parser the rest of the file would be a part of the comment, and the relay open to everybody. */
    @Test
    void aConfigurationWhoseLinesEndWithCrAloneIsRefused() throws Exception {
        Path file = write("log-size = 32m\n# who may\raccess { a { from = \"127.0.0.0/8\", publish = all } }\r");
        assertThat(said(Map.of(), "--config=" + file))
                .startsWith("relay-server: " + file + ":2: a line ends with CR alone: save the file with");
    }

    private static String said(Map<String, String> environment, String... args) {
        return CommandRun.with(environment, CommandRun.behind("--check-config", args))
                .error();
    }

    private static void assertQuotesNothing(String text) {
        assertThat(text).startsWith("relay-server: ");
        String body = key.replaceAll("-----[^-]*-----|\\s", "");
        for (int i = 0; i + LEAST_QUOTED <= body.length(); i++) {
            assertThat(text).doesNotContain(body.substring(i, i + LEAST_QUOTED));
        }
    }

    private Path write(String text) throws IOException {
        return Files.writeString(folder.resolve("file"), text);
    }
}
