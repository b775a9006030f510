package dev.msgrelay.loadgen.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.site.Site;
import dev.msgrelay.loadgen.site.SiteProcess;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is kept of what a child says. */
class ChildTest {
    @Test
    @Timeout(30)
    void ofALongRunEveryOtherReportIsKept() throws Exception {
        int lines = 9_000;
        StringBuilder said = new StringBuilder();
        for (int i = 0; i < lines; i++) {
            said.append("{\"event\":\"progress\",\"messages\":").append(i).append("}\n");
        }
        said.append("{\"event\":\"result\"}\n");
        Child child = new Child("talker", Site.HERE, new Talker(said.toString()));
        child.await("result", TimeUnit.SECONDS.toNanos(20));
        List<Long> kept = child.all("progress").stream()
                .map(event -> event.json().getLong("messages"))
                .toList();
        assertThat(kept).hasSizeBetween(1_800, 3_600).isSorted().doesNotHaveDuplicates();
        assertThat(kept.get(0)).as("the first stays").isZero();
        assertThat(kept.get(kept.size() - 1)).as("the newest is there").isEqualTo(lines - 1L);
        for (int i = 1; i < kept.size(); i++) {
            assertThat(kept.get(i) - kept.get(i - 1)).as("no hole").isLessThanOrEqualTo(8);
        }
    }

    /** A process that has said something and is gone. */
    private record Talker(String said) implements SiteProcess {
        @Override
        public long pid() {
            return -1;
        }

        @Override
        public InputStream stdout() {
            return new ByteArrayInputStream(said.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public InputStream stderr() {
            return InputStream.nullInputStream();
        }

        @Override
        public OutputStream stdin() {
            return OutputStream.nullOutputStream();
        }

        @Override
        public boolean isAlive() {
            return false;
        }

        @Override
        public int exitCode() {
            return 0;
        }

        @Override
        public boolean awaitExit(long millis) {
            return true;
        }

        @Override
        public void terminate() {}

        @Override
        public void kill() {}

        @Override
        public long cpuNanos() {
            return -1;
        }

        @Override
        public long peakResidentBytes() {
            return -1;
        }
    }
}
