package dev.msgrelay.protocol.net;

import dev.msgrelay.protocol.text.SecretText;
import dev.msgrelay.protocol.text.TextFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Certificates and private keys in PEM files. An error names the file, the line and the fault. It never shows a file's
 * content, nor a library's words about it: any part of it may be a key.
 *
 * <p>Blocks are found by their BEGIN and END, not by lines. So a file whose line ends were lost, or became spaces or
 * CRs, has the same meaning, and a byte order mark does no harm.
 */
public final class PemFiles {
    /** Most bytes of a file; a bundle of all public authorities has about 200 KiB. */
    private static final int MOST_BYTES = 4 << 20;

    private static final String BEGIN = "-----BEGIN ";
    private static final String END = "-----END ";
    private static final String DASHES = "-----";
    private static final String PLAIN_KEY = "PRIVATE KEY";
    private static final String KEY_TYPES = "there are RSA, EC and EdDSA; openssl genpkey -algorithm EC -pkeyopt "
            + "ec_paramgen_curve:P-256 -out FILE makes a key";

    /** Types of keys that TLS 1.3 knows, with their signatures. */
    private static final Map<String, String> SIGNATURES =
            Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA", "EdDSA", "EdDSA");

    /** Kinds of blocks that errors may show by name. */
    private static final Set<String> KINDS =
            Set.of(("CERTIFICATE,X509 CERTIFICATE,TRUSTED CERTIFICATE,CERTIFICATE REQUEST,PUBLIC KEY,PRIVATE KEY,"
                            + "ENCRYPTED PRIVATE KEY,EC PRIVATE KEY,RSA PRIVATE KEY,DSA PRIVATE KEY,OPENSSH PRIVATE KEY")
                    .split(","));

    private PemFiles() {}

    /** A block: its kind, the line of its BEGIN, from 1, and the text between BEGIN and END. */
    private record Block(String label, int line, String text) {}

    /**
     * All certificates of a file, in their order.
     *
     * @return at least one
     * @throws IOException the file cannot be read, or has no certificate or a damaged one
     */
    public static List<X509Certificate> certificates(Path file) throws IOException {
        List<X509Certificate> certificates = new ArrayList<>();
        for (Block block : blocks(file)) {
            if (block.label.equals("CERTIFICATE") || block.label.equals("X509 CERTIFICATE")) {
                certificates.add(certificate(file, block));
            }
        }
        if (certificates.isEmpty()) {
            throw new IOException(SecretText.file(file) + " has no certificate: nothing begins with " + BEGIN
                    + "CERTIFICATE" + DASHES);
        }
        return certificates;
    }

