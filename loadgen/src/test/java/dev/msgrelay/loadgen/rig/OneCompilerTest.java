package dev.msgrelay.loadgen.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.loadgen.host.Placement;
import dev.msgrelay.loadgen.host.Site;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.protocol.net.Endpoint;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Workers of every rate run in the same JVM: else a curve over rates has a step that is the instrument's. */
class OneCompilerTest {
    @TempDir
    private Path directory;

    @Test
    void workersOfEveryRateHaveTheSameOptions() throws Exception {
        List<List<String>> fullSpeed = options(Load.oneToOne(100));
        assertThat(fullSpeed).hasSize(2).noneMatch(List::isEmpty);
        assertThat(options(Load.oneToOne(100).withRate(100))).isEqualTo(fullSpeed);
        assertThat(options(Load.oneToOne(100).withRate(2_000_000))).isEqualTo(fullSpeed);
    }

    private List<List<String>> options(Load load) throws Exception {
        return List.of(options(load, Fleet::startSubscribers), options(load, Fleet::startPublishers));
    }

    private interface Start {
        void in(Fleet fleet, Contestant.Started relay) throws Exception;
    }

    private List<String> options(Load load, Start start) throws Exception {
        Path seen = directory.resolve("options");
        Files.deleteIfExists(seen);
        String tell = "printf '%s\\n' \"$@\" | grep -e ^-X >> " + seen;
        Site site = new Site("nowhere", List.of("sh", "-c", tell, "sh"), "127.0.0.1");
        try (Children children = new Children(new Placement(site, site, site))) {
            Fleet fleet = new Fleet(children, load);
            Contestant.Started relay =
                    new Contestant.Started(null, Endpoint.parse("127.0.0.1:1"), Endpoint.parse("127.0.0.1:2"));
            assertThatThrownBy(() -> start.in(fleet, relay)).hasMessageContaining("ended");
            return Files.readAllLines(seen);
        }
    }
}
