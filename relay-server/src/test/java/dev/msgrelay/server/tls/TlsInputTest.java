package dev.msgrelay.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.server.Sessions;
import dev.msgrelay.server.harness.ThrowingEngine;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.net.ReadSwitch;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.ByteBuffer;
import java.util.Map;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;

/** The buffer of what comes on a TLS connection. */
class TlsInputTest {
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final MemoryBudget.Pool pool = new MemoryBudget(Map.of(Part.TLS, (long) TlsRecords.LARGE)).pool(Part.TLS);

    /** What is large goes back once two looks in a row found it empty. */
    @Test
    void aLargeBufferThatIsNotNeededGoesBack() {
        EmbeddedChannel channel = new EmbeddedChannel();
        TlsInput in = new TlsInput(channel, pool, allocator, new ReadSwitch(channel, () -> {}), null, null);
        // There was much, once.
        Sessions.set(in, "filled", true);
        in.whereToRead().release();
        in.tick();
        assertThat(pool.used()).isEqualTo(TlsRecords.LARGE);
        in.tick();
        assertThat(pool.used()).isZero();
        ByteBuf read = in.whereToRead();
        read.writeByte(0x16);
        read.release();
        in.received(read.writerIndex());
        assertThat(in.first()).isEqualTo(0x16);
        in.release();
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    /** Such as new keys, each of which costs as much as a hundred messages: a stranger would keep the core busy with them. */
    @Test
    void manyRecordsWithoutDataEndTheConnection() throws Exception {
        int length = 27;
        SSLEngine takes = new ThrowingEngine(HandshakeStatus.NOT_HANDSHAKING, null) {
            @Override
            public SSLEngineResult unwrap(ByteBuffer from, ByteBuffer[] to, int offset, int count) {
                if (from.remaining() < length) {
                    return new SSLEngineResult(Status.BUFFER_UNDERFLOW, HandshakeStatus.NOT_HANDSHAKING, 0, 0);
                }
                from.position(from.position() + length);
                return new SSLEngineResult(Status.OK, HandshakeStatus.NOT_HANDSHAKING, length, 0);
            }
        };
        EmbeddedChannel channel = new EmbeddedChannel();
        TlsOutput out = new TlsOutput(pool, allocator, () -> {});
        TlsInput in = new TlsInput(channel, pool, allocator, new ReadSwitch(channel, () -> {}), null, out);
        in.open(takes);
        for (int i = 0; i < 10; i++) {
            come(in, 32 * length);
            unwrapAll(in);
            in.tick();
        }
        come(in, 33 * length);
        assertThatThrownBy(() -> unwrapAll(in))
                .isInstanceOf(SSLException.class)
                .hasMessageContaining("records without data");
        in.release();
        out.release();
    }

    private static void unwrapAll(TlsInput in) throws SSLException {
        while (in.waits()) {
            in.unwrap(ByteBuffer.allocate(100));
        }
    }

    private static void come(TlsInput in, int bytes) {
        ByteBuf read = in.whereToRead();
        // Records of 27 bytes.
        for (int i = 0; i < bytes; i++) {
            read.writeByte(i % 27 == 4 ? 22 : 0);
        }
        in.received(read.writerIndex());
        read.release();
    }
}
