package dev.msgrelay.server.journal.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.msgrelay.server.harness.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FirstWriteTest {
    @TempDir
    private Path folder;

    private final List<String> told = new ArrayList<>();

    @Test
    void leavesAFolderAndNothingInIt() throws IOException {
        Path fresh = folder.resolve("a/b");
        FirstWrite.await(fresh, told::add);
        assertThat(fresh).isEmptyDirectory();
    }

    /** What whoever needs the disk says of it is better. */
    @Test
    void aRefusalIsAnAnswer() throws IOException {
        Path file = Files.createFile(folder.resolve("no-folder"));
        FirstWrite.await(file, told::add);
        assertThat(file).isRegularFile();
    }

    @Test
    void aDiskThatHangsIsToldUntilItAnswers() throws IOException {
        CountDownLatch hangs = new CountDownLatch(3);
        List<Long> times = new ArrayList<>();
        boolean waited = FirstWrite.await(
                () -> {
                    try {
                        assertThat(hangs.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS))
                                .isTrue();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                TimeUnit.MILLISECONDS.toNanos(1),
                nanos -> {
                    times.add(nanos);
                    hangs.countDown();
                });
        assertThat(waited).isTrue();
        assertThat(times).hasSizeGreaterThanOrEqualTo(3).isSorted();
    }

    @Test
    void aStartThatIsInterruptedEnds() {
        CountDownLatch goOn = new CountDownLatch(1);
        Thread.currentThread().interrupt();
        assertThatIOException()
                .isThrownBy(() -> FirstWrite.await(
                        () -> {
                            try {
                                goOn.await();
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        },
                        Await.LIMIT_NANOS,
                        nanos -> {}))
                .withMessageContaining("interrupted");
        assertThat(Thread.interrupted()).isTrue();
        goOn.countDown();
    }
}
