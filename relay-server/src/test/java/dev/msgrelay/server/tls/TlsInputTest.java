package dev.msgrelay.server.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.Sessions;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.net.ReadSwitch;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The buffer of what comes on a TLS connection. */
class TlsInputTest {
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final MemoryBudget.Pool pool = new MemoryBudget(Map.of(Part.TLS, (long) TlsRecords.LARGE)).pool(Part.TLS);

    /** Its read begins before anything comes. */
    @Test
    void whatAReadOfIoUringBringsStaysWhereItCame() {
        EmbeddedChannel channel = new EmbeddedChannel();
        TlsInput in = new TlsInput(channel, pool, allocator, new ReadSwitch(channel, () -> {}), null, null);
        // There was much, once.
        Sessions.set(in, "filled", true);
        ByteBuf read = in.whereToRead();
        in.tick();
        in.tick();
        read.writeByte(0x16);
        read.release();
        in.came(read.writerIndex());
        assertThat(in.first()).isEqualTo(0x16);
        assertThat(pool.used()).isEqualTo(TlsRecords.LARGE);
        in.release();
        assertThat(pool.used()).isZero();
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }
}
