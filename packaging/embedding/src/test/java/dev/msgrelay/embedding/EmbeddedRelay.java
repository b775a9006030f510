package dev.msgrelay.embedding;

import static dev.msgrelay.server.config.RelayOption.*;

import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.client.RelayPublisher;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.client.TlsOptions;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.admin.AdminServer;
import dev.msgrelay.server.config.AdminConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.tls.TlsFiles;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A program that uses everything that needs a library: TCP, TLS, Unix sockets, journal and admin port. Prints {@code
 * good} behind them; {@code FOLDER}, with certificate.pem, key.pem and authority.pem.
 */
@SuppressWarnings("try") // closing early is how it ends
final class EmbeddedRelay {
    private EmbeddedRelay() {}

    public static void main(String[] args) throws Exception {
        Path folder = Path.of(args[0]);
        Path publishSocket = folder.resolve("publish.sock");
        Path subscribeSocket = folder.resolve("subscribe.sock");
        RelayConfig config = RelayConfig.builder(0, 0)
                .set(PUBLISH_SOCKET, publishSocket)
                .set(SUBSCRIBE_SOCKET, subscribeSocket)
                .set(TLS_FILES, new TlsFiles(folder.resolve("certificate.pem"), folder.resolve("key.pem"), null, false))
                .set(TLS_PUBLISH_PORT, 0)
                .set(TLS_SUBSCRIBE_PORT, 0)
                .set(JOURNAL, folder.resolve("stream"))
                .build();
        TlsOptions tls = TlsOptions.trusting(folder.resolve("authority.pem"));
        try (RelayServer relay = RelayServer.start(config);
                AdminServer admin = AdminServer.start(relay, AdminConfig.parse("127.0.0.1:0", null))) {
            relay(Endpoint.of(relay.publishAddress()), Endpoint.of(relay.subscribeAddress()), null);
            relay(Endpoint.unix(publishSocket), Endpoint.unix(subscribeSocket), null);
            relay(Endpoint.of(relay.tlsPublishAddress()), Endpoint.of(relay.tlsSubscribeAddress()), tls);
            URI metrics = URI.create("http://127.0.0.1:" + admin.address().getPort() + "/metrics");
            String body = HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(metrics).build(), BodyHandlers.ofString())
                    .body();
            if (!body.contains("relay_memory_limit_bytes{")) {
                throw new AssertionError(body);
            }
        }
        System.out.println("good");
    }

    private static void relay(Endpoint to, Endpoint from, TlsOptions tls) throws Exception {
        PublisherOptions publishing = PublisherOptions.builder(to)
                .tls(tls)
                .acks("to " + to, Level.FORCED)
                .build();
        try (RelayPublisher publisher = RelayPublisher.open(publishing)) {
            publisher.publish(7, to.toString());
            publisher.flush(Duration.ofSeconds(120));
        }
        SubscriberOptions subscribing =
                SubscriberOptions.builder(from).tls(tls).fromEarliest().build();
        try (RelaySubscriber subscriber = RelaySubscriber.open(subscribing)) {
            subscriber.run((sequence, type, body) -> {
                if (StandardCharsets.UTF_8.decode(body).toString().equals(to.toString())) {
                    subscriber.close();
                }
            });
        }
    }
}
