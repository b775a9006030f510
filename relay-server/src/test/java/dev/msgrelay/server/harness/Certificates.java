package dev.msgrelay.server.harness;

import dev.msgrelay.server.tls.TlsFiles;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.X509KeyManager;

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

    public X509Bundle authority(String subject) throws Exception {
        return kind.apply(new CertificateBuilder())
                .subject(subject)
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
    }

    /** A certificate for a subject of this authority, from an hour ago until tomorrow. */
    public X509Bundle signed(String subject, UnaryOperator<CertificateBuilder> more) throws Exception {
        return more.apply(valid(subject)).buildIssuedBy(authority);
    }

    /** A certificate of another authority. */
    public X509Bundle signedBy(X509Bundle other, String subject) throws Exception {
        return valid(subject).buildIssuedBy(other);
    }

    public X509Bundle foreign(String subject) throws Exception {
        return signedBy(authority("CN=authority of nobody"), subject);
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
        TlsFiles files = relayFiles();
        return new TlsFiles(files.certificate(), files.key(), authorityFile(), optional);
    }

    /** Of a client that trusts the authority. */
    public SSLContext client() throws Exception {
        return client(null);
    }

    /** Of a client that trusts the authority, and shows a certificate. */
    public SSLContext client(X509Bundle own) throws Exception {
        KeyManager[] keys = own == null ? null : new KeyManager[] {always(own)};
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys, authority.toTrustManagerFactory().getTrustManagers(), null);
        return context;
    }

    /** Shows its certificate, whatever authorities the relay asks for. */
    private static KeyManager always(X509Bundle own) {
        return (KeyManager) Proxy.newProxyInstance(
                Certificates.class.getClassLoader(),
                new Class<?>[] {X509KeyManager.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "chooseClientAlias" -> "own";
                    case "getCertificateChain" -> own.getCertificatePath();
                    case "getPrivateKey" -> own.getKeyPair().getPrivate();
                    default -> null;
                });
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
