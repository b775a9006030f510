package dev.msgrelay.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.msgrelay.server.Sessions;
import dev.msgrelay.server.harness.ScarceAllocator;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.net.ReadSwitch;
import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The buffers of what comes, and of what is sent, on a TLS connection. */
class TlsBuffersTest {
    private final ScarceAllocator allocator = new ScarceAllocator();
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
        assertThat(allocator.usedDirectMemory()).isZero();
    }

    @Test
    void aLargeBufferOfWhatIsSentGoesBackToo() {
        TlsOutput out = new TlsOutput(pool, allocator, () -> {});
        assertThat(pool.tryTake(TlsRecords.LARGE)).isTrue();
        Sessions.set(out, "large", true);
        Sessions.set(out, "filled", true);
        out.tick();
        assertThat(pool.used()).isEqualTo(TlsRecords.LARGE);
        out.tick();
        assertThat(pool.used()).isZero();
        out.release();
        assertThat(pool.used()).isZero();
        assertThat(allocator.usedDirectMemory()).isZero();
    }

    @Test
    void whereTheJvmHasNoMemoryItIsReleasedOnce() {
        TlsOutput out = new TlsOutput(pool, allocator, () -> {});
        assertThat(pool.tryTake(TlsRecords.LARGE)).isTrue();
        Sessions.set(out, "large", true);
        allocator.scarce(true);
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(out::tick);
        out.release();
        assertThat(pool.used()).isZero();
        assertThat(allocator.usedDirectMemory()).isZero();
    }
}
