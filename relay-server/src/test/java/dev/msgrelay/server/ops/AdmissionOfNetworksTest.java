package dev.msgrelay.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.ops.Admission.Answer;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many there may be of one address, and what one address is. */
class AdmissionOfNetworksTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final Admission admission = admission(RelayConfig.builder().maxPerAddress(2));

    private static Admission admission(RelayConfig.Builder builder) {
        RelayConfig config = builder.build();
        return new Admission(config.clients(), config.limits());
    }

    private static InetSocketAddress peer(String address, int port) {
        return new InetSocketAddress(address, port);
    }

    private Answer admit(String address, int port) {
        return admission.admit(false, peer(address, port), 0);
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.1, 10.0.0.1, 10.0.0.2, 10.0.0.1",
        "2001:db8:1:2::1, 2001:db8:1:2:ffff::9, 2001:db8:1:3::1, 2001:db8:1:2::/64",
        "::1, ::2, 0:0:0:1::1, ::/64",
        "fe80::1, fe80::1, fe80::2, fe80::1",
        // As the kernel gives them to a socket for both.
        "::ffff:10.0.0.1, 10.0.0.1, ::ffff:10.0.0.2, 10.0.0.1",
    })
    void oneAddressHasALimit(String first, String same, String other, String told) {
        Answer one = admit(first, 1);
        assertThat(one.refusal()).isNull();
        assertThat(admit(same, 2).refusal()).isNull();
        Answer third = admit(first, 3);
        assertThat(third.refusal()).isEqualTo(CloseReason.TOO_MANY_FROM_ADDRESS);
        assertThat(third.text()).isEqualTo("there are 2 connections of " + told + " already, which is the limit");
        assertThat(admit(other, 4).refusal()).isNull();
        admission.left(one.ticket());
        assertThat(admit(same, 5).refusal()).isNull();
    }

    @Test
    void connectsOfANetworkInASecond() {
        Admission few = admission(RelayConfig.builder().handshakesPerSecond(3));
        for (int i = 0; i < 3; i++) {
            assertThat(few.admit(false, peer("2001:db8::" + i, 1), 0).refusal()).isNull();
        }
        Answer over = few.admit(false, peer("2001:db8::77", 1), 0);
        assertThat(over.refusal()).isEqualTo(CloseReason.TOO_MANY_FROM_ADDRESS);
        assertThat(over.text())
                .isEqualTo("there were more than 3 connects a second of 2001:db8::/64, which is the limit");
        assertThat(few.admit(false, peer("2001:db8::77", 1), SECOND).refusal()).isNull();
    }

    @Test
    void replaysOfANetworkInASecond() {
        Admission few = admission(RelayConfig.builder().replaysPerSecond(2));
        assertThat(few.admit(false, peer("2001:db8::1", 1), 0).refusal()).isNull();
        assertThat(few.refuseReplay(peer("2001:db8::1", 1), 0)).isNull();
        assertThat(few.refuseReplay(peer("2001:db8::2", 1), 0)).isNull();
        assertThat(few.refuseReplay(peer("2001:db8::3", 1), 0))
                .isEqualTo(
                        "there were more than 2 starts behind the head a second of 2001:db8::/64, which is the limit");
        assertThat(few.refuseReplay(peer("2001:db8::3", 1), SECOND)).isNull();
    }
}
