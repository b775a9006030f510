package dev.msgrelay.loadgen.bound;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.bound.Sampled.CpuShare;
import dev.msgrelay.loadgen.bound.Watched.Role;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProcFilesTest {
    @TempDir
    Path root;

    @Test
    void filesNamesAndLinks() throws Exception {
        Files.createDirectories(root.resolve("7/task/8"));
        Files.createDirectories(root.resolve("7/task/9"));
        Files.createDirectories(root.resolve("7/ns"));
        Files.writeString(root.resolve("7/stat"), "hello\n");
        Files.createSymbolicLink(root.resolve("7/ns/net"), Path.of("net:[4026531840]"));
        ProcFiles source = new ProcFiles(root);
        assertThat(source.text("7/stat")).contains("hello\n");
        assertThat(source.names("7/task")).containsExactlyInAnyOrder("8", "9");
        assertThat(source.link("7/ns/net")).contains("net:[4026531840]");
    }

    @Test
    void whatIsNotThere() {
        ProcFiles source = new ProcFiles(root);
        assertThat(source.text("8/stat")).isEmpty();
        assertThat(source.names("8/task")).isEmpty();
        assertThat(source.link("8/ns/net")).isEmpty();
    }

    @Test
    void aFileWithoutEndIsReadToALimit() throws Exception {
        Files.write(root.resolve("long"), new byte[3 << 20]);
        assertThat(new ProcFiles(root).text("long").orElseThrow()).hasSize(1 << 20);
    }

    /** This very JVM, with a thread that works for the whole of a short window. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Timeout(20)
    @EnabledOnOs(OS.LINUX)
    void aThreadThatWorksIsSeen(boolean scheduled) throws Exception {
        Thread worker = new Thread(ProcFilesTest::work, "hard-worker");
        worker.setDaemon(true);
        worker.start();
        try {
            Watched watched = new Watched(
                    List.of(new Watched.Process(
                            Role.RELAY, "this", ProcessHandle.current().pid())),
                    -1,
                    -1);
            long begin = System.nanoTime();
            long end = begin + TimeUnit.MILLISECONDS.toNanos(600);
            try (WindowSampler sampler = WindowSampler.start(ProcFiles.ofThisHost(), watched, begin, end, scheduled)) {
                Sampled sampled = sampler.sampled();
                CpuShare busiest = sampled.busiest(Role.RELAY);
                assertThat(busiest.thread()).isEqualTo("hard-worker");
                if (sampled.waitsKnown()) {
                    assertThat(busiest.wanted()).as("it ran, or wanted to").isGreaterThan(0.5);
                }
                assertThat(sampled.machine().idle()).isBetween(0.0, 1.0);
                assertThat(sampled.samples()).isGreaterThan(1);
            }
        } finally {
            worker.interrupt();
            worker.join();
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
