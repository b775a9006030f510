package dev.msgrelay.loadgen.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

@DisabledOnOs(OS.WINDOWS)
class SubprocessTest {
    private final Subprocess tool = new Subprocess(120_000);

    @Test
    void exitCodeAndBothOutputsAreTold() throws Exception {
        Tool.Completed outcome = tool.run(List.of("sh", "-c", "echo out; echo err >&2; exit 3"));
        assertThat(outcome.exitCode()).isEqualTo(3);
        assertThat(outcome.succeeded()).isFalse();
        assertThat(outcome.output()).isEqualTo("out\nerr");
        assertThat(outcome.firstLine()).isEqualTo("out");
        assertThat(tool.run(List.of("sh", "-c", "exit 7")).firstLine()).isEqualTo("exit code 7");
    }

    @Test
    void theOutputsApart() throws Exception {
        Tool apart = new Subprocess(120_000, true);
        Tool.Completed outcome = apart.run(List.of("sh", "-c", "echo out; echo err >&2; exit 3"));
        assertThat(outcome).isEqualTo(new Tool.Completed(3, "out", "err"));
        assertThat(apart.run(List.of("sh", "-c", "echo err >&2")).firstLine()).isEqualTo("err");
    }

    @Test
    void muchOutputIsCutAndTheChildStillEnds() throws Exception {
        Tool.Completed outcome = tool.run(List.of("sh", "-c", "head -c 300000 /dev/zero | tr '\\0' x"));
        assertThat(outcome.succeeded()).isTrue();
        assertThat(outcome.output()).hasSize(64 << 10);
    }

    @Test
    void whoDoesNotEndIsKilled() {
        long before = children();
        assertThatThrownBy(() -> new Subprocess(100).run(List.of("sh", "-c", "sleep 60; true")))
                .isInstanceOf(IOException.class)
                .message()
                .startsWith("'sh -c ")
                .endsWith("' did not end within 100 ms");
        awaitChildren(before);
    }

    @Test
    void whoIsInterruptedKillsIt() throws Exception {
        long before = children();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> tool.run(List.of("sleep", "60"))).isInstanceOf(InterruptedException.class);
        awaitChildren(before);
    }

    private static void awaitChildren(long limit) {
        long deadline = System.nanoTime() + 120_000_000_000L;
        while (children() > limit && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
        assertThat(children()).isLessThanOrEqualTo(limit);
    }

    private static long children() {
        return ProcessHandle.current()
                .descendants()
                .filter(ProcessHandle::isAlive)
                .count();
    }

    @Test
    void aCommandThatIsNotThereIsAnError() {
        assertThatThrownBy(() -> tool.run(List.of("no-such-command-anywhere")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no-such-command-anywhere");
    }
}
