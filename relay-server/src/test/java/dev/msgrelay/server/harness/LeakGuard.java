package dev.msgrelay.server.harness;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.ResourceLeakDetectorFactory;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test class after which Netty's leak detector has something to report. Registered for every class of the
 * module, see {@code junit-platform.properties}.
 */
public final class LeakGuard implements AfterAllCallback {
    static {
        // Before any buffer class is loaded: each of them asks the factory once.
        ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(new LeakRecorder.Factory());
    }

    @Override
    public void afterAll(ExtensionContext context) throws InterruptedException {
        if (context.getRequiredTestClass().getEnclosingClass() != null) {
            return;
        }
        failOnLeaks(context.getDisplayName());
    }

    static void failOnLeaks(String where) throws InterruptedException {
        LeakRecorder.collect();
        assertThat(LeakRecorder.takeLeaks())
                .as("buffers that were never released, found after " + where)
                .isEmpty();
    }
}
