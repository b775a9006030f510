package dev.msgrelay.server.publish;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.publish.PublisherRig.Publisher;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** What a publisher is told, and when, with time passed in and a socket that can be made to take nothing. */
class PublisherTalkTest {
    @AutoClose
    private PublisherRig rig = new PublisherRig();

    private void restart(int maxNames, RelayConfig.Builder config) {
        rig.close();
        rig = new PublisherRig(maxNames, config.build());
    }

    @Test
    void oneAckForAllThatARoundBrought() {
        Publisher publisher = rig.welcomed(Hello.acks("orders", 1));
        publisher.read(new Frames().frame(1, 1).raw(Hello.pong(1)).frame(2, 2).frame(3, 3));
        Control ack = publisher.toldOnce(Hello.ACK);
        assertThat(ack.first()).isEqualTo(3);
        assertThat(ack.sequence()).isEqualTo(3);
        rig.round();
        assertThat(publisher.told()).isEmpty();
    }

    @Test
    void whoReadsNothingGetsTheNewestOfEachKind() {
        Publisher publisher = rig.welcomed(Hello.acks("orders", 1));
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
        Publisher publisher = rig.connect()
                .read(new Frames().raw(Hello.plain().heartbeat(100).bytes()).frame(1, 1));
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
        Publisher publisher = rig.connect().read(Hello.plain().heartbeat(3_600_000));
        Control welcome = publisher.toldOnce(Hello.WELCOME);
        assertThat(welcome.heartbeatMillis()).as("the longest there is").isEqualTo(60_000);
        assertThat(welcome.idleMillis()).isEqualTo(3 * 60_000);
        Publisher other = rig.connect().read(Hello.plain());
        welcome = other.toldOnce(Hello.WELCOME);
        assertThat(welcome.heartbeatMillis()).isEqualTo(5000);
        assertThat(welcome.idleMillis()).isEqualTo(15_000);
    }

    @Test
    void silenceEndsItAndAPlainOneIsNeverAsked() {
        Publisher plain = rig.connect().read(new Frames().frame(1, 1));
        Publisher silent = rig.welcomed(Hello.acks("orders", 1));
        Publisher lively = rig.welcomed(Hello.plain());
        for (int millis = 0; millis < 15_000; millis += 100) {
            rig.tick(millis);
            lively.read(Hello.pong(1));
        }
        assertThat(rig.closes()).isEmpty();
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
        Publisher publisher = rig.welcomed(Hello.acks("orders", 1));
        rig.tick(0);
        rig.logMayGrow = () -> false;
        publisher.read(new Frames().frame(1, 14_000));
        assertThat(publisher.channel.config().isAutoRead()).isFalse();
        assertThat(publisher.waitsFor()).isEqualTo("room");
        rig.tick(1_000_000);
        assertThat(rig.closes()).isEmpty();
        assertThat(publisher.told())
                .as("the relay is still there")
                .extracting(Control::type)
                .contains(Hello.PING);
        rig.logMayGrow = () -> true;
        rig.round();
        assertThat(publisher.channel.config().isAutoRead()).isTrue();
        assertThat(publisher.waitsFor()).isEmpty();
        assertThat(publisher.told()).extracting(Control::type).containsExactly(Hello.ACK);
        rig.tick(1_000_000);
        rig.tick(1_015_000);
        assertThat(rig.closes()).isEmpty();
        rig.tick(1_015_001);
        assertThat(rig.closed(CloseReason.IDLE_TIMEOUT)).isEqualTo(1);
    }

