package dev.msgrelay.lab.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.lab.WrongResultException;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class LoopTest {
    @Test
    void anInterruptIsHeardInTheMiddleOfALoop() {
        CountDownLatch end = new CountDownLatch(1);
        try {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> FilesExperiment.Loop.interruptibly(() -> {
                        end.await();
                        return "done";
                    }))
                    .isInstanceOf(InterruptedException.class);
        } finally {
            end.countDown();
        }
    }

    @Test
    void whatALoopGivesOrThrowsIsHandedOn() throws Exception {
        assertThat(FilesExperiment.Loop.<String>interruptibly(() -> "done")).isEqualTo("done");
        assertThatThrownBy(() -> FilesExperiment.Loop.interruptibly(() -> {
                    throw new IOException("no room");
                }))
                .isInstanceOf(IOException.class)
                .hasMessage("no room");
        assertThatThrownBy(() -> FilesExperiment.Loop.interruptibly(() -> {
                    throw new WrongResultException("wrong");
                }))
                .isInstanceOf(WrongResultException.class)
                .hasMessage("wrong");
    }
}
