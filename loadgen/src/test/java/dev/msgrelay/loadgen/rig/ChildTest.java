package dev.msgrelay.loadgen.rig;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.host.Site;
import dev.msgrelay.testing.TestProcess;
import java.util.AbstractList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ChildTest {
    @Test
    void ofAVeryLongRunTheLatestReportsAreKept() throws Exception {
        int lines = 9_000;
        StringBuilder said = new StringBuilder();
        for (int i = 0; i < lines; i++) {
            said.append("{\"event\":\"progress\",\"messages\":").append(i).append("}\n");
        }
        said.append("{\"event\":\"result\"}\n");
        Child child = new Child("talker", Site.HERE, new FakeProcess(said.toString(), true));
        child.await("result", TimeUnit.SECONDS.toNanos(120));
        List<Long> kept = child.all("progress").stream()
                .map(event -> event.json().path("messages").asLong(-1))
                .toList();
        assertThat(kept).hasSize(8_000).isSorted().doesNotHaveDuplicates();
        assertThat(kept.get(kept.size() - 1)).as("the newest is there").isEqualTo(lines - 1L);
        assertThat(kept.get(0)).as("no hole").isEqualTo(lines - 8_000L);
    }

    /** It says what is awaited and ends, both between two looks. */
    @Test
    void whoEndsBehindItsResultHasNotFailed() throws Exception {
        Process process = TestProcess.builder(List.of("sh", "-c", "read go; echo '{\"event\":\"result\"}'"))
                .start();
        Child child = new Child("talker", Site.HERE, process);
        List<Child> looked = new AbstractList<>() {
            @Override
            public Child get(int index) {
                return child;
            }

            @Override
            public int size() {
                return 1;
            }

            @Override
            public Iterator<Child> iterator() {
                child.send("go", 1);
                while (!hasEnded(child)) {
                    Thread.onSpinWait();
                }
                return super.iterator();
            }
        };
        assertThat(child.await("result", "end", TimeUnit.SECONDS.toNanos(120), looked)
                        .path("event")
                        .asString(""))
                .isEqualTo("result");
    }

    private static boolean hasEnded(Child child) {
        try {
            child.checkHealthy();
            return false;
        } catch (RunException ended) {
            return true;
        }
    }
}
