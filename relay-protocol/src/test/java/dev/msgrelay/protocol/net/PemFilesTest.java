package dev.msgrelay.protocol.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A certificate, its key, and a key of another one, made for this test alone. */
class PemFilesTest {
    private static final String KEY = """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgzUnXG1vWEqIhHLt/
            4xzZONJdxzBtO11ulNLxMpFQ3H6hRANCAARwJ4/NKb9hHgaF1x4PkJo+XctvvJmh
            z+iJMRubiZJXMltB46O38ZPmiRf50Z23NL6sjLl3y1n13qz2J8zZTOsJ
            -----END PRIVATE KEY-----
            """;

    private static final String OTHER = """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgu2oG+tlxQdRJOgeD
            xQTCDHTejHK7zCcEd9FOzPK31MuhRANCAATi8/JNO/Af/GcY2FN4A+O4gPMMwTK7
            jLqFURgy7cGaK56dQz67NXVU9N7mYJU7nQMV5ZIyR8RtZmLy6PYIHuu9
            -----END PRIVATE KEY-----
            """;

    private static final String CERTIFICATE = """
            -----BEGIN CERTIFICATE-----
            MIIBdDCCARmgAwIBAgIULjY8pe932CLJypB/bS/cdEPuHiwwCgYIKoZIzj0EAwIw
            DzENMAsGA1UEAwwEdGVzdDAeFw0yNjExMjgwNDIzMzJaFw0zNjExMjUwNDIzMzJa
            MA8xDTALBgNVBAMMBHRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARwJ4/N
            Kb9hHgaF1x4PkJo+XctvvJmhz+iJMRubiZJXMltB46O38ZPmiRf50Z23NL6sjLl3
            y1n13qz2J8zZTOsJo1MwUTAdBgNVHQ4EFgQUZtgW4ilw1qUqxUQ3GAxF5FgWbYIw
            HwYDVR0jBBgwFoAUZtgW4ilw1qUqxUQ3GAxF5FgWbYIwDwYDVR0TAQH/BAUwAwEB
            /zAKBggqhkjOPQQDAgNJADBGAiEAoGfgjBLEOpnsJey7CzGTbXTGWi06/KehJlEw
            rpBTENgCIQC2eJUL3b5kTRJgXtP/ncYTJWxg/nmVhfHitJSFJhws4w==
            -----END CERTIFICATE-----
            """;

    /** Both dates of the certificate. */
    private static final long FROM = Instant.parse("2026-11-28T04:23:32Z").toEpochMilli();

    private static final long UNTIL = Instant.parse("2036-11-25T04:23:32Z").toEpochMilli();
    private static final long DAY = 24 * 3600 * 1000L;

