package dev.msgrelay.loadgen.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a publisher asks the system for, of a system made of files and commands of the test's. */
@Timeout(30)
class RealTimeTest {
    private static final List<String> ALLOWS = List.of("sh", "-c", "exit 0");
    private static final List<String> REFUSES =
            List.of("sh", "-c", "echo 'set: Operation not permitted' >&2; exit 1", "sh");

    @TempDir
    Path root;

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

    @Test
    void coresStayAwakeAndTheThreadComesFirst() throws IOException, InterruptedException {
        Path asked = root.resolve("asked");
        RealTime realTime = new RealTime(root, List.of("sh", "-c", "echo $0 > " + asked));
        realTime.ask(1, 2);
        assertThat(realTime.coresAwake()).isTrue();
        assertThat(realTime.priority()).isTrue();
        assertThat(realTime.obstacle()).isEmpty();
        assertThat(latency).hasBinaryContent(new byte[4]);
        assertThat(asked).as("for this thread").hasContent("1234");
    }

    @Test
    void asManyAsThereAreCoresCouldTakeThemAll() throws IOException, InterruptedException {
        RealTime realTime = new RealTime(root, ALLOWS);
        realTime.ask(2, 2);
        assertThat(realTime.coresAwake()).isTrue();
        assertThat(realTime.priority()).isFalse();
        assertThat(realTime.obstacle()).isEqualTo("2 publisher processes on 2 cores");
    }

    @Test
    void whatIsRefusedIsTold() throws IOException, InterruptedException {
        RealTime realTime = new RealTime(root, REFUSES);
        realTime.ask(1, 2);
        assertThat(realTime.coresAwake()).isTrue();
        assertThat(realTime.priority()).isFalse();
        assertThat(realTime.obstacle()).isEqualTo("set: Operation not permitted");
    }

    @Test
    void withoutTheCommandItGoesOn() throws IOException, InterruptedException {
        RealTime realTime = new RealTime(root, List.of(root.resolve("none").toString()));
        realTime.ask(1, 2);
        assertThat(realTime.priority()).isFalse();
        assertThat(realTime.obstacle()).contains("none");
    }

    @Test
    void onCoresThatFallAsleepPriorityIsNotAskedFor() throws IOException, InterruptedException {
        driver("none");
        RealTime sleepy = new RealTime(root, ALLOWS);
        sleepy.ask(1, 2);
        assertThat(sleepy.coresAwake()).isFalse();
        assertThat(sleepy.priority()).isFalse();
        assertThat(sleepy.obstacle()).isEqualTo("this kernel has no say in how its cores sleep");
        assertThat(latency).isEmptyFile();
    }

    @Test
    void anotherSystemHasNoSuchFiles() throws InterruptedException {
        RealTime realTime = new RealTime(root.resolve("elsewhere"), ALLOWS);
        realTime.ask(1, 2);
        assertThat(realTime.coresAwake()).isFalse();
        assertThat(realTime.priority()).isFalse();
        assertThat(realTime.obstacle()).contains("there is no").contains("current_driver");
    }
}
