package dev.msgrelay.loadgen.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.loadgen.host.Placement;
import dev.msgrelay.loadgen.host.Site;
import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.host.Tool;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What needs no namespaces; systems where there are none are played by a tool that answers as they do. */
class LanesTest {
    private static final LaneSpec GIGABIT = LaneSpec.parse("1gbe");

    private static final Tool REFUSING = command -> command.contains("--net")
            ? new Tool.Completed(1, "unshare: unshare failed: Operation not permitted\nmore")
            : new Tool.Completed(0, "");

    @Test
    void loopbackAndUnixAreThisHost() throws Exception {
        try (Lane loopback = Lane.open(LaneSpec.parse("loopback"), new Subprocess());
                Lane unix = Lane.open(LaneSpec.parse("unix"), new Subprocess())) {
            assertThat(loopback.placement()).isEqualTo(Placement.HERE);
            assertThat(loopback.link()).as("no line rate").isNull();
            assertThat(loopback.unix()).isFalse();
            assertThat(unix.unix()).isTrue();
            assertThat(unix.label()).isEqualTo("unix");
        }
    }

    @Test
    void theRelayAndPublishersAreAtTheNearEndAndSubscribersAtTheFarOne() {
        Site far = new Site("elsewhere", List.of(), "192.0.2.7");
        Link link = GIGABIT.emulatedLink();
        try (Lane lane = Lane.between(LaneSpec.parse("1gbe"), Site.HERE, far, link)) {
            assertThat(lane.placement()).isEqualTo(new Placement(Site.HERE, Site.HERE, far));
            assertThat(lane.link()).isEqualTo(link);
        }
    }

    @Test
    void aMissingCommandIsTheReason() {
        Tool withoutTc = command -> {
            if (command.get(0).equals("tc")) {
                throw new IOException("No such file or directory");
            }
            return new Tool.Completed(0, "");
        };
        assertThatThrownBy(() -> Lane.open(GIGABIT, withoutTc))
                .isInstanceOf(IOException.class)
                .hasMessage("no command tc here");
    }

    @Test
    void notBeingAllowedIsTheReasonInOneLine() {
        assertThatThrownBy(() -> Lane.open(GIGABIT, REFUSING))
                .isInstanceOf(IOException.class)
                .hasMessage("unshare: unshare failed: Operation not permitted");
    }
}
