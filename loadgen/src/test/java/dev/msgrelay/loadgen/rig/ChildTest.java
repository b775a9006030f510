package dev.msgrelay.loadgen.rig;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.host.Site;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What is kept of what a child says. */
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
}
