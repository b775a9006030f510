package dev.msgrelay.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.LocalPublisher;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.admin.AdminServer;
import dev.msgrelay.server.config.AdminConfig;
import dev.msgrelay.server.config.RelayConfig;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The libraries as a program of somebody else has them; its pom says what they may not bring along. */
class EmbeddingTest {
    @Test
    void aMessageThroughARelayOfThisProgram() throws Exception {
        RelayConfig config =
                RelayConfig.builder().publishPort(0).subscribePort(0).build();
        try (RelayServer relay = RelayServer.start(config);
                LocalPublisher publisher = relay.newLocalPublisher()) {
            assertThat(publisher.publish(7, ByteBuffer.wrap("one".getBytes(StandardCharsets.UTF_8))))
                    .isEqualTo(PublishOutcome.ACCEPTED);
            StringBuilder got = new StringBuilder();
            SubscriberOptions options = SubscriberOptions.builder(Endpoint.of(relay.subscribeAddress()))
                    .fromEarliest()
                    .build();
            try (RelaySubscriber subscriber = RelaySubscriber.connect(options)) {
                while (got.length() == 0) {
                    subscriber.poll((sequence, type, body) ->
                            got.append(sequence + " " + type + " " + StandardCharsets.UTF_8.decode(body)));
                }
            }
            assertThat(got).hasToString("1 7 one");
        }
    }

    @Test
    void theAdminPort() throws Exception {
        RelayConfig config =
                RelayConfig.builder().publishPort(0).subscribePort(0).build();
        try (RelayServer relay = RelayServer.start(config);
                AdminServer admin = AdminServer.start(relay, AdminConfig.parse("127.0.0.1:0", null))) {
            URI metrics = URI.create("http://127.0.0.1:" + admin.address().getPort() + "/metrics");
            assertThat(HttpClient.newHttpClient()
                            .send(HttpRequest.newBuilder(metrics).build(), BodyHandlers.ofString())
                            .body())
                    .contains("relay_memory_limit_bytes{");
        }
    }

    /** Names that stay when a jar gets another file name. */
    @Test
    void modules() {
        Set<String> modules = ModuleFinder.of(classPath()).findAll().stream()
                .filter(EmbeddingTest::ours)
                .map(module -> module.descriptor().name())
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(modules).containsExactly("dev.msgrelay.client", "dev.msgrelay.protocol", "dev.msgrelay.server");
    }

    private static boolean ours(ModuleReference module) {
        return module.descriptor().packages().stream().anyMatch(name -> name.startsWith("dev.msgrelay."));
    }

    private static Path[] classPath() {
        return Set.of(System.getProperty("java.class.path").split(System.getProperty("path.separator"))).stream()
                .filter(entry -> entry.endsWith(".jar") && entry.contains("relay-"))
                .map(Path::of)
                .toArray(Path[]::new);
    }
}
