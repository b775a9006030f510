package dev.msgrelay.testing.scripted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class ScriptedRelayTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private static final ScriptedRelay.Script SENDS_UNTIL_NOBODY_READS = client -> {
        while (true) {
            client.send(ByteBuffer.allocate(1 << 10));
        }
    };

    @Test
    void aClientThatLeavesWithinItsScriptEndsNothingButThat() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(SENDS_UNTIL_NOBODY_READS, client -> client.send(one()))) {
            leaveAtOnce(relay);
            assertThat(firstByte(relay)).isOne();
            assertThatThrownBy(relay::await)
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(IOException.class);
        }
    }

    @Test
    void soDoesEachOfManyClients() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.repeating(SENDS_UNTIL_NOBODY_READS)) {
            for (int i = 0; i < 3; i++) {
                leaveAtOnce(relay);
            }
            assertThat(firstByte(relay)).isZero();
        }
    }

    private static ByteBuffer one() {
        return ByteBuffer.allocate(1).put(0, (byte) 1);
    }

    private static void leaveAtOnce(ScriptedRelay relay) throws IOException {
        relay.endpoint().open(LONG).close();
    }

    private static int firstByte(ScriptedRelay relay) throws IOException {
        ByteBuffer read = ByteBuffer.allocate(1);
        try (SocketChannel client = relay.endpoint().open(LONG)) {
            client.read(read);
        }
        return read.get(0);
    }
}
