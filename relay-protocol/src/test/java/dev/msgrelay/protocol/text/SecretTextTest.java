package dev.msgrelay.protocol.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SecretTextTest {
    /** A token as the relay makes one. */
    private static final String TOKEN = "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA";

    private static final List<String> KNOWN = List.of("--port", "--report-every", "--tls", "reload");

    @Test
    void aFileIsShownUnlessItMayBeItsContent() {
        assertThat(SecretText.file("/secrets/a.pem")).isEqualTo("/secrets/a.pem");
        assertThat(SecretText.file("-----BEGIN X")).startsWith("(not shown");
        assertThat(SecretText.file("a\nb")).startsWith("(not shown");
    }

    @Test
    void aTokensFileIsShownUnlessItMayBeTheToken() {
        assertThat(SecretText.tokenFile("/run/token")).isEqualTo("/run/token");
        assertThat(SecretText.tokenFile("orders.token")).isEqualTo("orders.token");
        assertThat(SecretText.tokenFile("my-token")).isEqualTo("my-token");
        for (String secret : List.of(TOKEN, "./" + TOKEN, "hunter2", "a-----.")) {
            assertThat(SecretText.tokenFile(secret)).startsWith("(").doesNotContain(secret);
        }
    }

    @Test
    void aKeyIsShownIfItLooksLikeOne() {
        assertThat(SecretText.key("tls.certificat")).isEqualTo("tls.certificat");
        assertThat(SecretText.key(TOKEN)).isEqualTo("(not shown: it looks like no key)");
        assertThat(SecretText.key("a".repeat(61))).isEqualTo("(not shown: it looks like no key)");
    }

    @Test
    void optionsAreShownWithoutValuesAndLongWordsAreCounted() {
        assertThat(SecretText.unmatched(List.of("--prot=7400", "-X"), KNOWN))
                .isEqualTo("Unknown options: '--prot' (did you mean '--port'?), '-X'");
        assertThat(SecretText.unmatched(List.of("--x", "relaod", TOKEN), KNOWN))
                .isEqualTo("Unknown option: '--x'; Unmatched arguments: 'relaod' (did you mean 'reload'?), 1 not shown,"
                        + " since they may be parts of a secret that was given without quotes");
        assertThat(SecretText.unmatched(List.of("word"), KNOWN)).isEqualTo("Unmatched argument: 'word'");
        assertThat(SecretText.unmatched(List.of("--prot", "7401"), KNOWN))
                .isEqualTo("Unknown option: '--prot' (did you mean '--port'?)");
        assertThat(SecretText.unmatched(List.of("--prot", "7401", TOKEN), KNOWN))
                .endsWith(
                        "; Unmatched argument: 1 not shown, since they may be parts of a secret that was given without"
                                + " quotes")
                .doesNotContain("7401");
    }

    @Test
    void theNearestWordIsNamed() {
        assertThat(NearestWord.hint("--reprot-every", KNOWN)).isEqualTo(" (did you mean '--report-every'?)");
        assertThat(NearestWord.hint("--report", KNOWN)).isEqualTo(" (did you mean '--port'?)");
        assertThat(NearestWord.hint("--rep", KNOWN)).isEqualTo(" (did you mean '--report-every'?)");
        assertThat(NearestWord.hint("--tsl", KNOWN)).isEqualTo(" (did you mean '--tls'?)");
        assertThat(NearestWord.hint("--else", KNOWN)).isEmpty();
        List<String> ports = List.of("--tls-subscribe-port", "--subscribe-port", "--publish-port", "--bind");
        assertThat(NearestWord.hint("--prot", ports))
                .isEqualTo(" (did you mean '--publish-port' or '--subscribe-port'?)");
        assertThat(NearestWord.hint("--bnd", ports)).isEqualTo(" (did you mean '--bind'?)");
        assertThat(NearestWord.hint("--tsl", ports)).isEmpty();
        assertThat(NearestWord.hint("reload".repeat(9), KNOWN)).isEmpty();
    }
}
