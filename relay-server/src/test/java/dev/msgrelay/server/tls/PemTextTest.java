package dev.msgrelay.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.msgrelay.protocol.net.PemFiles;
import dev.msgrelay.server.harness.Certificates;
import dev.msgrelay.testing.OddFiles;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys and certificates as forms and variables leave them are refused without a byte of them. */
class PemTextTest {
    /** Shorter pieces may be there by chance. */
    private static final int LEAST_QUOTED = 12;

    private static X509Bundle relay;
    private static String key;

    @TempDir
    Path folder;

    @BeforeAll
    static void makeAKey() throws Exception {
        try (Certificates certificates = new Certificates()) {
            relay = certificates.relay("CN=relay of a test");
            key = relay.getPrivateKeyPEM();
        }
    }

    /** A reload that opened one would wait for ever, and hold the next reload. */
    @Test
    void pipesAndDevicesAreNotOpened() throws Exception {
        Path pipe = OddFiles.pipe(folder.resolve("pipe"));
        Map.of(pipe, "pipe", Path.of("/dev/zero"), "device", folder, "folder")
                .forEach((file, what) -> assertThat(catchThrowable(() -> PemFiles.certificates(file)))
                        .hasMessage("cannot read " + file + ": it is a " + what + ": give a file"));
    }

    /** Whatever is changed of it, and wherever it is given. */
    @Test
    void nothingOfAKeyIsEverQuoted() throws Exception {
        Random random = new Random(31);
        for (int i = 0; i < 3000; i++) {
            StringBuilder text = new StringBuilder(key);
            for (int change = random.nextInt(4); change >= 0; change--) {
                int at = random.nextInt(text.length());
                switch (random.nextInt(5)) {
                    case 0 -> text.setLength(at);
                    case 1 -> text.deleteCharAt(at);
                    case 2 -> text.insert(at, "-----");
                    case 3 -> text.setCharAt(at, (char) random.nextInt(128));
                    default -> text.delete(0, Math.min(at, 30));
                }
                if (text.length() == 0) {
                    text.append(key);
                }
            }
            Path file = write(
                    random.nextBoolean() ? text.toString() : text.toString().replaceAll("[\r\n]", ""));
            assertQuotesNothing(refusal(file), key);
            assertQuotesNothing(certificateRefusal(file), key);
        }
    }

    @Test
    void nothingOfACertificateIsQuoted() throws Exception {
        Path file = write(block("CERTIFICATE", key.getBytes(StandardCharsets.US_ASCII)));
        assertThat(certificateRefusal(file))
                .isEqualTo(file + ", line 1: the block that begins here is no X.509 certificate, or is damaged");
    }

    /** As of RELAY_TLS_KEY="$(cat key.pem)". */
    @Test
    void theContentOfAKeyForItsNameIsNotShown() {
        for (String text : List.of(key, key.replaceAll("[\r\n]", ""), key.replaceAll("[\r\n]", " "))) {
            String refusal = refusal(Path.of(text));
            assertThat(refusal).contains("looks like the content of a file");
            assertQuotesNothing(refusal, key);
        }
    }

    @Test
    void aTypeOfKeyThatCannotBeUsedIsNamed() throws Exception {
        for (String type : List.of("RSASSA-PSS", "DSA", "X25519")) {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(type);
            if (!type.equals("X25519")) {
                generator.initialize(1024);
            }
            java.security.KeyPair pair = generator.generateKeyPair();
            Path file = write(block("PRIVATE KEY", pair.getPrivate().getEncoded()));
            assertThat(catchThrowable(() -> PemFiles.privateKey(file, pair.getPublic())))
                    .isInstanceOf(IOException.class)
                    .hasMessage(file + ", line 1: its certificate is for a key of the type "
                            + pair.getPublic().getAlgorithm()
                            + ", which cannot be used here: there are RSA, EC and EdDSA; openssl genpkey -algorithm EC"
                            + " -pkeyopt ec_paramgen_curve:P-256 -out FILE makes a key");
        }
    }

    private static String block(String type, byte[] bytes) {
        String body = Base64.getMimeEncoder().encodeToString(bytes);
        return "-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n";
    }

    private static String refusal(Path file) {
        return message(() -> PemFiles.privateKey(file, relay.getCertificate().getPublicKey()));
    }

    private static String certificateRefusal(Path file) {
        return message(() -> PemFiles.certificates(file));
    }

    /** With those of its causes; empty: it was read. */
    private static String message(org.assertj.core.api.ThrowableAssert.ThrowingCallable reads) {
        Throwable refused = catchThrowable(reads);
        StringBuilder text = new StringBuilder();
        for (Throwable cause = refused; cause != null; cause = cause.getCause()) {
            assertThat(cause).isNotInstanceOf(RuntimeException.class);
            text.append(cause == refused ? "" : "; ").append(cause.getMessage());
        }
        return text.toString();
    }

    private static void assertQuotesNothing(String text, String secret) {
        String body = secret.replaceAll("-----[^-]*-----|\\s", "");
        for (int i = 0; i + LEAST_QUOTED <= body.length(); i++) {
            String piece = body.substring(i, i + LEAST_QUOTED);
            // Looked for a million times, and asserted where it is found.
            if (text.contains(piece)) {
                assertThat(text).doesNotContain(piece);
            }
        }
    }

    private Path write(String text) throws IOException {
        return Files.writeString(folder.resolve("file.pem"), text);
    }
}
