package dev.msgrelay.loadgen.ssh;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.host.NetInterfaces.NetInterface;
import dev.msgrelay.loadgen.host.SystemTree;
import dev.msgrelay.loadgen.link.IpVersion;
import dev.msgrelay.loadgen.link.Link;
import dev.msgrelay.loadgen.link.LinkSpeed;
import dev.msgrelay.loadgen.site.Site;
import java.net.InetAddress;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class RemoteLinkTest {
    private static final OptionalInt FAR_MTU = OptionalInt.of(1_500);
    private static final OptionalLong FAR_MEGABITS = OptionalLong.of(10_000);

    @Test
    void theSlowerEndAndTheSmallerMtuCount() {
        Link link = given(null, 0).of(near(9_000, 1_000), FAR_MTU, FAR_MEGABITS, IpVersion.V4, true);
        assertThat(link.speed()).isEqualTo(LinkSpeed.parse("1g"));
        assertThat(link.format().mtu()).isEqualTo(1_500);
        assertThat(link.format().segmentBytes()).isEqualTo(1_448);
    }

    @Test
    void whatOneEndDoesNotTellTheOtherOneMay() {
        assertThat(given(null, 0)
                        .of(Optional.empty(), FAR_MTU, FAR_MEGABITS, IpVersion.V6, false)
                        .speed())
                .isEqualTo(LinkSpeed.parse("10g"));
        assertThat(given(null, 0)
                        .of(near(9_000, 1_000), OptionalInt.empty(), OptionalLong.empty(), IpVersion.V4, true)
                        .format()
                        .mtu())
                .isEqualTo(9_000);
    }

    @Test
    void aLinkOfUnknownSpeedIsNone() {
        assertThat(given(null, 0).of(near(1_500, 0), OptionalInt.empty(), OptionalLong.empty(), IpVersion.V4, true))
                .isNull();
    }

    @Test
    void whatIsGivenGoesBeforeWhatIsRead() {
        Link link =
                given(LinkSpeed.parse("25g"), 9_000).of(near(1_500, 1_000), FAR_MTU, FAR_MEGABITS, IpVersion.V4, true);
        assertThat(link.speed()).isEqualTo(LinkSpeed.parse("25g"));
        assertThat(link.format().mtu()).isEqualTo(9_000);
    }

    @Test
    void oneHostHasNoLink() {
        InetAddress here = InetAddress.getLoopbackAddress();
        assertThat(given(null, 0).between(here, here, HostMain.Facts.here(""), SystemTree.ofThisHost()))
                .isNull();
    }

    private static Optional<NetInterface> near(int mtu, long megabits) {
        return Optional.of(new NetInterface(
                "eth0",
                true,
                false,
                "up",
                OptionalInt.of(mtu),
                megabits == 0 ? OptionalLong.empty() : OptionalLong.of(megabits),
                Optional.empty()));
    }

    private static RemoteLane.Given given(LinkSpeed speed, int mtu) {
        return new RemoteLane.Given(null, null, Site.DataPorts.ANY, speed, mtu);
    }
}
