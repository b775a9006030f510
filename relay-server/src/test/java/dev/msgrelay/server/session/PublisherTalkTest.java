package dev.msgrelay.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a publisher is told, and when, with time passed in and a socket that can be made to take nothing. */
class PublisherTalkTest {
    private PublisherRig rig = new PublisherRig();

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void oneAckForAllThatARoundBrought() {
        PublisherRig.Publisher publisher = rig.connect();
        publisher.read(Hello.acks("orders", 1).bytes()).told();
        publisher.read(new Frames().frame(1, 1).raw(Hello.pong(1)).frame(2, 2).frame(3, 3));
        Control ack = publisher.toldOnce(Hello.ACK);
        assertThat(ack.first()).isEqualTo(3);
        assertThat(ack.sequence()).isEqualTo(3);
        rig.round();
        assertThat(publisher.told()).isEmpty();
    }

    @Test
    void whoReadsNothingGetsTheNewestOfEachKind() {
        PublisherRig.Publisher publisher = rig.connect();
        publisher.read(Hello.acks("orders", 1).bytes()).told();
        publisher.block();
        for (int i = 1; i <= 1000; i++) {
            publisher.read(new Frames().frame(i, 10).raw(Hello.ping(i)));
        }
        assertThat(publisher.told()).isEmpty();
        assertThat(publisher.channel.unsafe().outboundBuffer().totalPendingWriteBytes())
                .as("one write is in flight, whatever is due")
                .isLessThan(500);
        publisher.unblock();
        List<Control> told = publisher.told();
        assertThat(told).extracting(Control::type).containsOnly(Hello.ACK, Hello.PONG);
        assertThat(told).hasSizeLessThan(6);
        assertThat(told).filteredOn(c -> c.type() == Hello.ACK).last().satisfies(ack -> {
            assertThat(ack.first()).isEqualTo(1000);
            assertThat(ack.sequence()).isEqualTo(1000);
        });
        assertThat(told).filteredOn(c -> c.type() == Hello.PONG).last().satisfies(pong -> assertThat(pong.first())
                .isEqualTo(1000));
    }

    @Test
    void pingsByTheClockWithTheNewestSequence() {
        PublisherRig.Publisher publisher = rig.connect();
        publisher.read(new Frames().raw(Hello.plain().heartbeat(100).bytes()).frame(1, 1));
        assertThat(publisher.toldOnce(Hello.WELCOME).heartbeatMillis()).isEqualTo(100);
        rig.tick(1000);
        assertThat(publisher.told()).isEmpty();
        rig.tick(1100);
        Control ping = publisher.toldOnce(Hello.PING);
        assertThat(ping.head()).isEqualTo(1);
        assertThat(ping.sequence()).as("next, of no meaning here").isZero();
        rig.tick(1200);
        assertThat(publisher.toldOnce(Hello.PING).first()).isNotEqualTo(ping.first());
    }

    @Test
    void whoAsksForFewPingsIsNotGivenUpBetweenThem() {
        PublisherRig.Publisher publisher = rig.connect();
        publisher.read(Hello.plain().heartbeat(3_600_000).bytes());
        Control welcome = publisher.toldOnce(Hello.WELCOME);
        assertThat(welcome.heartbeatMillis()).isEqualTo(3_600_000);
        assertThat(welcome.idleMillis()).isEqualTo(3 * 3_600_000);
        PublisherRig.Publisher other = rig.connect();
        other.read(Hello.plain().bytes());
        welcome = other.toldOnce(Hello.WELCOME);
        assertThat(welcome.heartbeatMillis()).isEqualTo(5000);
        assertThat(welcome.idleMillis()).isEqualTo(15_000);
    }

    @Test
    void silenceEndsItAndAPlainOneIsNeverAsked() {
        PublisherRig.Publisher plain = rig.connect();
        plain.read(new Frames().frame(1, 1));
        PublisherRig.Publisher silent = rig.connect();
        silent.read(Hello.acks("orders", 1).bytes()).told();
        PublisherRig.Publisher lively = rig.connect();
        lively.read(Hello.plain().bytes()).told();
        for (int millis = 0; millis < 15_000; millis += 100) {
            rig.tick(millis);
            lively.read(Hello.pong(1));
        }
        assertThat(rig.connections.closes()).isEmpty();
        rig.tick(15_001);
        assertThat(rig.closed(CloseReason.IDLE_TIMEOUT)).isEqualTo(1);
        List<Control> told = silent.told();
        Control error = told.get(told.size() - 1);
        assertThat(error.type()).isEqualTo(Hello.ERROR);
        assertThat(error.code()).isEqualTo(CloseReason.IDLE_TIMEOUT.code());
        assertThat(error.text()).contains("15000");
        rig.tick(100_000);
        assertThat(plain.told()).isEmpty();
    }

