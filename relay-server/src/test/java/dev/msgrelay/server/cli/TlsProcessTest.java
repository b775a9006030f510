package dev.msgrelay.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Certificates;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.TlsBridge;
import dev.msgrelay.testing.ConcurrentTest;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.OpenSslContextOption;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.pkitesting.X509Bundle;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.provider.CsvSource;

/** relay-server with TLS, as a user starts it and reads it. */
class TlsProcessTest {
    @ConcurrentTest.Parameterized
    @CsvSource({"boringssl,BoringSSL (as told)", "jdk,the JDK's (as told)"})
    void eachRefusalHasItsLine(String provider, String named) throws Exception {
        Instant now = Instant.now();
        try (Certificates certificates = new Certificates()) {
            X509Bundle own = certificates.relay("CN=relay of a test");
            try (CommandProcess relay = CommandProcess.logging(
                    "--tls-cert=" + certificates.certificateFile(own),
                    "--tls-key=" + certificates.keyFile(own),
                    "--tls-clients=" + certificates.authorityFile(),
                    "--tls-publish-port=0",
                    "--tls-subscribe-port=0",
                    "--handshake-timeout=1s",
                    "--tls-size=2m",
                    "--pin-size=8m",
                    "--tls-provider=" + provider)) {
                assertThat(relay.line(line -> line.contains("TLS 1.3 by")))
                        .contains(named, "CN=relay of a test", "clients must show one of");
                InetSocketAddress publish = relay.told("TLS publishers ");

                until(
                        relay,
                        "the client shows no certificate, which is required",
                        () -> refused(certificates, publish, null));
                X509Bundle foreign = certificates.foreign("CN=foreign");
                until(
                        relay,
                        "the client's certificate is not from a trusted authority",
                        () -> refused(certificates, publish, foreign));
                X509Bundle late = certificates.signed(
                        "CN=late", b -> b.notBefore(now.minusSeconds(7200)).notAfter(now.minusSeconds(3600)));
                until(relay, "the client's certificate has expired", () -> refused(certificates, publish, late));
                X509Bundle early = certificates.signed(
                        "CN=early", b -> b.notBefore(now.plusSeconds(3600)).notAfter(now.plusSeconds(7200)));
                until(relay, "the client's certificate is not yet valid", () -> refused(certificates, publish, early));
                until(
                        relay,
                        "this port is for TLS, and the first byte is 0x00",
                        () -> plain(publish, new Frames().frame(7, 10).bytes()));
                until(relay, "the client does not offer TLS 1.3", () -> older(certificates, publish));
                until(relay, "no TLS handshake within 1000 ms", () -> plain(publish, new byte[0]));
                assertThat(relay.errors()).noneMatch(line -> line.contains("a fault of the relay"));
            }
        }
    }

    /** BoringSSL tells it; each client here offers one. */
    @ConcurrentTest
    void theKeyExchangeOfAConnectionIsLogged() throws Exception {
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try (Certificates certificates = new Certificates()) {
            X509Bundle own = certificates.relay("CN=relay of a test");
            X509Bundle orders = certificates.signed("CN=orders", b -> b);
            Path access =
                    certificates.file("access", "access { orders { certificate = \"CN=orders\", subscribe = all } }");
            try (CommandProcess relay = CommandProcess.logging(
                    "--config=" + access,
                    "--tls-cert=" + certificates.certificateFile(own),
                    "--tls-key=" + certificates.keyFile(own),
                    "--tls-clients=" + certificates.authorityFile(),
                    "--tls-publish-port=none",
                    "--tls-subscribe-port=0",
                    "--handshake-timeout=1h",
                    "--tls-size=2m",
                    "--pin-size=8m",
                    "--tls-provider=boringssl")) {
                InetSocketAddress subscribe = relay.told("  TLS publishers none, subscribers ");
                for (String group : List.of("X25519MLKEM768", "X25519", "P-256", "X25519MLKEM768")) {
                    SslContext tls = SslContextBuilder.forClient()
                            .sslProvider(SslProvider.OPENSSL_REFCNT)
                            .protocols("TLSv1.3")
                            .trustManager(certificates.authorityFile().toFile())
                            .keyManager(
                                    certificates.certificateFile(orders).toFile(),
                                    certificates.keyFile(orders).toFile())
                            .option(OpenSslContextOption.GROUPS, new String[] {group})
                            .build();
                    Channel client = connect(loop, tls, subscribe);
                    String who = "subscriber 127.0.0.1:" + ((InetSocketAddress) client.localAddress()).getPort();
                    assertThat(relay.error(0, line -> line.contains(who + " is orders by its certificate")))
                            .endsWith(", key exchange " + group);
                    client.close().sync();
                    ReferenceCountUtil.release(tls);
                }
                assertThat(relay.errors().stream().filter(line -> line.contains("the first connection with it")))
                        .extracting(line -> line.replaceFirst(".*TLS with the key exchange ", ""))
                        .containsExactly(
                                "X25519MLKEM768, the first connection with it",
                                "X25519, the first connection with it",
                                "P-256, the first connection with it");
            }
        } finally {
            loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
        }
    }

