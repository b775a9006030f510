package dev.msgrelay.server.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.Frames;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class BytesTest {
    @Test
    void bigEndianIsTheWiresOrder() {
        ByteBuffer buffer = ByteBuffer.allocate(4).order(ByteOrder.nativeOrder());
        buffer.putInt(0, Bytes.bigEndian(0x01020304));
        assertThat(buffer.array()).containsExactly(1, 2, 3, 4);
        assertThat(Bytes.bigEndian(Bytes.bigEndian(-7))).isEqualTo(-7);
    }

    @Test
    void aViewLooksIntoTheSameMemory() {
        ByteBuf memory = Frames.direct(16);
        try {
            ByteBuffer view = Bytes.view(memory, 8);
            assertThat(view.order()).isEqualTo(ByteOrder.nativeOrder());
            assertThat(view.capacity()).isEqualTo(8);
            view.putInt(4, Bytes.bigEndian(42));
            assertThat(memory.getInt(4)).isEqualTo(42);
        } finally {
            memory.release();
        }
    }
}
