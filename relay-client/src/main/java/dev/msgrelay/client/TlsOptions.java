package dev.msgrelay.client;

import dev.msgrelay.protocol.net.PemFiles;
import dev.msgrelay.protocol.net.TlsFault;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/**
 * A client's TLS 1.3: the authorities that it trusts, and the certificate that it shows. The files are read as the
 * client is opened, and anew for each connection, so a renewed file is used from the next connection on. One that
 * cannot be used is an {@link IOException} of the kind {@link ErrorKind#YOURS} at first, and a lost try later.
 * Immutable.
 *
 * <pre>{@code
 * PublisherOptions.builder("relay-host:7411").tls(TlsOptions.trusting(Path.of("ca.pem"))).build();
 * }</pre>
 */
public final class TlsOptions {
    private static final String PROTOCOL = "TLSv1.3";
    private static final char[] NO_PASSWORD = {};

    private final Path ca;
    private final Path certificate;
    private final Path key;
    private final String name;

    private TlsOptions(Path ca, Path certificate, Path key, String name) {
        this.ca = ca;
        this.certificate = certificate;
        this.key = key;
        this.name = name;
    }

    /** Trusts the authorities that the JDK trusts. */
    public static TlsOptions system() {
        return new TlsOptions(null, null, null, null);
    }

    /** Trusts the authorities of a PEM file, and no others. */
    public static TlsOptions trusting(Path ca) {
        return new TlsOptions(Objects.requireNonNull(ca, "ca"), null, null, null);
    }

    /**
     * Shows a certificate to a relay that asks for one.
     *
     * @param certificate PEM; the certificate, followed by those of intermediate authorities
     * @param key private key of the certificate, PEM, PKCS#8, not encrypted
     */
    public TlsOptions showing(Path certificate, Path key) {
        Objects.requireNonNull(certificate, "certificate");
        Objects.requireNonNull(key, "key");
        return new TlsOptions(ca, certificate, key, name);
    }

    /** The name that the relay's certificate must have, if it is not the endpoint's host. */
    public TlsOptions expecting(String relayName) {
        return new TlsOptions(ca, certificate, key, relayName);
    }

    /** The name expected in the certificate of a relay on this host. */
    public String nameOn(String host) {
        return name == null ? host : name;
    }

    /**
     * The advice after a handshake that has failed. A client with files tries on: the relay's certificate, or a file
     * here, may be renewed a second later. A relay with another name is another relay.
     */
    RetryAdvice advice(TlsFault.Kind kind) {
        return switch (kind) {
            case NOT_TRUSTED -> ca == null ? RetryAdvice.STOP : RetryAdvice.AGAIN;
            case WRONG_NAME -> RetryAdvice.STOP;
            case OWN_REFUSED -> certificate == null ? RetryAdvice.FEW : RetryAdvice.AGAIN;
            case OTHER -> RetryAdvice.FEW;
        };
    }

    /**
     * Reads the files, if there are any.
     *
     * @throws IOException as {@link #context}
     */
    void check() throws IOException {
        if (ca != null || certificate != null) {
            context();
        }
    }

    /**
     * A context from the files as they are now.
     *
     * @throws IOException a file cannot be read or used; the message names the file and the line
     */
    public SSLContext context() throws IOException {
        return load().context();
    }

    /**
     * The content of the files at one time.
     *
     * @param endMillis end of the certificate that is shown, in ms since 1970; {@link OwnCertificate#NONE}: none
     */
    record Loaded(SSLContext context, long endMillis) {}

    /** @throws IOException as {@link #context} */
    Loaded load() throws IOException {
        try {
            SSLContext context = SSLContext.getInstance(PROTOCOL);
            List<X509Certificate> chain = certificate == null ? List.of() : PemFiles.certificates(certificate);
            context.init(keys(chain), trust(), null);
            long end = chain.stream()
                    .mapToLong(one -> one.getNotAfter().getTime())
                    .min()
                    .orElse(OwnCertificate.NONE);
            return new Loaded(context, end);
        } catch (GeneralSecurityException e) {
            throw new IOException("TLS is not available: " + e.getMessage(), e);
        }
    }

    private KeyManager[] keys(List<X509Certificate> chain) throws IOException, GeneralSecurityException {
        if (chain.isEmpty()) {
            return null;
        }
        PrivateKey secret = PemFiles.privateKey(key, chain.get(0).getPublicKey());
        KeyStore store = empty();
        store.setKeyEntry("client", secret, NO_PASSWORD, chain.toArray(Certificate[]::new));
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, NO_PASSWORD);
        return factory.getKeyManagers();
    }

    private TrustManager[] trust() throws IOException, GeneralSecurityException {
        KeyStore store = null;
        if (ca != null) {
            store = empty();
            int number = 0;
            for (X509Certificate authority : PemFiles.certificates(ca)) {
                store.setCertificateEntry("ca" + number++, authority);
            }
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        // Null: the authorities of the JDK.
        factory.init(store);
        return NamingTrust.of(factory.getTrustManagers());
    }

    private static KeyStore empty() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        return store;
    }
}
