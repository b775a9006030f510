package dev.msgrelay.protocol.net;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
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

/**
 * Certificates and private keys in PEM files, as relay and clients are given them. Errors name the file, the line and what is
 * wrong with it; nothing of a key is ever in one.
 */
public final class PemFiles {
    /** A bundle of all public authorities has about 200 KiB. */
    private static final int MOST_BYTES = 4 << 20;

    private static final String BEGIN = "-----BEGIN ";
    private static final String END = "-----END ";
    private static final String DASHES = "-----";

    private PemFiles() {}

    /** What stands between BEGIN and END, and the line of BEGIN, from 1. */
    private record Block(String label, int line, byte[] bytes) {}

    /**
     * All certificates of a file, in their order.
     *
     * @return at least one
     * @throws IOException the file cannot be read, or holds no certificate or a broken one
     */
    public static List<X509Certificate> certificates(Path file) throws IOException {
        List<X509Certificate> certificates = new ArrayList<>();
        for (Block block : blocks(file)) {
            if (block.label.equals("CERTIFICATE") || block.label.equals("X509 CERTIFICATE")) {
                certificates.add(certificate(file, block));
            }
        }
        if (certificates.isEmpty()) {
            throw new IOException(file + " has no certificate: nothing begins with " + BEGIN + "CERTIFICATE" + DASHES);
        }
        return certificates;
    }

    private static X509Certificate certificate(Path file, Block block) throws IOException {
        try {
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(block.bytes));
        } catch (GeneralSecurityException e) {
            throw wrong(file, block.line, "no certificate: " + e.getMessage());
        }
    }

    /**
     * The private key of a file, unencrypted PKCS#8.
     *
     * @param publicKey that it has to belong to
     * @throws IOException the file cannot be read, or holds no such key, or that of another certificate
     */
    public static PrivateKey privateKey(Path file, PublicKey publicKey) throws IOException {
        for (Block block : blocks(file)) {
            if (block.label.equals("PRIVATE KEY")) {
                PrivateKey key = privateKey(file, block, publicKey);
                if (!belongTogether(key, publicKey)) {
                    throw new IOException(file + " has another key than that of the certificate");
                }
                return key;
            }
            if (block.label.equals("ENCRYPTED PRIVATE KEY")) {
                throw wrong(file, block.line, "the key is encrypted; openssl pkey -in FILE -out FILE decrypts one");
            }
            if (block.label.endsWith(" PRIVATE KEY")) {
                throw wrong(
                        file,
                        block.line,
                        "'" + block.label + "' is not PKCS#8; openssl pkcs8 -topk8 -nocrypt -in FILE -out FILE turns it"
                                + " into that");
            }
        }
        throw new IOException(file + " has no private key: nothing begins with " + BEGIN + "PRIVATE KEY" + DASHES);
    }

    private static PrivateKey privateKey(Path file, Block block, PublicKey publicKey) throws IOException {
        try {
            return KeyFactory.getInstance(publicKey.getAlgorithm())
                    .generatePrivate(new PKCS8EncodedKeySpec(block.bytes));
        } catch (GeneralSecurityException e) {
            throw wrong(
                    file, block.line, "no " + publicKey.getAlgorithm() + " key, which the certificate's public one is");
        }
    }

    /** What one signs the other one confirms. */
    private static boolean belongTogether(PrivateKey key, PublicKey publicKey) throws IOException {
        String algorithm =
                switch (publicKey.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    default -> publicKey.getAlgorithm();
                };
        try {
            byte[] text = "relay".getBytes(StandardCharsets.US_ASCII);
            Signature signs = Signature.getInstance(algorithm);
            signs.initSign(key);
            signs.update(text);
            byte[] signature = signs.sign();
            Signature verifies = Signature.getInstance(algorithm);
            verifies.initVerify(publicKey);
            verifies.update(text);
            return verifies.verify(signature);
        } catch (GeneralSecurityException e) {
            throw new IOException("a key of " + publicKey.getAlgorithm() + " cannot be used: " + e.getMessage(), e);
        }
    }

    private static List<Block> blocks(Path file) throws IOException {
        List<Block> blocks = new ArrayList<>();
        String label = null;
        int begin = 0;
        int number = 0;
        StringBuilder text = new StringBuilder();
        for (String untrimmed : text(file).split("\n", -1)) {
            number++;
            String line = untrimmed.trim();
            if (label == null) {
                if (line.startsWith(BEGIN) && line.endsWith(DASHES)) {
                    label = line.substring(BEGIN.length(), line.length() - DASHES.length());
                    begin = number;
                    text.setLength(0);
                }
            } else if (line.startsWith(END)) {
                if (!line.equals(END + label + DASHES)) {
                    throw wrong(file, number, "does not end what line " + begin + " begins, " + label);
                }
                blocks.add(new Block(label, begin, decode(file, begin, text)));
                label = null;
            } else {
                text.append(line);
            }
        }
        if (label != null) {
            throw wrong(file, begin, label + " has no end");
        }
        return blocks;
    }

    private static byte[] decode(Path file, int line, CharSequence text) throws IOException {
        try {
            return Base64.getDecoder().decode(text.toString());
        } catch (IllegalArgumentException e) {
            throw wrong(file, line, "what begins here is not Base64");
        }
    }

    private static String text(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw new IOException(file + " is longer than " + MOST_BYTES + " bytes");
            }
            return new String(bytes, StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException e) {
            throw new IOException("there is no file " + file, e);
        } catch (java.nio.file.AccessDeniedException e) {
            throw new IOException("may not read " + file, e);
        }
    }

    private static IOException wrong(Path file, int line, String what) {
        return new IOException(file + ", line " + line + ": " + what);
    }
}
