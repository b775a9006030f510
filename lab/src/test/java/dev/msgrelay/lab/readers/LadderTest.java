package dev.msgrelay.lab.readers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.lab.readers.Client.Ladder;
import dev.msgrelay.protocol.FrameLayout;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every client of the ladder against streams that were cut in every way. */
class LadderTest {
    private static final int BODY = 24;
    private static final int MESSAGES = 300;

    @ParameterizedTest
    @EnumSource(Ladder.class)
    void readsAllThatComesAtOnce(Ladder step) throws Exception {
        Sink sink = new Sink(BODY, true);
        long reads = read(step, sink, channel -> writeAll(channel, stream(MESSAGES)));
        assertThat(sink.messages()).isEqualTo(MESSAGES);
        assertThat(sink.wrong()).isZero();
        // A read, at least, and never more than one for each of what the byte-wise one asks for, and the end.
        assertThat(reads).isBetween(1L, 6L * MESSAGES + MESSAGES);
    }

    @ParameterizedTest
    @EnumSource(Ladder.class)
    void readsAllThatComesByteByByte(Ladder step) throws Exception {
        Sink sink = new Sink(BODY, true);
        int few = 20;
        read(step, sink, channel -> {
            ByteBuffer stream = stream(few);
            int end = stream.limit();
            for (int i = 0; i < end; i++) {
                writeAll(channel, stream.limit(i + 1).position(i));
            }
        });
        assertThat(sink.messages()).isEqualTo(few);
        assertThat(sink.wrong()).isZero();
    }

    @ParameterizedTest
    @EnumSource(Ladder.class)
    void readsMoreThanItsBufferHolds(Ladder step) throws Exception {
        int large = 2_000;
        int many = 600;
        Sink sink = new Sink(large, true);
        read(
                step,
                sink,
                channel ->
                        writeAll(channel, StreamSender.packed(large, 0).limit(many * FrameLayout.frameLength(large))));
        assertThat(sink.messages()).isEqualTo(many);
        assertThat(sink.wrong()).isZero();
    }

    @ParameterizedTest
    @EnumSource(Ladder.class)
    void anEmptyStreamHasNoMessages(Ladder step) throws Exception {
        Sink sink = new Sink(BODY, true);
        read(step, sink, channel -> {});
        assertThat(sink.messages()).isZero();
    }

    @ParameterizedTest
    @EnumSource(
            value = Ladder.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"BYTE_WISE", "BUFFERED"})
    void aStreamThatEndsInAMessageIsAnError(Ladder step) {
        for (int missing : new int[] {1, BODY + 2}) {
            Sink sink = new Sink(BODY, true);
            ByteBuffer cut = stream(3);
            cut.limit(cut.limit() - missing);
            assertThatThrownBy(() -> read(step, sink, channel -> writeAll(channel, cut)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("in the middle of a");
            assertThat(sink.messages()).isEqualTo(2);
        }
    }

    /** What a server writes before it closes the connection. */
    interface Server {
        void serve(SocketChannel channel) throws IOException;
    }

    private static long read(Ladder step, Sink sink, Server server) throws Exception {
        try (OneConnection connection = new OneConnection(server)) {
            InetSocketAddress address = connection.address();
            return step.newClient().receive(address, sink);
        }
    }

    private static ByteBuffer stream(int messages) {
        return StreamSender.packed(BODY, 0).limit(messages * FrameLayout.frameLength(BODY));
    }

    private static void writeAll(SocketChannel channel, ByteBuffer data) throws IOException {
        while (data.hasRemaining()) {
            channel.write(data);
        }
    }
}
