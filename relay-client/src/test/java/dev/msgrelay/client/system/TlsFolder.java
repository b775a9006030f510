package dev.msgrelay.client.system;

import dev.msgrelay.server.tls.TlsFiles;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.UnaryOperator;

/** An authority and what it has signed, as files in a folder of a test. */
public final class TlsFolder {
    public final Path ca;
    private final X509Bundle authority;
    private final Path folder;
    private int files;

    public TlsFolder(Path folder) throws Exception {
        this.folder = folder;
        authority = new CertificateBuilder()
                .ecp256()
                .subject("CN=authority of a test")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        ca = file(authority.getCertificatePEM());
    }

    public X509Bundle signed(String subject, UnaryOperator<CertificateBuilder> more) throws Exception {
        return more.apply(new CertificateBuilder().ecp256().subject(subject)).buildIssuedBy(authority);
    }

    public X509Bundle relay() throws Exception {
        return signed("CN=relay of a test", b -> b.addSanIpAddress("127.0.0.1"));
    }

    public Path certificate(X509Bundle bundle) throws IOException {
        return file(bundle.getCertificatePathPEM());
    }

    public Path key(X509Bundle bundle) throws IOException {
        return file(bundle.getPrivateKeyPEM());
    }

    public TlsFiles files(X509Bundle relay, boolean mutual) throws IOException {
        return new TlsFiles(certificate(relay), key(relay), mutual ? ca : null, false);
    }

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("pem" + files++), text);
    }
}
