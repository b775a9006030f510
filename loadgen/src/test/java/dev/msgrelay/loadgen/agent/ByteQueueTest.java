package dev.msgrelay.loadgen.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class ByteQueueTest {
    @Test
    void givesWhatWasAddedInOrderAndThenEnds() throws Exception {
        ByteQueue queue = new ByteQueue(10);
        assertThat(queue.add(bytes("abc"))).isTrue();
        assertThat(queue.add(bytes("defg"))).isTrue();
        assertThat(queue.read()).isEqualTo('a');
        assertThat(queue.available()).isEqualTo(6);
        queue.end();
        assertThat(queue.add(bytes("late"))).isTrue();
        assertThat(new String(queue.readAllBytes(), StandardCharsets.US_ASCII)).isEqualTo("bcdefg");
        assertThat(queue.read()).isEqualTo(-1);
    }

    @Test
    void takesNoMoreThanItsCapacity() throws Exception {
        ByteQueue queue = new ByteQueue(4);
        assertThat(queue.add(bytes("abcd"))).isTrue();
        assertThat(queue.add(bytes("e"))).isFalse();
        assertThat(queue.read()).isEqualTo('a');
        assertThat(queue.add(bytes("e"))).isTrue();
    }

    @Test
    void aReaderWaitsForTheNextBytes() throws Exception {
        ByteQueue queue = new ByteQueue(4);
        CompletableFuture<Integer> read = CompletableFuture.supplyAsync(() -> {
            try {
                return queue.read();
            } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
        queue.add(bytes("x"));
        assertThat(read.get(10, TimeUnit.SECONDS)).isEqualTo('x');
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