    @Test
    void aHelloThatIsNotCompletedInTime() {
        byte[] hello = Hello.acks("orders", 1).bytes();
        for (int cut = 0; cut < hello.length; cut++) {
            restart(10, RelayConfig.builder().set(HANDSHAKE_TIMEOUT, Duration.ofMillis(700)));
            Publisher publisher = rig.connect().read(Arrays.copyOf(hello, cut));
            rig.tick(0);
            rig.tick(700);
            assertThat(rig.closes()).as("cut at " + cut).isEmpty();
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

    // ---- a frame under way -----------------------------------------------------------------------------------------

    private static final int LEAST = 10 * 1024;

    @Test
    void aFrameThatWasBegunMustMakeProgress() {
        Publisher body =
                rig.connect().read(Arrays.copyOf(new Frames().frame(5, 50_000).bytes(), 500));
        Publisher header = rig.connect().read(new byte[] {0, 0, 0, 5, 0});
        Publisher between = rig.connect().read(new Frames().frame(5, 100));
        rig.tick(0);
        rig.tick(10_000);
        assertThat(rig.closes()).isEmpty();
        // All that came within the time counts, the first 500 too.
        body.read(new byte[LEAST - 501]);
        rig.tick(10_001);
        assertThat(rig.closed(CloseReason.FRAME_TIMEOUT)).isEqualTo(2);
        assertThat(body.toldOnce(Hello.ERROR).text())
                .contains((LEAST - 1) + " bytes")
                .contains("10000 ms")
                .contains("the least is " + LEAST)
                .contains("of 50008 bytes");
        assertThat(header.toldOnce(Hello.ERROR).text()).contains("5 of a header");
        // Between two frames it may take as long as it likes.
        rig.tick(100_000_000);
        assertThat(between.told()).isEmpty();
        assertThat(rig.closes()).containsOnlyKeys(CloseReason.FRAME_TIMEOUT);
    }

    @Test
    void whoBringsTheLeastRateMayGoOn() {
        byte[] frame = new Frames().frame(5, 90_000).bytes();
        Publisher publisher = rig.connect().read(Arrays.copyOf(frame, 10));
        int at = 10;
        long now = 0;
        rig.tick(now);
        while (at < frame.length) {
            int to = Math.min(frame.length, at + LEAST);
            publisher.read(Arrays.copyOfRange(frame, at, to));
            at = to;
            now += 10_001;
            rig.tick(now);
            assertThat(rig.closes()).as("at %d", at).isEmpty();
        }
        assertThat(rig.stream()).isEqualTo(frame);
    }

    @Test
    void aWholeMessageStartsTheTimeAnew() {
        byte[] half = Arrays.copyOf(new Frames().frame(5, 100).bytes(), 50);
        byte[] rest = Arrays.copyOfRange(new Frames().frame(5, 100).bytes(), 50, 108);
        Publisher publisher = rig.connect().read(half);
        for (int i = 0; i < 10; i++) {
            rig.tick(i * 9_000);
            publisher.read(new Frames().raw(rest).raw(half));
        }
        assertThat(rig.closes()).isEmpty();
        assertThat(rig.messages()).isEqualTo(10);
    }

    /** What the relay does not read is not the publisher's fault. */
    @Test
    void whoWaitsForRoomOrMemoryIsNotLate() {
        Publisher[] all = new Publisher[PublisherRig.LONG_FRAMES + 1];
        byte[] frame = new Frames().frame(5, 90_000).bytes();
        for (int i = 0; i < all.length; i++) {
            all[i] = rig.connect();
            all[i].read(Arrays.copyOf(frame, 80_000));
        }
        Publisher last = all[all.length - 1];
        assertThat(last.waitsFor()).isEqualTo("memory");
        assertThat(last.channel.config().isAutoRead()).isFalse();
        rig.tick(10_001);
        assertThat(rig.closes()).isEmpty();
        rig.tick(20_002);
        assertThat(rig.closed(CloseReason.FRAME_TIMEOUT))
                .as("those that have the memory have brought nothing since")
                .isEqualTo(PublisherRig.LONG_FRAMES);
        rig.round();
        assertThat(last.waitsFor()).isEmpty();
        rig.tick(20_003);
        last.read(Arrays.copyOfRange(frame, 80_000, frame.length));
        assertThat(rig.stream()).isEqualTo(frame);
    }

    @Test
    void aSilentPlainPublisherIsClosedWhereThatIsWanted() {
        restart(10, RelayConfig.builder().set(PUBLISHER_SILENCE, Duration.ofSeconds(3)));
        Publisher silent = rig.connect();
        Publisher lively = rig.connect();
        Publisher speaks = rig.connect().read(Hello.plain());
        for (int i = 0; i <= 10; i++) {
            lively.read(new Frames().frame(i, 1));
            rig.tick(i * 1000);
            assertThat(rig.closed(CloseReason.IDLE_TIMEOUT)).as("after %d s", i).isEqualTo(i > 3 ? 1 : 0);
        }
        assertThat(silent.toldOnce(Hello.ERROR).text()).contains("3000 ms");
    }

    // ---- memory for long frames ------------------------------------------------------------------------------------

    @Test
    void whoEndsInTheLineOrInAFrameGivesBackWhatItHas() {
        byte[] part = Arrays.copyOf(new Frames().frame(5, 90_000).bytes(), 70_000);
        for (int round = 0; round < 20; round++) {
            Publisher[] all = new Publisher[6];
            for (int i = 0; i < all.length; i++) {
                all[i] = rig.connect();
                all[i].read(part);
            }
            assertThat(rig.line.length()).isEqualTo(all.length - PublisherRig.LONG_FRAMES);
            for (int i = 0; i < all.length; i++) {
                all[(i * 5 + round) % all.length].hangUp();
            }
            rig.round();
            assertThat(rig.reserved()).as("round %d", round).isZero();
            assertThat(rig.line.length()).isZero();
        }
        assertThat(rig.closed(CloseReason.TRUNCATED_FRAME) + rig.closed(CloseReason.PEER_CLOSED))
                .isEqualTo(120);
        assertThat(rig.messages()).isZero();
    }

    /** What is read of a frame whose rest is never read is nothing to wait for. */
    @Test
    void aDrainDoesNotWaitForTheMemoryOfABegunFrame() {
        byte[] part = Arrays.copyOf(new Frames().frame(5, 90_000).bytes(), 70_000);
        for (int i = 0; i < PublisherRig.LONG_FRAMES; i++) {
            rig.connect().read(part);
        }
        Publisher held = rig.welcomed(Hello.plain());
        // There is room as it is read, and none when what follows the PING is handed in.
        int[] asked = {0};
        rig.logMayGrow = () -> ++asked[0] <= 1;
        held.read(new Frames().frame(1, 10).raw(Hello.ping(1)).frame(2, 10).raw(Arrays.copyOf(part, 5_000)));
        assertThat(held.waitsFor()).isEqualTo("room");
        held.connection.stopReading(0);
        assertThat(held.connection.quiet()).isFalse();
        rig.logMayGrow = () -> true;
        rig.round();
        assertThat(rig.messages()).isEqualTo(2);
        assertThat(held.connection.quiet()).isTrue();
        assertThat(rig.line.length()).isZero();
    }

    // ---- names -----------------------------------------------------------------------------------------------------

    @Test
    void whatTheOlderConnectionHoldsBackIsDropped() {
        Publisher older = rig.welcomed(Hello.acks("orders", 1));
        older.read(new Frames().frame(1, 500).frame(2, 500));
        rig.logMayGrow = () -> false;
        older.read(new Frames().frame(3, 14_000).frame(4, 500));
        assertThat(older.channel.config().isAutoRead()).isFalse();
        Publisher newer = rig.connect().read(Hello.acks("orders", 0));
        rig.logMayGrow = () -> true;
        rig.round();
        rig.round();
        Control welcome = newer.told().get(0);
        assertThat(welcome.accepted()).isEqualTo(2);
        newer.read(new Frames().frame(77, 1));
        assertThat(newer.toldOnce(Hello.ACK).first()).isEqualTo(3);
        assertThat(rig.closed(CloseReason.NAME_TAKEN)).isEqualTo(1);
        assertThat(rig.stream())
                .isEqualTo(new Frames().frame(1, 500).frame(2, 500).frame(77, 1).bytes());
    }

    @Test
    void aStrangerGetsTheNameOnlyAfterItsTimeAndStartsFromNothing() {
        Publisher mine = rig.connect()
                .read(
                        Hello.acks("orders", 1).producer(1, 2),
                        new Frames().frame(1, 10).frame(2, 10));
        Publisher stranger = rig.connect().read(Hello.acks("orders", 1).producer(3, 4), new Frames().frame(66, 10));
        assertThat(stranger.toldOnce(Hello.ERROR).code()).isEqualTo(CloseReason.NAME_HELD.code());
        assertThat(mine.told()).extracting(Control::type).containsOnly(Hello.WELCOME, Hello.ACK);
        mine.hangUp();
        rig.tick(9_999);
        rig.connect().read(Hello.acks("orders", 1).producer(3, 4)).toldOnce(Hello.ERROR);
        rig.tick(10_000);
        Publisher later = rig.connect().read(Hello.acks("orders", 1).producer(3, 4), new Frames().frame(3, 10));
        List<Control> told = later.told();
        assertThat(told.get(0).accepted()).isZero();
        assertThat(told.get(1).first()).isEqualTo(1);
        assertThat(told.get(1).sequence()).isEqualTo(3);
        assertThat(rig.duplicates())
                .as("nobody's messages are taken for somebody else's")
                .isZero();
        assertThat(rig.messages()).isEqualTo(3);
        assertThat(rig.closed(CloseReason.NAME_HELD)).isEqualTo(2);
    }

    @Test
    void numbersNearTheEndAreRefusedAndNeverWrap() {
        for (long first : new long[] {Long.MAX_VALUE, Long.MAX_VALUE - 1}) {
            Publisher known = rig.connect().read(Hello.acks("n" + first, 1), new Frames().frame(1, 1));
            known.hangUp();
            Publisher again = rig.connect().read(Hello.acks("n" + first, first));
            assertThat(again.toldOnce(Hello.ERROR).code()).isEqualTo(CloseReason.MESSAGE_GAP.code());
        }
        Publisher negative = rig.connect().read(Hello.acks("negative", Long.MIN_VALUE));
        assertThat(negative.toldOnce(Hello.ERROR).code()).isEqualTo(CloseReason.MALFORMED_CONTROL.code());
        // Two at once where one number is left: neither is taken.
        long before = rig.messages();
        Publisher two = rig.connect()
                .read(
                        Hello.acks("two", Long.MAX_VALUE),
                        new Frames().frame(1, 1).frame(2, 1));
        assertThat(two.told()).last().satisfies(e -> assertThat(e.code()).isEqualTo(CloseReason.MESSAGE_GAP.code()));
        assertThat(rig.messages()).isEqualTo(before);
    }

    @Test
    void numbersOfTheTableOfNamesAreBounded() {
        restart(2, RelayConfig.builder());
        rig.connect().read(Hello.acks("a", 1));
        Publisher b = rig.connect().read(Hello.acks("b", 1), new Frames().frame(1, 1));
        Publisher c = rig.connect().read(Hello.acks("c", 1));
        assertThat(c.toldOnce(Hello.ERROR).code()).isEqualTo(CloseReason.TOO_MANY_NAMES.code());
        b.hangUp();
        rig.connect().read(Hello.acks("c", 1)).toldOnce(Hello.ERROR);
        rig.tick(3_600_000);
        rig.connect().read(Hello.acks("c", 1)).toldOnce(Hello.WELCOME);
        assertThat(rig.closed(CloseReason.TOO_MANY_NAMES)).isEqualTo(2);
    }

    @Test
    void theLastAckGoesBeforeTheError() {
        Publisher publisher = rig.welcomed(Hello.acks("orders", 1));
        publisher.block();
        publisher.read(new Frames().frame(1, 1));
        publisher.read(new Frames().frame(2, 1).frame(3, 1).header(4, -1));
        publisher.unblock();
        List<Control> told = publisher.told();
        assertThat(told).extracting(Control::type).containsExactly(Hello.ACK, Hello.ACK, Hello.ERROR);
        assertThat(told.get(0).first()).isEqualTo(1);
    }
}