    @Test
    void whileItIsHeldBackItsClockStandsStill() {
        PublisherRig.Publisher publisher = rig.connect();
        publisher.read(Hello.acks("orders", 1).bytes()).told();
        rig.tick(0);
        rig.logMayGrow = () -> false;
        fillTheRing();
        publisher.read(new Frames().frame(1, 14_000));
        assertThat(publisher.channel.config().isAutoRead()).isFalse();
        rig.tick(1_000_000);
        assertThat(rig.connections.closes()).isEmpty();
        assertThat(publisher.told())
                .as("the relay is still there")
                .extracting(Control::type)
                .contains(Hello.PING);
        rig.logMayGrow = () -> true;
        for (int i = 0; i < 50; i++) {
            rig.round();
        }
        assertThat(publisher.channel.config().isAutoRead()).isTrue();
        assertThat(publisher.told()).extracting(Control::type).containsExactly(Hello.ACK);
        rig.tick(1_015_000);
        assertThat(rig.connections.closes()).isEmpty();
        rig.tick(1_015_001);
        assertThat(rig.closed(CloseReason.IDLE_TIMEOUT)).isEqualTo(1);
    }

    @Test
    void aHelloThatIsNotCompletedInTime() {
        byte[] hello = Hello.acks("orders", 1).bytes();
        for (int cut = 0; cut < hello.length; cut++) {
            rig.close();
            rig = new PublisherRig(
                    10,
                    RelayConfig.builder()
                            .handshakeTimeout(Duration.ofMillis(700))
                            .build());
            PublisherRig.Publisher publisher = rig.connect();
            publisher.read(Arrays.copyOf(hello, cut));
            rig.tick(0);
            rig.tick(700);
            assertThat(rig.connections.closes()).as("cut at " + cut).isEmpty();
            rig.tick(701);
            // A type of 80 00 .. .. may still be that of a message.
            assertThat(rig.closed(CloseReason.HANDSHAKE_TIMEOUT))
                    .as("cut at " + cut)
                    .isEqualTo(cut < 3 ? 0 : 1);
            if (cut >= 3) {
                assertThat(publisher.toldOnce(Hello.ERROR).text()).contains("700 ms");
            }
        }
    }

    @Test
    void aPlainPublisherMayTakeItsTimeWithinAFrame() {
        PublisherRig.Publisher publisher = rig.connect();
        publisher.read(Arrays.copyOf(new Frames().frame(5, 100).bytes(), 50));
        PublisherRig.Publisher header = rig.connect();
        header.read(new byte[] {0, 0, 0, 5, 0});
        rig.tick(0);
        rig.tick(1_000_000);
        assertThat(rig.connections.closes()).isEmpty();
        assertThat(publisher.told()).isEmpty();
    }

    @Test
    void welcomeWaitsUntilTheNameIsSettled() {
        PublisherRig.Publisher older = rig.connect();
        older.read(new Frames().raw(Hello.acks("orders", 1).bytes()).frame(1, 10));
        older.told();
        rig.logMayGrow = () -> false;
        older.read(new Frames().frame(2, 10).frame(3, 10));
        assertThat(rig.messages()).isEqualTo(1);

        PublisherRig.Publisher newer = rig.connect();
        newer.read(new Frames()
                .raw(Hello.acks("orders", 2).bytes())
                .frame(2, 10)
                .frame(3, 10)
                .frame(4, 10)
                .raw(Hello.ping(5)));
        assertThat(newer.told())
                .as("2 and 3 are in the ring, not in the stream")
                .isEmpty();
        assertThat(newer.channel.config().isAutoRead()).isFalse();
        assertThat(older.toldOnce(Hello.ERROR).code()).isEqualTo(CloseReason.NAME_TAKEN.code());

        rig.logMayGrow = () -> true;
        rig.round();
        rig.round();
        List<Control> told = newer.told();
        assertThat(told).extracting(Control::type).containsSubsequence(Hello.WELCOME, Hello.PONG);
        assertThat(told.get(0).accepted()).isEqualTo(3);
        assertThat(told).filteredOn(c -> c.type() == Hello.ACK).last().satisfies(ack -> assertThat(ack.first())
                .isEqualTo(4));
        assertThat(rig.stream())
                .isEqualTo(new Frames()
                        .frame(1, 10)
                        .frame(2, 10)
                        .frame(3, 10)
                        .frame(4, 10)
                        .bytes());
        assertThat(rig.connections.duplicates()).isEqualTo(2);
        assertThat(newer.channel.config().isAutoRead()).isTrue();
    }

