package dev.msgrelay.client.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.protocol.net.Endpoint;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names and paths that the locale has mutilated, where no start script has seen to it: refused, not mixed up. */
class LostCharactersTest {
    private static final String LOST = "a\uFFFD\uFFFD";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "publish --ack --name a\uFFFD\uFFFD :1",
                "publish --file a\uFFFD\uFFFD :1",
                "publish --ack --name x --state=a\uFFFD\uFFFD :1",
                "subscribe --name a\uFFFD\uFFFD :1",
                "subscribe unix:a\uFFFD\uFFFD",
                "subscribe --context a\uFFFD\uFFFD",
                "top --token-file a\uFFFD\uFFFD"
            })
    void inAnArgument(String line) {
        CommandRun run = CommandRun.of(line.split(" "));
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).startsWith("relay-client: argument ").contains("set LC_ALL=C.UTF-8");
    }

    @Test
    void inTheEnvironment() {
        assertThatThrownBy(() -> Context.read(LOST, Map.of("HOME", "/nowhere"))).hasMessageContaining("LC_ALL=C.UTF-8");
    }

    @Test
    void inTheNameOfAProgramsOwnClient() {
        Endpoint endpoint = Endpoint.parse(":1");
        assertThatThrownBy(() -> SubscriberOptions.builder(endpoint).name(LOST).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("U+FFFD");
        assertThatThrownBy(() -> PublisherOptions.builder(endpoint).acks(LOST).build())
                .hasMessageContaining("U+FFFD");
    }
}
