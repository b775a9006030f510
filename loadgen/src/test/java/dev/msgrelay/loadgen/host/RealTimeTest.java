package dev.msgrelay.loadgen.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a publisher asks the system for, of a system made of files and a command of the test's. */
class RealTimeTest {
    private static final Tool REFUSES = command -> new Tool.Outcome(1, "chrt: Operation not permitted\nmore");

    @TempDir
    private Path root;

    private final List<List<String>> asked = new ArrayList<>();
    private final Tool allows = command -> {
        asked.add(command);
        return new Tool.Outcome(0, "");
    };
    private Path latency;

    @BeforeEach
    void system() throws IOException {
        latency = Files.createDirectories(root.resolve("dev")).resolve("cpu_dma_latency");
        Files.createFile(latency);
        driver("haltpoll");
        Files.createDirectories(root.resolve("proc"));
        Files.createSymbolicLink(root.resolve("proc/thread-self"), Path.of("7/task/1234"));
    }

    private void driver(String name) throws IOException {
        Path directory = Files.createDirectories(root.resolve("sys/devices/system/cpu/cpuidle"));
        Files.writeString(directory.resolve("current_driver"), name + "\n");
    }

    private RealTime asking(int processes, Tool tool) throws InterruptedException {
        RealTime realTime = new RealTime(new SystemTree(root), tool);
        realTime.ask(processes, 2);
        return realTime;
    }

    @Test
    void coresStayAwakeAndTheThreadComesFirst() throws InterruptedException {
        RealTime realTime = asking(1, allows);
        assertThat(realTime.coresAwake()).isTrue();
        assertThat(realTime.priority()).isTrue();
        assertThat(realTime.obstacle()).isEmpty();
        assertThat(latency).hasBinaryContent(new byte[4]);
        assertThat(asked).containsExactly(List.of("chrt", "-r", "-p", "1", "1234"));
        realTime.close();
        assertThat(realTime.coresAwake()).isFalse();
    }

    @Test
    void asManyAsThereAreCoresCouldTakeThemAll() throws InterruptedException {
        try (RealTime realTime = asking(2, allows)) {
            assertThat(realTime.coresAwake()).isTrue();
            assertThat(realTime.priority()).isFalse();
            assertThat(realTime.obstacle()).isEqualTo("2 publisher processes on 2 cores");
            assertThat(asked).isEmpty();
        }
    }

    @Test
    void whatIsRefusedIsTold() throws InterruptedException {
        try (RealTime realTime = asking(1, REFUSES)) {
            assertThat(realTime.coresAwake()).isTrue();
            assertThat(realTime.priority()).isFalse();
            assertThat(realTime.obstacle()).isEqualTo("chrt: Operation not permitted");
        }
        assertThat(RealTime.probe(new SystemTree(root), REFUSES, 2)).isEqualTo("chrt: Operation not permitted");
        assertThat(RealTime.probe(new SystemTree(root), allows, 2)).isEmpty();
    }

    @Test
    void withoutTheCommandItGoesOn() throws InterruptedException {
        Tool none = command -> {
            throw new IOException("No such file or directory");
        };
        try (RealTime realTime = asking(1, none)) {
            assertThat(realTime.priority()).isFalse();
            assertThat(realTime.obstacle()).isEqualTo("chrt: No such file or directory");
        }
    }

    @Test
    void onCoresThatFallAsleepPriorityIsNotAskedFor() throws IOException, InterruptedException {
        driver("none");
        try (RealTime realTime = asking(1, allows)) {
            assertThat(realTime.coresAwake()).isFalse();
            assertThat(realTime.priority()).isFalse();
            assertThat(realTime.obstacle()).isEqualTo("this kernel has no say in how its cores sleep");
            assertThat(asked).isEmpty();
            assertThat(latency).isEmptyFile();
        }
    }

    @Test
    void whoMayNotKeepThemAwakeIsToldSo() throws IOException, InterruptedException {
        Files.delete(latency);
        try (RealTime realTime = asking(1, allows)) {
            assertThat(realTime.coresAwake()).isFalse();
            assertThat(realTime.obstacle()).isEqualTo("/dev/cpu_dma_latency cannot be written");
        }
    }
}