    @Test
    void whatTheOlderConnectionHoldsBackIsDropped() {
        PublisherRig.Publisher older = rig.connect();
        older.read(Hello.acks("orders", 1).bytes()).told();
        rig.logMayGrow = () -> false;
        older.read(new Frames().frame(1, 500).frame(2, 500));
        fillTheRing();
        older.read(new Frames().frame(3, 14_000).frame(4, 500));
        assertThat(older.channel.config().isAutoRead()).isFalse();
        PublisherRig.Publisher newer = rig.connect();
        newer.read(Hello.acks("orders", 0).bytes());
        rig.logMayGrow = () -> true;
        for (int i = 0; i < 50; i++) {
            rig.round();
        }
        Control welcome = newer.told().get(0);
        assertThat(welcome.accepted()).isEqualTo(2);
        newer.read(new Frames().frame(77, 1));
        assertThat(newer.toldOnce(Hello.ACK).first()).isEqualTo(3);
        assertThat(rig.closed(CloseReason.NAME_TAKEN)).isEqualTo(1);
        assertThat(count(rig.stream(), 1, 1000)).as("1, 2 and 77").isEqualTo(3);
    }

    /** Until it has no room for what comes next, which so stays with its session. */
    private void fillTheRing() {
        while (rig.ring.remainingCells() > 200) {
            rig.connect().read(new Frames().frame(9_000_000, 12_000));
        }
    }

    /** Messages of the stream of types from..to. */
    private static long count(byte[] stream, int from, int to) {
        long count = 0;
        for (Control frame : Control.all(java.nio.ByteBuffer.wrap(stream))) {
            count += frame.type() >= from && frame.type() <= to ? 1 : 0;
        }
        return count;
    }

    @Test
    void numbersOfTheTableOfNamesAreBounded() {
        rig.close();
        rig = new PublisherRig(2, RelayConfig.builder().build());
        rig.connect().read(Hello.acks("a", 1).bytes());
        PublisherRig.Publisher b =
                rig.connect().read(new Frames().raw(Hello.acks("b", 1).bytes()).frame(1, 1));
        PublisherRig.Publisher c = rig.connect().read(Hello.acks("c", 1).bytes());
        assertThat(c.toldOnce(Hello.ERROR).code()).isEqualTo(CloseReason.TOO_MANY_NAMES.code());
        b.hangUp();
        rig.connect().read(Hello.acks("c", 1).bytes()).toldOnce(Hello.ERROR);
        rig.tick(3_600_000);
        rig.connect().read(Hello.acks("c", 1).bytes()).toldOnce(Hello.WELCOME);
        assertThat(rig.closed(CloseReason.TOO_MANY_NAMES)).isEqualTo(2);
    }

    @Test
    void numbersEnd() {
        PublisherRig.Publisher publisher = rig.connect();
        publisher.read(
                new Frames().raw(Hello.acks("orders", Long.MAX_VALUE).bytes()).frame(1, 1));
        assertThat(publisher.told()).last().satisfies(ack -> assertThat(ack.first())
                .isEqualTo(Long.MAX_VALUE));
        publisher.read(new Frames().frame(2, 1));
        assertThat(publisher.toldOnce(Hello.ERROR).code()).isEqualTo(CloseReason.MESSAGE_GAP.code());
        assertThat(rig.messages()).isEqualTo(1);
    }

    @Test
    void theLastAckGoesBeforeTheError() {
        PublisherRig.Publisher publisher = rig.connect();
        publisher.read(Hello.acks("orders", 1).bytes()).told();
        publisher.block();
        publisher.read(new Frames().frame(1, 1));
        publisher.read(new Frames().frame(2, 1).frame(3, 1).header(4, -1));
        publisher.unblock();
        List<Control> told = publisher.told();
        assertThat(told).extracting(Control::type).containsExactly(Hello.ACK, Hello.ACK, Hello.ERROR);
        assertThat(told.get(0).first()).isEqualTo(1);
    }
}
