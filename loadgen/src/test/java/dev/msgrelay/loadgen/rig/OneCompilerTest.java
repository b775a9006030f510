package dev.msgrelay.loadgen.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.loadgen.host.Placement;
import dev.msgrelay.loadgen.host.Site;
import dev.msgrelay.loadgen.host.Site.JavaProgram;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Workers of every rate run in the same JVM: else a curve over rates has a step that is the instrument's. */
class OneCompilerTest {
    @Test
    void workersOfEveryRateHaveTheSameOptions() throws Exception {
        List<List<String>> fullSpeed = options(Load.oneToOne(100));
        assertThat(fullSpeed).hasSize(2);
        assertThat(options(Load.oneToOne(100).withRate(100))).isEqualTo(fullSpeed);
        assertThat(options(Load.oneToOne(100).withRate(2_000_000))).isEqualTo(fullSpeed);
    }

    /** Of the JVMs that a publisher and a subscriber would be started in. */
    private static List<List<String>> options(Load load) throws Exception {
        List<List<String>> seen = new ArrayList<>();
        Site site = new Site() {
            @Override
            public String name() {
                return "nowhere";
            }

            @Override
            public String address() {
                return "127.0.0.1";
            }

            @Override
            public Process start(JavaProgram program) throws IOException {
                seen.add(program.javaOptions());
                throw new IOException("seen");
            }
        };
        try (Children children = new Children(new Placement(site, site, site))) {
            Fleet fleet = new Fleet(children, load);
            Contestant.Started relay =
                    new Contestant.Started(null, Endpoint.parse("127.0.0.1:1"), Endpoint.parse("127.0.0.1:2"));
            assertThatThrownBy(() -> fleet.startSubscribers(relay)).hasMessage("seen");
            assertThatThrownBy(() -> fleet.startPublishers(relay)).hasMessage("seen");
        }
        return seen;
    }
}
