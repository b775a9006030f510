package dev.msgrelay.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.msgrelay.server.Sessions;
import dev.msgrelay.server.harness.ScarceAllocator;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The buffer of what is sent on a TLS connection. */
class TlsOutputTest {
    private final ScarceAllocator allocator = new ScarceAllocator();
    private final MemoryBudget.Pool pool = new MemoryBudget(Map.of(Part.TLS, (long) TlsRecords.LARGE)).pool(Part.TLS);
    private final TlsOutput out = new TlsOutput(pool, allocator, () -> {});

    @Test
    void whereTheJvmHasNoMemoryItIsReleasedOnce() {
        assertThat(pool.tryTake(TlsRecords.LARGE)).isTrue();
        Sessions.set(out, "large", true);
        allocator.scarce(true);
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(out::tick);
        out.release();
        assertThat(pool.used()).isZero();
        assertThat(allocator.usedDirectMemory()).isZero();
    }
}