    @TempDir
    private Path folder;

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("pem"), text, StandardCharsets.UTF_8);
    }

    private X509Certificate certificate() throws IOException {
        return PemFiles.certificates(file(CERTIFICATE)).get(0);
    }

    @Test
    void lineEndsOfAnyFormAndWordsBetweenBlocksChangeNothing() throws IOException {
        PublicKey of = certificate().getPublicKey();
        List<UnaryOperator<String>> forms = List.of(
                text -> text,
                text -> "\uFEFF# ours\n" + text,
                text -> "\uFEFF" + text.replace("between\n", "\uFEFF"),
                text -> "  " + text.replace("\n", "\n  "),
                text -> text.replace("\n", "\r\n"),
                text -> text.replace("\n", "\r"),
                text -> text.replace("\n", " "),
                text -> text.replace("\n", ""));
        for (UnaryOperator<String> form : forms) {
            assertThat(PemFiles.certificates(file(form.apply(CERTIFICATE + "between\n" + CERTIFICATE))))
                    .containsExactly(certificate(), certificate());
            assertThat(PemFiles.privateKey(file(form.apply(CERTIFICATE + KEY)), of)
                            .getAlgorithm())
                    .isEqualTo("EC");
        }
    }

    private void refused(String text, String words) throws IOException {
        PublicKey of = certificate().getPublicKey();
        Path file = file(text);
        assertThatThrownBy(() -> PemFiles.privateKey(file, of)).hasMessage(file + words);
    }

    @Test
    void aKeyThatCannotBeUsedIsNamedByItsLineAndFault() throws IOException {
        refused(OTHER, " has another key than that of the certificate");
        refused(CERTIFICATE, " has no private key: nothing begins with -----BEGIN PRIVATE KEY-----");
        refused(
                "\n\n" + KEY.replace(" PRIVATE", " ENCRYPTED PRIVATE"),
                ", line 3: the key is encrypted; openssl pkey -in FILE -out FILE decrypts one");
        refused(
                KEY.replace(" PRIVATE", " EC PRIVATE"),
                ", line 1: 'EC PRIVATE KEY' is not PKCS#8; openssl pkcs8 -topk8 -nocrypt -in FILE -out FILE turns it into"
                        + " that");
        refused(
                KEY.replace(" PRIVATE", " zU2e PRIVATE"),
                ", line 1: 'another kind of block' is not PKCS#8; openssl pkcs8 -topk8 -nocrypt -in FILE -out FILE turns"
                        + " it into that");
        refused("#\n" + KEY.substring(0, 60), ", line 2: PRIVATE KEY has no end");
        refused("-----BEGIN PRIVATE KEY\n", ", line 1: the block that begins here has no ----- behind its kind");
        refused(KEY.replace("END PRIVATE", "END PUBLIC"), ", line 5: does not end what line 1 begins, PRIVATE KEY");
        refused(KEY.replace('M', '!'), ", line 1: the block that begins here is not Base64");
        refused(KEY.replace("MIGH", "MIGI"), ", line 1: no EC key, which is the type of the certificate's public key");
        refused(
                KEY.strip().replace("\n", "\\n"),
                ", line 1: line ends are missing in what begins here: a backslash and a letter stand in their place");
    }

    @Test
    void aCertificateThatCannotBeReadIsNamedByItsLineAndFault() throws IOException {
        Path file = file(KEY);
        assertThatThrownBy(() -> PemFiles.certificates(file))
                .hasMessage(file + " has no certificate: nothing begins with -----BEGIN CERTIFICATE-----");
        file(CERTIFICATE + CERTIFICATE.replace("MIIB", "MIIA"));
        assertThatThrownBy(() -> PemFiles.certificates(file))
                .hasMessage(file + ", line 11: the block that begins here is no X.509 certificate, or is damaged");
        for (Charset twoBytes : List.of(StandardCharsets.UTF_16, StandardCharsets.UTF_16LE)) {
            Files.write(file, CERTIFICATE.getBytes(twoBytes));
            assertThatThrownBy(() -> PemFiles.certificates(file))
                    .hasMessage(file + " is no PEM: it is UTF-16, or no text at all; PEM is text of one byte a letter");
        }
    }

    @Test
    void aFileThatCannotBeReadIsNamedUnlessItsNameMayBeAKey() {
        Path none = folder.resolve("none");
        assertThatThrownBy(() -> PemFiles.certificates(none)).hasMessage("there is no file " + none);
        assertThatThrownBy(() -> PemFiles.certificates(folder))
                .hasMessage("cannot read " + folder + ": it is a folder: give a file");
        assertThatThrownBy(() -> PemFiles.certificates(Path.of(KEY)))
                .hasMessageStartingWith("there is no file (not shown: it looks like the content of a file");
    }

    private static List<String> warnings(List<X509Certificate> certificates, long now) {
        return CertificateDates.warnings(Path.of("c.pem"), certificates, now);
    }

    @Test
    void datesAreToldForEachCertificateUpToFive() throws IOException {
        List<X509Certificate> one = List.of(certificate());
        assertThat(warnings(one, FROM)).isEmpty();
        assertThat(warnings(one, UNTIL - 14 * DAY)).isEmpty();
        assertThat(warnings(one, FROM - 1))
                .containsExactly("the certificate in c.pem is not yet valid: from 2026-11-28T04:23:32Z on");
        assertThat(warnings(one, UNTIL - 14 * DAY + 1))
                .containsExactly("the certificate in c.pem expires soon: 2036-11-25T04:23:32Z");
        assertThat(warnings(one, UNTIL + 1))
                .containsExactly("the certificate in c.pem has expired: 2036-11-25T04:23:32Z");
        assertThat(warnings(Collections.nCopies(7, certificate()), UNTIL + 1))
                .hasSize(6)
                .startsWith("certificate 1 of 7 in c.pem has expired: 2036-11-25T04:23:32Z")
                .endsWith("2 more of the 7 certificates in c.pem have expired, expire soon or are not yet valid");
    }

    @Test
    void timeThatIsLeftIsThatOfTheFirstThatEnds() throws IOException {
        List<X509Certificate> one = List.of(certificate());
        assertThat(CertificateDates.millisLeft(one, UNTIL - DAY)).isEqualTo(DAY);
        assertThat(CertificateDates.millisLeft(one, UNTIL + DAY)).isEqualTo(-DAY);
        assertThat(CertificateDates.millisLeft(one, FROM - DAY)).isEqualTo(-DAY);
    }
}
