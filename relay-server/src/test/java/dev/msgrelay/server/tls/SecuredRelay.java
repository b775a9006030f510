package dev.msgrelay.server.tls;

import static dev.msgrelay.server.config.RelayOption.*;

import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.harness.Certificates;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.TlsBridge;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** A relay with ports for TLS, certificates of it and its clients, and bridges by which plain clients come to it. */
final class SecuredRelay implements AutoCloseable {
    interface FileChoice {
        TlsFiles of(Certificates certificates) throws Exception;
    }

    final Certificates certificates;
    final TlsFiles files;
    final TestRelay relay;
    private final List<TlsBridge> bridges = new ArrayList<>();

    private SecuredRelay(Certificates certificates, TlsFiles files, TestRelay relay) {
        this.certificates = certificates;
        this.files = files;
        this.relay = relay;
    }

    static SecuredRelay start(TlsProvider provider) throws Exception {
        return start(provider, Certificates::relayFiles);
    }

    static SecuredRelay start(TlsProvider provider, FileChoice choice) throws Exception {
        return start(Setting.NIO_TCP, provider, choice, b -> b);
    }

    /** @param more changes what is to be different */
    static SecuredRelay start(
            Setting setting, TlsProvider provider, FileChoice choice, UnaryOperator<RelayConfig.Builder> more)
            throws Exception {
        Certificates certificates = new Certificates();
        TlsFiles files = choice.of(certificates);
        return new SecuredRelay(
                certificates,
                files,
                TestRelay.start(
                        setting,
                        b -> more.apply(b.set(TLS_FILES, files)
                                .set(TLS_PUBLISH_PORT, 0)
                                .set(TLS_SUBSCRIBE_PORT, 0)
                                .set(TLS_PROVIDER, provider))));
    }

    InetSocketAddress publish() {
        return relay.relay().tlsPublishAddress();
    }

    InetSocketAddress subscribe() {
        return relay.relay().tlsSubscribeAddress();
    }

    /** Where plain clients connect that publish over TLS. */
    SocketAddress in() throws Exception {
        return bridge(publish(), certificates.client());
    }

    /** Where plain clients connect that subscribe over TLS. */
    SocketAddress out() throws Exception {
        return bridge(subscribe(), certificates.client());
    }

    SocketAddress bridge(InetSocketAddress to, SSLContext client) throws IOException {
        TlsBridge bridge = new TlsBridge(to, client);
        bridges.add(bridge);
        return bridge.address();
    }

    /** A client with a certificate of its own, or null, at one of the ports; its handshake is done. */
    SSLSocket connect(X509Bundle own, InetSocketAddress to) throws Exception {
        return TlsBridge.connect(certificates.client(own), to, 0);
    }

    void reload(TlsFiles other) throws IOException {
        relay.relay().reload(RelayConfig.builder().set(TLS_FILES, other).build());
    }

    @Override
    public void close() throws IOException {
        for (TlsBridge bridge : bridges) {
            bridge.close();
        }
        relay.close();
        certificates.close();
    }
}
