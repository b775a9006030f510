package dev.msgrelay.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.config.RelayConfig;
import io.netty.channel.unix.DomainSocketAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Connections in all, publishers, connections and connects and replays of one address; tickets are given back. */
class AdmissionTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final SocketAddress UNIX = new DomainSocketAddress("/tmp/relay");

    private Admission admission = admission(RelayConfig.builder());
    private final List<Admission.Ticket> tickets = new ArrayList<>();
    private long now;

    private static Admission admission(RelayConfig.Builder builder) {
        RelayConfig config = builder.build();
        return new Admission(config.clients(), config.limits());
    }

    private static SocketAddress from(int host) {
        return new InetSocketAddress("10.0.0." + host, 1024 + host);
    }

    private void admit(boolean publisher, SocketAddress peer) {
        Admission.Answer answer = admission.admit(publisher, peer, now);
        assertThat(answer.refusal()).as(answer.text()).isNull();
        tickets.add(answer.ticket());
    }

    private String refused(boolean publisher, SocketAddress peer, CloseReason reason) {
        Admission.Answer answer = admission.admit(publisher, peer, now);
        assertThat(answer.refusal()).isEqualTo(reason);
        assertThat(answer.ticket()).isNull();
        return answer.text();
    }

    private void leave() {
        admission.left(tickets.remove(0));
    }

    @Test
    void connectionsInAll() {
        admission = admission(RelayConfig.builder().maxConnections(3).maxPublishers(3));
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
        admission = admission(RelayConfig.builder().maxConnections(10).maxPublishers(2));
        admit(true, from(1));
        admit(true, from(2));
        assertThat(refused(true, from(3), CloseReason.TOO_MANY_PUBLISHERS)).contains("2 publishers");
        admit(false, from(3));
        leave();
        admit(true, from(3));
        refused(true, from(4), CloseReason.TOO_MANY_PUBLISHERS);
    }

    @Test
    void connectionsOfOneAddress() {
        admission = admission(RelayConfig.builder().maxPerAddress(2));
        admit(true, from(1));
        admit(false, from(1));
        assertThat(refused(false, from(1), CloseReason.TOO_MANY_FROM_ADDRESS)).contains("2 connections of 10.0.0.1");
        admit(false, from(2));
        leave();
        admit(true, from(1));
        refused(true, from(1), CloseReason.TOO_MANY_FROM_ADDRESS);
        // Who may open the file is on this host.
        for (int i = 0; i < 10; i++) {
            admit(false, UNIX);
        }
    }

    @Test
    void connectsASecondOfOneAddress() {
        admission = admission(RelayConfig.builder().handshakesPerSecond(5));
        for (int i = 0; i < 5; i++) {
            admit(false, from(1));
            leave();
        }
        assertThat(refused(false, from(1), CloseReason.TOO_MANY_FROM_ADDRESS)).contains("5 connects a second");
        admit(false, from(2));
        now += SECOND / 5;
        admit(false, from(1));
        refused(false, from(1), CloseReason.TOO_MANY_FROM_ADDRESS);
    }

    @Test
    void replaysASecondOfOneAddress() {
        admission = admission(RelayConfig.builder().replaysPerSecond(2));
        admit(false, from(1));
        assertThat(admission.refuseReplay(from(1), now)).isNull();
        assertThat(admission.refuseReplay(from(1), now)).isNull();
        assertThat(admission.refuseReplay(from(1), now)).contains("2 starts");
        assertThat(admission.refuseReplay(UNIX, now)).isNull();
        now += SECOND / 2;
        assertThat(admission.refuseReplay(from(1), now)).isNull();
        assertThat(admission.refuseReplay(from(1), now)).contains("2 starts");
    }

    /** Who was refused has no ticket, and so cannot take anything out. */
    @Test
    void aRefusalCountsNobodyIn() {
        admission = admission(RelayConfig.builder().maxConnections(2).maxPerAddress(1));
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

    /** However many addresses there were: what they may do is remembered only while it matters. */
    @Test
    void addressesAreForgottenAndTheirLimitsAreNot() {
        admission = admission(RelayConfig.builder().handshakesPerSecond(1).maxConnections(65_536));
        SocketAddress mine = from(1);
        admit(false, mine);
        leave();
        for (int i = 0; i < 20_000; i++) {
            SocketAddress other = new InetSocketAddress("10.1." + (i >> 8) + "." + (i & 0xFF), 1);
            admit(false, other);
            leave();
        }
        refused(false, mine, CloseReason.TOO_MANY_FROM_ADDRESS);
        now += SECOND;
        admit(false, mine);
    }
}
