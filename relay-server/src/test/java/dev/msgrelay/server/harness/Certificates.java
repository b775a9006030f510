package dev.msgrelay.server.harness;

import dev.msgrelay.server.tls.TlsFiles;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.math.BigInteger;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;

/**
 * An authority, what it has signed, and the files of it, in a folder of each test, which goes with it. The authority,
 * and the relay's certificate for a subject, are made once in a JVM: making keys would take longer than most tests.
 */
public final class Certificates implements AutoCloseable {
    /** By their subjects. */
    private static final Map<String, X509Bundle> MADE = new HashMap<>();

    private final Path folder;
    private final UnaryOperator<CertificateBuilder> kind;
    private final X509Bundle authority;
    private int files;

    private final boolean madeOnce;
    private TrustManager[] trusted;

    public Certificates() throws Exception {
        this(CertificateBuilder::ecp256, true);
    }

    /** @param kind what is to be the same of all of them */
    private Certificates(UnaryOperator<CertificateBuilder> kind, boolean madeOnce) throws Exception {
        this.kind = kind;
        this.madeOnce = madeOnce;
        folder = Files.createTempDirectory("relay-tls");
        String subject = "CN=authority of a test";
        authority = once(subject, () -> authority(subject));
    }

    private X509Bundle once(String subject, Callable<X509Bundle> making) throws Exception {
        if (!madeOnce) {
            return making.call();
        }
        synchronized (MADE) {
            X509Bundle made = MADE.get(subject);
            if (made == null) {
                made = making.call();
                MADE.put(subject, made);
            }
            return made;
        }
    }

    /** Such whose signatures, and all else of them, are as long each time they are made. */
    public static Certificates ofOneLength() throws Exception {
        return new Certificates(b -> b.rsa2048().serial(BigInteger.TEN), false);
    }

    private X509Bundle authority(String subject) throws Exception {
        return kind.apply(new CertificateBuilder())
                .subject(subject)
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
    }

    /** A certificate for a subject of this authority, from an hour ago until tomorrow. */
    public X509Bundle signed(String subject, UnaryOperator<CertificateBuilder> more) throws Exception {
        return more.apply(valid(subject)).buildIssuedBy(authority);
    }

    /** One of an authority that nobody knows. */
    public X509Bundle foreign(String subject) throws Exception {
        return valid(subject).buildIssuedBy(authority("CN=authority of nobody"));
    }

    private CertificateBuilder valid(String subject) {
        return kind.apply(new CertificateBuilder())
                .subject(subject)
                .notBefore(Instant.now().minus(Duration.ofHours(1)))
                .notAfter(Instant.now().plus(Duration.ofDays(1)));
    }

    /** The relay's, for 127.0.0.1 and localhost; the same for the same subject. */
    public X509Bundle relay(String subject) throws Exception {
        return once(
                subject,
                () -> signed(subject, b -> b.addSanIpAddress("127.0.0.1").addSanDnsName("localhost")));
    }

    /** The authority's certificate. */
    public Path authorityFile() throws IOException {
        return file("ca", authority.getCertificatePEM());
    }

    public Path file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name + "-" + files++ + ".pem"), text);
    }

    /** A certificate and what is between it and the authority. */
    public Path certificateFile(X509Bundle bundle) throws IOException {
        return file("cert", bundle.getCertificatePathPEM());
    }

    public Path keyFile(X509Bundle bundle) throws IOException {
        return file("key", bundle.getPrivateKeyPEM());
    }

    /** What a relay is started with that asks for no certificates. */
    public TlsFiles relayFiles() throws Exception {
        return relayFiles(relay("CN=relay of a test"));
    }

    public TlsFiles relayFiles(X509Bundle relay) throws IOException {
        return new TlsFiles(certificateFile(relay), keyFile(relay), null, false);
    }

    /** What a relay is started with that asks for certificates of the authority. */
    public TlsFiles mutual(boolean optional) throws Exception {
        X509Bundle relay = relay("CN=relay of a test");
        return new TlsFiles(certificateFile(relay), keyFile(relay), authorityFile(), optional);
    }

    /** Of a client that trusts the authority. */
    public SSLContext client() throws Exception {
        return client(null);
    }

    /** Of a client that trusts the authority, and shows a certificate. */
    public SSLContext client(X509Bundle own) throws Exception {
        KeyManager[] keys = null;
        if (own != null) {
            keys = new KeyManager[] {new Always(own)};
        }
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys, trusted(), null);
        return context;
    }

    private synchronized TrustManager[] trusted() throws Exception {
        if (trusted == null) {
            trusted = authority.toTrustManagerFactory().getTrustManagers();
        }
        return trusted;
    }

    /** Shows its certificate, whatever authorities the relay asks for. */
    private static final class Always extends X509ExtendedKeyManager {
        private static final String ALIAS = "own";
        private final X509Bundle own;

        Always(X509Bundle own) {
            this.own = own;
        }

        @Override
        public String chooseClientAlias(String[] keyType, Principal[] issuers, Socket socket) {
            return ALIAS;
        }

        @Override
        public String chooseEngineClientAlias(String[] keyType, Principal[] issuers, SSLEngine engine) {
            return ALIAS;
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return own.getCertificatePath();
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return own.getKeyPair().getPrivate();
        }

        @Override
        public String[] getClientAliases(String keyType, Principal[] issuers) {
            return new String[] {ALIAS};
        }

        @Override
        public String[] getServerAliases(String keyType, Principal[] issuers) {
            return null;
        }

        @Override
        public String chooseServerAlias(String keyType, Principal[] issuers, Socket socket) {
            return null;
        }
    }

    @Override
    public void close() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            for (Path file : all.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }
}
