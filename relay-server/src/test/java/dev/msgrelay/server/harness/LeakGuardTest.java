package dev.msgrelay.server.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetector.Level;
import org.junit.jupiter.api.Test;

/** The guard against leaks can fail: it sees a buffer that nobody released, allocated as the relay does. */
class LeakGuardTest {
    @Test
    void aBufferThatNobodyReleasedIsReported() {
        Level before = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(Level.PARANOID);
        try {
            assertThat(forget(new UnpooledByteBufAllocator(true))).isNotZero();
            assertThatThrownBy(() -> LeakGuard.failOnLeaks("a class"))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("never released, found after a class")
                    .hasMessageContaining("Hint: forget");
        } finally {
            ResourceLeakDetector.setLevel(before);
        }
    }

    /** In a method of its own, so that no local variable keeps the buffer reachable. */
    private static int forget(UnpooledByteBufAllocator allocator) {
        ByteBuf buffer = allocator.directBuffer(64, 64);
        buffer.writeInt(1).touch("forget");
        return System.identityHashCode(buffer);
    }
}
