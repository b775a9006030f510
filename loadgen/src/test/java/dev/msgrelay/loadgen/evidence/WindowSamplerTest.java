package dev.msgrelay.loadgen.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.evidence.Sampled.CpuShare;
import dev.msgrelay.loadgen.evidence.Watched.Role;
import dev.msgrelay.loadgen.host.CpuGroups;
import dev.msgrelay.server.host.ControlGroups;
import dev.msgrelay.server.host.SystemTree;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WindowSamplerTest {
    /** This very JVM, with a thread that works for the whole of a short window. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @EnabledOnOs(OS.LINUX)
    void aThreadThatWorksIsSeen(boolean scheduled) throws Exception {
        Thread worker = new Thread(WindowSamplerTest::work, "hard-worker");
        worker.setDaemon(true);
        worker.start();
        try {
            // The first looks of a JVM take the sampler's own thread longer than anything else.
            sampled(scheduled);
            Sampled sampled = sampled(scheduled);
            CpuShare busiest = sampled.busiest(Role.RELAY);
            // Where many programs want the cores, the worker may get no more of them than a sampler that looks all the
            // time.
            assertThat(scheduled ? List.of("hard-worker") : List.of("hard-worker", "bound-sampler"))
                    .contains(busiest.thread());
            assertThat(busiest.run()).isPositive();
            if (sampled.waitsKnown()) {
                assertThat(busiest.wanted()).as("it ran, or wanted to").isPositive();
            }
            assertThat(sampled.machine().idle()).isBetween(0.0, 1.0);
            assertThat(sampled.samples()).isPositive();
        } finally {
            worker.interrupt();
            worker.join();
        }
    }

    private static final CpuGroups NO_GROUPS = new CpuGroups(new ControlGroups(SystemTree.proc(), List.of(), true));

    private static Sampled sampled(boolean scheduled) throws InterruptedException {
        Watched watched = new Watched(
                List.of(new Watched.Process(
                        Role.RELAY, "this", ProcessHandle.current().pid(), false)),
                -1,
                -1);
        long begin = System.nanoTime();
        long end = begin + TimeUnit.MILLISECONDS.toNanos(600);
        try (WindowSampler sampler = new WindowSampler(SystemTree.proc(), NO_GROUPS, watched, begin, end, scheduled)) {
            return sampler.sampled();
        }
    }

    private static void work() {
        long sum = 0;
        while (!Thread.currentThread().isInterrupted()) {
            sum += System.nanoTime();
        }
        assertThat(sum).isNotZero();
    }
}
