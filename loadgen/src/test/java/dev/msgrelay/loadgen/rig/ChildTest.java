package dev.msgrelay.loadgen.rig;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.host.Site;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What is kept of what a child says. */
class ChildTest {
    @Test
    void ofALongRunEveryOtherReportIsKept() throws Exception {
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
        assertThat(kept).hasSizeBetween(1_800, 3_600).isSorted().doesNotHaveDuplicates();
        assertThat(kept.get(0)).as("the first stays").isZero();
        assertThat(kept.get(kept.size() - 1)).as("the newest is there").isEqualTo(lines - 1L);
        for (int i = 1; i < kept.size(); i++) {
            assertThat(kept.get(i) - kept.get(i - 1)).as("no hole").isLessThanOrEqualTo(8);
        }
    }
}
