package dev.msgrelay.lab.readers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.FrameReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.channels.Channels;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StreamSenderTest {
    private static final int BODY = 16;

    /** A frame is 24 bytes: less than one, one, many and a piece, more than all numbered ones. */
    @ParameterizedTest
    @ValueSource(ints = {7, 24, 1_000, 24 * StreamSender.FRAMES + 5})
    void whereverWritesCutTheStreamIsWhole(int writeSize) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        AtomicLong clock = new AtomicLong();
        long messages = new StreamSender(BODY, writeSize).send(Channels.newChannel(bytes), 11, clock::getAndIncrement);
        assertThat(bytes.size()).isGreaterThanOrEqualTo(11 * writeSize).isLessThan(11 * writeSize + 24);

        Sink sink = new Sink(BODY, true);
        FrameReader reader = new FrameReader();
        try (var in = Channels.newChannel(new ByteArrayInputStream(bytes.toByteArray()))) {
            while (reader.read(in, sink::message) >= 0) {
                assertThat(reader.bytes()).isPositive();
            }
        }
        assertThat(sink.messages()).isEqualTo(messages);
        assertThat(sink.wrong()).isZero();
    }

    @Test
    void theCheckSeesWhatIsLostOrDamaged() {
        Sink lost = new Sink(BODY, true);
        lost.message(StreamSender.TYPE, StreamSender.body(0, BODY), BODY);
        lost.message(StreamSender.TYPE, StreamSender.body(2, BODY), BODY);
        assertThat(lost.wrong()).isOne();

        Sink damaged = new Sink(BODY, true);
        byte[] body = StreamSender.body(0, BODY);
        body[BODY - 1]++;
        damaged.message(StreamSender.TYPE, body, BODY);
        damaged.message(StreamSender.TYPE + 1, StreamSender.body(1, BODY), BODY);
        damaged.message(StreamSender.TYPE, StreamSender.body(2, BODY), BODY - 1);
        assertThat(damaged.wrong()).isEqualTo(3);
    }

    @Test
    void soDoesTheCountAsFarAsNumbersTell() {
        Sink sink = new Sink(BODY, false);
        sink.message(StreamSender.TYPE, StreamSender.body(0, BODY), BODY);
        sink.message(StreamSender.TYPE, StreamSender.body(1, BODY), BODY);
        assertThat(sink.wrong()).isZero();
        sink.message(StreamSender.TYPE, StreamSender.body(3, BODY), BODY);
        sink.message(StreamSender.TYPE, StreamSender.body(3, BODY), BODY - 1);
        assertThat(sink.wrong()).isEqualTo(2);
    }
}