    private static Channel connect(EventLoopGroup loop, SslContext tls, InetSocketAddress to) throws Exception {
        Channel channel = new Bootstrap()
                .group(loop)
                .channel(NioSocketChannel.class)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel made) {
                        SslHandler handler = tls.newHandler(made.alloc(), "127.0.0.1", to.getPort());
                        handler.setHandshakeTimeoutMillis(Await.LIMIT_MILLIS);
                        made.pipeline().addLast(handler);
                    }
                })
                .connect(to)
                .sync()
                .channel();
        channel.pipeline().get(SslHandler.class).handshakeFuture().sync();
        return channel;
    }

    private static void refused(Certificates certificates, InetSocketAddress to, X509Bundle own) throws Exception {
        try (SSLSocket socket = TlsBridge.connect(certificates.client(own), to, 0)) {
            // An end without a reason: the relay has given the handshake up.
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        } catch (IOException asItShould) {
            assertThat(asItShould.getMessage()).isNotNull();
        }
    }

    private static void plain(InetSocketAddress to, byte[] bytes) throws IOException {
        try (Socket plain = new Socket("127.0.0.1", to.getPort())) {
            plain.getOutputStream().write(bytes);
            plain.getInputStream().readAllBytes();
        }
    }

    private static void older(Certificates certificates, InetSocketAddress to) throws Exception {
        try (SSLSocket older =
                (SSLSocket) certificates.client().getSocketFactory().createSocket("127.0.0.1", to.getPort())) {
            older.setEnabledProtocols(new String[] {"TLSv1.2"});
            older.startHandshake();
            throw new AssertionError("TLS 1.2 was taken");
        } catch (IOException asItShould) {
            assertThat(asItShould.getMessage()).isNotNull();
        }
    }

    /** Tries again until it is told so: on a busy machine a handshake may be given up before it is refused. */
    private static void until(CommandProcess relay, String text, Executable attempt) {
        Await.until(() -> "'" + text + "' in " + relay.errors(), () -> {
            try {
                attempt.execute();
            } catch (IOException asItShould) {
                // It is the relay's line that counts.
            } catch (Throwable e) {
                throw new AssertionError(text, e);
            }
            return !Await.staysTrue(
                    500, () -> relay.errors().stream().noneMatch(line -> line.contains("TLS failed: " + text)));
        });
    }

    @ConcurrentTest
    void whatIsMissingIsNamed() {
        CommandRun.of("--tls-cert=c.pem").assertRefused(2, "TLS cert c.pem needs its key: --tls-key");
        String why = "there is no file /nowhere/at/all.pem";
        String[] none = {"--tls-cert=/nowhere/at/all.pem", "--tls-key=/nowhere/at/all.pem"};
        CommandRun.of(none[0], none[1], "--tls-size=2m", "--pin-size=8m").assertRefused(1, why);
        CommandRun.check(none).assertRefused(2, why);
    }
}