    private static X509Certificate certificate(Path file, Block block) throws IOException {
        byte[] bytes = decode(file, block);
        try {
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(bytes));
        } catch (GeneralSecurityException e) {
            throw wrong(file, block.line, "the block that begins here is no X.509 certificate, or is damaged");
        }
    }

    /**
     * The private key of a file, unencrypted PKCS#8.
     *
     * @param publicKey public key that the private key must belong to
     * @throws IOException the file cannot be read, or has no such key, or the key of another certificate
     */
    public static PrivateKey privateKey(Path file, PublicKey publicKey) throws IOException {
        for (Block block : blocks(file)) {
            if (block.label.equals(PLAIN_KEY)) {
                PrivateKey key = privateKey(file, block, publicKey);
                if (!belongTogether(file, key, publicKey)) {
                    throw new IOException(SecretText.file(file) + " has another key than that of the certificate");
                }
                return key;
            }
            if (block.label.equals("ENCRYPTED " + PLAIN_KEY)) {
                throw wrong(file, block.line, "the key is encrypted; openssl pkey -in FILE -out FILE decrypts one");
            }
            if (block.label.endsWith(" " + PLAIN_KEY)) {
                throw wrong(
                        file,
                        block.line,
                        "'" + kind(block.label)
                                + "' is not PKCS#8; openssl pkcs8 -topk8 -nocrypt -in FILE -out FILE turns"
                                + " it into that");
            }
        }
        throw new IOException(
                SecretText.file(file) + " has no private key: nothing begins with " + BEGIN + PLAIN_KEY + DASHES);
    }

    private static PrivateKey privateKey(Path file, Block block, PublicKey publicKey) throws IOException {
        String algorithm = publicKey.getAlgorithm();
        if (!SIGNATURES.containsKey(algorithm)) {
            throw wrong(
                    file,
                    block.line,
                    "its certificate is for a key of the type " + algorithm + ", which cannot be used here: "
                            + KEY_TYPES);
        }
        byte[] bytes = decode(file, block);
        try {
            return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(bytes));
        } catch (GeneralSecurityException e) {
            throw wrong(
                    file, block.line, "no " + algorithm + " key, which is the type of the certificate's public key");
        }
    }

    /** Whether the public key verifies a signature of the private key. */
    private static boolean belongTogether(Path file, PrivateKey key, PublicKey publicKey) throws IOException {
        String algorithm = publicKey.getAlgorithm();
        try {
            byte[] text = "relay".getBytes(StandardCharsets.US_ASCII);
            Signature signs = Signature.getInstance(SIGNATURES.get(algorithm));
            signs.initSign(key);
            signs.update(text);
            byte[] signature = signs.sign();
            Signature verifies = Signature.getInstance(SIGNATURES.get(algorithm));
            verifies.initVerify(publicKey);
            verifies.update(text);
            return verifies.verify(signature);
        } catch (GeneralSecurityException e) {
            throw new IOException(
                    SecretText.file(file) + ": this JVM cannot sign with this key of the type " + algorithm
                            + ", of another curve or a size that it does not know: " + KEY_TYPES,
                    e);
        }
    }

    private static List<Block> blocks(Path file) throws IOException {
        String text = readText(file);
        List<Block> blocks = new ArrayList<>();
        int line = 1;
        int counted = 0;
        for (int begin = text.indexOf(BEGIN); begin >= 0; begin = text.indexOf(BEGIN, counted)) {
            line += lineEnds(text, counted, begin);
            int labelEnd = text.indexOf(DASHES, begin + BEGIN.length());
            int end = text.indexOf(END, begin + BEGIN.length());
            int next = text.indexOf(BEGIN, begin + BEGIN.length());
            if (labelEnd < 0 || labelEnd == end || labelEnd == next) {
                throw wrong(file, line, "the block that begins here has no " + DASHES + " behind its kind");
            }
            String label = text.substring(begin + BEGIN.length(), labelEnd);
            if (end < 0 || next >= 0 && next < end) {
                throw wrong(file, line, kind(label) + " has no end");
            }
            if (!text.startsWith(END + label + DASHES, end)) {
                int last = line + lineEnds(text, begin, end);
                throw wrong(file, last, "does not end what line " + line + " begins, " + kind(label));
            }
            blocks.add(new Block(label, line, text.substring(labelEnd + DASHES.length(), end)));
            counted = end;
            line += lineEnds(text, begin, end);
        }
        return blocks;
    }

    /** Number of line ends of any form: LF, CR LF, or CR. */
    private static int lineEnds(String text, int from, int to) {
        int count = 0;
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            count += c == '\n' || c == '\r' && text.charAt(i + 1) != '\n' ? 1 : 0;
        }
        return count;
    }

    /** The kind of a block, if it is known: any other word may be a part of a key. */
    private static String kind(String label) {
        return KINDS.contains(label) ? label : "another kind of block";
    }

    private static byte[] decode(Path file, Block block) throws IOException {
        if (block.text.contains("\\n") || block.text.contains("\\r")) {
            throw wrong(
                    file,
                    block.line,
                    "line ends are missing in what begins here: a backslash and a letter stand in their place");
        }
        try {
            return Base64.getDecoder().decode(block.text.replaceAll("\\s", ""));
        } catch (IllegalArgumentException e) {
            throw wrong(file, block.line, "the block that begins here is not Base64");
        }
    }

    private static String readText(Path file) throws IOException {
        String text;
        try {
            text = new String(TextFile.bytes(file, MOST_BYTES), StandardCharsets.ISO_8859_1);
            // The causes are left out: their messages have the file's name, which may be a key by mistake.
        } catch (NoSuchFileException e) {
            throw new IOException("there is no file " + SecretText.file(file));
        } catch (AccessDeniedException e) {
            throw new IOException("may not read " + SecretText.file(file));
        } catch (FileSystemException e) {
            throw new IOException(
                    "cannot read " + SecretText.file(file) + (e.getReason() == null ? "" : ": " + e.getReason()));
        } catch (IOException e) {
            throw new IOException("cannot read " + SecretText.file(file) + ": " + e.getMessage());
        }
        if (text.indexOf(0) >= 0) {
            throw new IOException(SecretText.file(file)
                    + " is no PEM: it is UTF-16, or no text at all; PEM is text of one byte a letter");
        }
        return text;
    }

    private static IOException wrong(Path file, int line, String what) {
        return new IOException(SecretText.file(file) + ", line " + line + ": " + what);
    }
}
