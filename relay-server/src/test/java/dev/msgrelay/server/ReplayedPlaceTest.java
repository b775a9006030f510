package dev.msgrelay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Numbered;
import dev.msgrelay.server.harness.NumberedPublisher;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.SpeakingSubscriber;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.net.Transport;
import dev.msgrelay.server.ops.Counter;
import dev.msgrelay.server.session.Connection;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The loop of a subscriber that has caught up from the journal. */
class ReplayedPlaceTest {
    private static final int MESSAGES = 50;

    @TempDir
    private Path directory;

    private TestRelay relay(int loops) throws IOException {
        return TestRelay.start(new Setting(Transport.NIO, false, loops), b -> b.journal(directory)
                .journalKeep(Duration.ofDays(1)));
    }

    private static Connection subscriber(TestRelay relay) {
        return Sessions.of(relay.relay()).stream()
                .filter(c -> c.role() == Role.SUBSCRIBER)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void withAFixedNumberOfLoopsASenderSendsToIt() throws Exception {
        Numbered messages = new Numbered(Seeds.random("ReplayedPlaceTest"), 10, 40);
        try (TestRelay relay = relay(2);
                NumberedPublisher publisher = new NumberedPublisher(relay, messages)) {
            publisher.publish(MESSAGES);
            relay.awaitMessagesIn(MESSAGES);
        }
        try (TestRelay relay = relay(2);
                SpeakingSubscriber late = relay.speaker(messages)) {
            late.hello(HelloFrame.subscriber().fromEarliest());
            late.awaitNext(MESSAGES + 1);
            assertThat(relay.stats().get(Counter.JOURNAL_REPLAYS_BEGUN)).isOne();
            Await.until(() -> "caught up: " + relay.stats(), () -> relay.stats().get(Counter.JOURNAL_REPLAYS) == 0);
            Connection connection = subscriber(relay);
            Await.until(
                    () -> "it is on the loop that sends: " + Sessions.thread(connection),
                    () -> Sessions.thread(connection).equals("relay-loop-1"));
        }
    }
}
