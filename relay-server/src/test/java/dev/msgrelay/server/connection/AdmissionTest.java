package dev.msgrelay.server.connection;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.access.Refusal;
import dev.msgrelay.server.config.RelayConfig;
import io.netty.channel.unix.DomainSocketAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Connections in all, publishers, connections and connects and replays of one address; tickets are given back. */
class AdmissionTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final SocketAddress UNIX = new DomainSocketAddress("/tmp/relay");

    private Admission admission;
    private final List<Admission.Ticket> tickets = new ArrayList<>();
    private long now;
    private int ports;

    private void limit(UnaryOperator<RelayConfig.Builder> limits) {
        RelayConfig config = limits.apply(RelayConfig.builder()).build();
        admission = new Admission(config.clients(), config.limits());
    }

    private SocketAddress from(int host) {
        return from("10.0.0." + host);
    }

    private SocketAddress from(String address) {
        return new InetSocketAddress(address, 1024 + ports++);
    }

    private void admit(boolean publisher, SocketAddress peer) {
        Admission.Answer answer = admission.admit(publisher, peer, now);
        assertThat(answer.refusal()).isNull();
        tickets.add(answer.ticket());
    }

    private String refused(boolean publisher, SocketAddress peer, CloseReason reason) {
        Admission.Answer answer = admission.admit(publisher, peer, now);
        assertThat(answer.refusal().reason()).isEqualTo(reason);
        assertThat(answer.ticket()).isNull();
        assertThat(answer.refusal().waitMillis()).isBetween(1, 10_001);
        return answer.refusal().text();
    }

    private void leave() {
        admission.left(tickets.remove(0));
    }

    @Test
    void connectionsInAll() {
        limit(b -> b.set(MAX_CONNECTIONS, 3).set(MAX_PUBLISHERS, 3));
        admit(true, from(1));
        admit(false, from(2));
        admit(false, UNIX);
        assertThat(refused(false, from(3), CloseReason.TOO_MANY_CONNECTIONS)).contains("3 connections");
        refused(true, UNIX, CloseReason.TOO_MANY_CONNECTIONS);
        leave();
        admit(false, from(3));
        refused(false, from(4), CloseReason.TOO_MANY_CONNECTIONS);
    }

    @Test
    void publishersBesides() {
        limit(b -> b.set(MAX_CONNECTIONS, 10).set(MAX_PUBLISHERS, 2));
        admit(true, from(1));
        admit(true, from(2));
        assertThat(refused(true, from(3), CloseReason.TOO_MANY_PUBLISHERS)).contains("2 publishers");
        admit(false, from(3));
        leave();
        admit(true, from(3));
        refused(true, from(4), CloseReason.TOO_MANY_PUBLISHERS);
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
    void connectionsOfOneAddress(String first, String same, String other, String told) {
        limit(b -> b.set(MAX_PER_ADDRESS, 2));
        admit(true, from(first));
        admit(false, from(same));
        assertThat(refused(false, from(first), CloseReason.TOO_MANY_FROM_ADDRESS))
                .isEqualTo("there are 2 connections of " + told + " already, which is the limit");
        admit(false, from(other));
        leave();
        admit(true, from(same));
        refused(true, from(first), CloseReason.TOO_MANY_FROM_ADDRESS);
        // Who may open the file is on this host.
        for (int i = 0; i < 10; i++) {
            admit(false, UNIX);
        }
    }

    @ParameterizedTest
    @CsvSource({"10.0.0.1, 10.0.0.1, 10.0.0.1, 10.0.0.1", "2001:db8::1, 2001:db8::2, 2001:db8::77, 2001:db8::/64"})
    void connectsASecondOfOneAddress(String first, String second, String third, String told) {
        limit(b -> b.set(HANDSHAKES_PER_ADDRESS, 5));
        for (String one : List.of(first, second, first, second, first)) {
            admit(false, from(one));
            leave();
        }
        assertThat(refused(false, from(third), CloseReason.TOO_MANY_FROM_ADDRESS))
                .isEqualTo("there were more than 5 connects a second of " + told + ", which is the limit");
        admit(false, from(2));
        now += SECOND / 5;
        admit(false, from(third));
        refused(false, from(first), CloseReason.TOO_MANY_FROM_ADDRESS);
    }

    @ParameterizedTest
    @CsvSource({"10.0.0.1, 10.0.0.1, 10.0.0.1, 10.0.0.1", "2001:db8::1, 2001:db8::2, 2001:db8::3, 2001:db8::/64"})
    void replaysASecondOfOneAddress(String first, String second, String third, String told) {
        limit(b -> b.set(REPLAYS_PER_ADDRESS, 2));
        admit(false, from(first));
        assertThat(admission.mayReplay(from(first), now)).isTrue();
        assertThat(admission.mayReplay(from(second), now)).isTrue();
        assertThat(admission.mayReplay(from(third), now)).isFalse();
        Refusal refusal = admission.refuseReplay(from(third), now);
        assertThat(refusal.reason()).isEqualTo(CloseReason.TOO_MANY_FROM_ADDRESS);
        assertThat(refusal.text())
                .isEqualTo("there were more than 2 starts in the journal a second of " + told + ", which is the limit");
        assertThat(refusal.waitMillis()).isEqualTo(501);
        assertThat(admission.mayReplay(UNIX, now)).isTrue();
        now += SECOND / 2;
        assertThat(admission.mayReplay(from(third), now)).isTrue();
        assertThat(admission.mayReplay(from(first), now)).isFalse();
    }

    /** Who is refused together does not come together, and is not sent away for long. */
    @Test
    void eachIsToldATimeOfItsOwn() {
        limit(b -> b.set(HANDSHAKES_PER_ADDRESS, 10));
        for (int i = 0; i < 10; i++) {
            admit(false, from(1));
        }
        List<Integer> told = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            told.add(admission.admit(false, from(1), now).refusal().waitMillis());
        }
        assertThat(told.subList(0, 5)).containsExactly(101, 201, 301, 401, 501);
        assertThat(told.subList(200, 1000)).containsOnly(10_001);
        // Others are not told of them, and what was told is over in time.
        for (int i = 0; i < 10; i++) {
            admit(false, from(2));
        }
        assertThat(admission.admit(false, from(2), now).refusal().waitMillis()).isEqualTo(101);
        now += 20 * SECOND;
        for (int i = 0; i < 10; i++) {
            admit(false, from(1));
        }
        assertThat(admission.admit(false, from(1), now).refusal().waitMillis()).isEqualTo(101);
    }

    /** Who was refused has no ticket, and so cannot take anything out. */
    @Test
    void aRefusalCountsNobodyIn() {
        limit(b -> b.set(MAX_CONNECTIONS, 2).set(MAX_PER_ADDRESS, 1));
        admit(false, from(1));
        for (int i = 0; i < 100; i++) {
            refused(false, from(1), CloseReason.TOO_MANY_FROM_ADDRESS);
        }
        admit(false, from(2));
        refused(false, from(3), CloseReason.TOO_MANY_CONNECTIONS);
        leave();
        leave();
        admit(false, from(1));
        admit(false, from(2));
    }

    @Test
    void addressesAreForgottenAndTheirLimitsAreNot() {
        limit(b -> b.set(HANDSHAKES_PER_ADDRESS, 1).set(MAX_CONNECTIONS, 65_536));
        SocketAddress mine = from(1);
        admit(false, mine);
        leave();
        for (int i = 0; i < 20_000; i++) {
            admit(false, from("10.1." + (i >> 8) + "." + (i & 0xFF)));
            leave();
        }
        refused(false, mine, CloseReason.TOO_MANY_FROM_ADDRESS);
        now += SECOND;
        admit(false, mine);
    }
}
