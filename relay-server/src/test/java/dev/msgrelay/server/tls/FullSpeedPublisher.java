package dev.msgrelay.server.tls;

import dev.msgrelay.protocol.net.PemFiles;
import dev.msgrelay.server.harness.Frames;
import java.io.OutputStream;
import java.nio.file.Path;
import java.security.KeyStore;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** A process that publishes over TLS as fast as it can, and says "sent" once all of it is on its way. */
final class FullSpeedPublisher {
    static final int MESSAGES = 32 * 1024;
    private static final int AT_ONCE = 64;
    private static final int BODY = 1000;

    private FullSpeedPublisher() {}

    /** @param args host, port, file of the authority */
    public static void main(String[] args) throws Exception {
        KeyStore authorities = KeyStore.getInstance(KeyStore.getDefaultType());
        authorities.load(null);
        authorities.setCertificateEntry(
                "authority", PemFiles.certificates(Path.of(args[2])).get(0));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(authorities);
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(null, trust.getTrustManagers(), null);
        Frames frames = new Frames();
        for (int i = 0; i < AT_ONCE; i++) {
            frames.frame(i, BODY);
        }
        byte[] bytes = frames.bytes();
        try (SSLSocket socket =
                (SSLSocket) context.getSocketFactory().createSocket(args[0], Integer.parseInt(args[1]))) {
            OutputStream out = socket.getOutputStream();
            for (int sent = 0; sent < MESSAGES; sent += AT_ONCE) {
                out.write(bytes);
            }
            socket.shutdownOutput();
            System.out.println("sent");
            socket.getInputStream().readAllBytes();
        }
    }
}
