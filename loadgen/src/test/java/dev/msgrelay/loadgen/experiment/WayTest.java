package dev.msgrelay.loadgen.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.host.Nic;
import dev.msgrelay.loadgen.lane.Link;
import dev.msgrelay.loadgen.lane.LinkSpeed;
import dev.msgrelay.loadgen.lane.SegmentFormat;
import dev.msgrelay.loadgen.rig.RemoteRelay;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The link to a relay elsewhere: what is said of it, and what this end's interface tells. */
class WayTest {
    private static final LinkSpeed GIGABIT = LinkSpeed.parse("1g");
    private static final LinkSpeed TEN = LinkSpeed.parse("10g");

    @Test
    void theInterfacesSpeedAndMtuAreTheLinksWhereNobodySaysAnother() {
        Way way = to(new Nic("eth0", 10_000, 9_000, "ixgbe"));
        assertThat(way.lane().link()).isEqualTo(new Link(TEN, SegmentFormat.usual(9_000)));
        assertThat(way.notes()).isEmpty();
    }

    @Test
    void anotherSpeedThanTheInterfacesIsWarnedOf() {
        Way way = to(TEN, new Nic("eth0", 1_000, 1_500, "igb"));
        assertThat(way.lane().link().speed()).isEqualTo(TEN);
        assertThat(way.notes())
                .containsExactly("a: eth0 here (igb) has 1,000 Mbit/s, MTU 1500, not the 10 Gbit/s that were given:"
                        + " the share is of those");
    }

    @Test
    void anInterfaceThatDoesNotTellIsSaid() {
        Nic virtual = new Nic("eth0", 0, 1_400, "virtio_net");
        assertThat(to(virtual).lane().link()).isNull();
        assertThat(to(virtual).notes())
                .containsExactly("a: eth0 here (virtio_net) does not tell its speed, MTU 1400: say link=SPEED in"
                        + " --connect");
        assertThat(to(GIGABIT, virtual).lane().link()).isEqualTo(new Link(GIGABIT, SegmentFormat.usual(1_400)));
        assertThat(to(GIGABIT, virtual).notes())
                .containsExactly("a: eth0 here (virtio_net) does not tell its speed, MTU 1400");
    }

    private static Way to(Nic nic) {
        return Way.to("a", (RemoteRelay) FakeShootout.RELAY, Optional.empty(), Optional.of(nic));
    }

    private static Way to(LinkSpeed speed, Nic nic) {
        return Way.to("a", (RemoteRelay) FakeShootout.RELAY, Optional.of(speed), Optional.of(nic));
    }
}
