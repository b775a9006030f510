package dev.msgrelay.server.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetector.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The guard against leaks can fail: it sees a buffer that nobody released, allocated as the relay does. */
class LeakGuardTest {
    private Level before;

    @BeforeEach
    void watchEverything() {
        before = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(Level.PARANOID);
    }

    @AfterEach
    void asItWas() {
        ResourceLeakDetector.setLevel(before);
    }

    @Test
    void aBufferThatNobodyReleasedIsReported() {
        int address = forget(new UnpooledByteBufAllocator(true));
        assertThat(address).isNotZero();
        assertThatThrownBy(() -> LeakGuard.failOnLeaks("a class"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("never released, found after a class")
                .hasMessageContaining("Hint: forget");
    }

    @Test
    void aReleasedBufferIsNot() {
        ByteBuf buffer = new UnpooledByteBufAllocator(true).directBuffer(64, 64);
        buffer.release();
        LeakGuard.failOnLeaks("a class");
    }

    /** In a method of its own, so that no local variable keeps the buffer reachable. */
    private static int forget(UnpooledByteBufAllocator allocator) {
        ByteBuf buffer = allocator.directBuffer(64, 64);
        buffer.writeInt(1).touch("forget");
        return System.identityHashCode(buffer);
    }
}
