package dev.msgrelay.server.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Epochs;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.server.connection.Durability;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.FakeDurability;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.publish.PublisherRig.Publisher;
import dev.msgrelay.server.stream.Mark;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a publisher is told of a journal, and of lives of the stream before this one. */
class PublisherLevelsTest {
    private static final int STREAM = 0;
    private static final int WRITTEN = 1;
    private static final int FORCED = 2;

    /** Its life ended behind the first message. */
    private static final long EARLIER = 55;

    private static final long FOREIGN = 66;

    private final FakeDurability journal =
            new FakeDurability(Map.of(PublisherRig.EPOCH, Durability.TODAY, EARLIER, 2L));

    @AutoClose
    private final PublisherRig rig = new PublisherRig(journal);

    @Test
    void anAckComesForEachLevel() {
        Publisher publisher = rig.connect();
        Control welcome = publisher.read(Hello.acks("orders", 1).level(FORCED)).toldOnce(Hello.WELCOME);
        assertThat(welcome.features()).isEqualTo(Features.ACKS | Features.LEVELS);
        publisher.read(new Frames().frame(1, 10).frame(1, 10));
        assertThat(acks(publisher)).containsExactly(List.of(2L, 2L, 0L, 0L));
        Mark two = head();
        assertThat(journal.wantedForced()).as("so the journal is asked").isEqualTo(two.position());
        publisher.read(new Frames().frame(1, 10));
        assertThat(acks(publisher)).containsExactly(List.of(3L, 3L, 0L, 0L));
        journal.written(two);
        assertThat(acks(publisher)).containsExactly(List.of(3L, 3L, 2L, 0L));
        journal.forced(two);
        assertThat(acks(publisher)).containsExactly(List.of(3L, 3L, 2L, 2L));
        journal.forced(head());
        assertThat(acks(publisher)).containsExactly(List.of(3L, 3L, 3L, 3L));
        journal.forced(head());
        assertThat(publisher.told()).as("nothing new").isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {STREAM, WRITTEN})
    void onlyWhoWaitsForItHasTheJournalForce(int level) {
        Publisher publisher = rig.welcomed(Hello.acks("orders", 1).level(level));
        publisher.read(new Frames().frame(1, 10)).told();
        assertThat(journal.wantedWritten()).isEqualTo(head().position());
        assertThat(journal.wantedForced()).isZero();
        journal.forced(head());
        assertThat(acks(publisher)).containsExactly(List.of(1L, 1L, 1L, 1L));
    }

    @Test
    void withoutLevelsNothingIsDifferent() {
        Publisher publisher = rig.welcomed(Hello.acks("orders", 1));
        publisher.read(new Frames().frame(1, 10));
        Control ack = publisher.toldOnce(Hello.ACK);
        assertThat(ack.written()).as("not told").isEqualTo(-1);
        journal.forced(head());
        assertThat(publisher.told()).isEmpty();
        assertThat(journal.wantedWritten()).isZero();
    }

    @Test
    void withoutAcksOrWithoutAJournalItIsDeclined() {
        Publisher plain = rig.connect().read(Hello.plain().level(FORCED));
        assertThat(plain.toldOnce(Hello.WELCOME).features()).isZero();
        journal.fail();
        Publisher late = rig.connect().read(Hello.acks("orders", 1).level(STREAM));
        assertThat(late.toldOnce(Hello.WELCOME).features()).isEqualTo(Features.ACKS);
        try (PublisherRig memory = new PublisherRig()) {
            Publisher publisher = memory.connect();
            publisher.read(Hello.acks("orders", 1).level(FORCED));
            assertThat(publisher.toldOnce(Hello.WELCOME).features()).isEqualTo(Features.ACKS);
        }
    }

    /** What is sent again is dropped, so nothing but WELCOME says that it has got there. */
    @Test
    void welcomeWaitsUntilWhatWasAcceptedHasGotSoFar() {
        Publisher first = rig.welcomed(Hello.acks("orders", 1).level(FORCED));
        first.read(new Frames().frame(1, 10).frame(1, 10)).told();
        first.hangUp();
        Publisher again = rig.connect().read(Hello.acks("orders", 1).level(FORCED));
        again.read(new Frames().frame(1, 10).frame(1, 10).frame(1, 10));
        assertThat(again.told()).as("2 is not forced").isEmpty();
        assertThat(rig.messages()).as("but 3 is taken").isEqualTo(3);
        assertThat(rig.duplicates()).isEqualTo(2);
        Mark all = head();
        journal.written(all);
        assertThat(again.told()).isEmpty();
        journal.forced(all);
        List<Control> told = again.told();
        assertThat(told).extracting(Control::type).containsExactly(Hello.WELCOME, Hello.ACK);
        assertThat(told.get(0).accepted()).isEqualTo(2);
        assertThat(told.get(1).first()).isEqualTo(3);
        assertThat(told.get(1).forced()).isEqualTo(3);
    }

    @Test
    void whoWaitsForTheStreamOnlyIsWelcomeAtOnce() {
        Publisher first = rig.welcomed(Hello.acks("orders", 1));
        first.read(new Frames().frame(1, 10)).told();
        first.hangUp();
        Publisher again = rig.connect().read(Hello.acks("orders", 2).level(STREAM));
        assertThat(again.toldOnce(Hello.WELCOME).accepted()).isEqualTo(1);
        journal.forced(head());
        assertThat(acks(again)).containsExactly(List.of(1L, 1L, 1L, 1L));
    }

    @Test
    void theLastAckTellsTheLevels() {
        Publisher publisher = rig.welcomed(Hello.acks("orders", 1).level(WRITTEN));
        publisher.read(new Frames().frame(1, 10)).told();
        journal.onMoved(() -> {});
        journal.written(head());
        publisher.connection.session().close(CloseReason.SHUTDOWN, "down");
        List<Control> told = publisher.told();
        assertThat(told).extracting(Control::type).containsExactly(Hello.ACK, Hello.ERROR);
        assertThat(told.get(0).written()).isEqualTo(1);
    }

    @Test
    void aDrainWaitsForTheLevel() {
        Publisher publisher = rig.welcomed(Hello.acks("orders", 1).level(FORCED));
        publisher.read(new Frames().frame(1, 10)).told();
        publisher.connection.stopReading(0);
        assertThat(publisher.connection.quiet()).isFalse();
        journal.forced(head());
        assertThat(publisher.connection.quiet()).isTrue();
    }

    @Test
    void whoWaitsIsToldThatTheJournalHasFailed() {
        Publisher waits = rig.welcomed(Hello.acks("orders", 1).level(WRITTEN));
        Publisher watches = rig.welcomed(Hello.acks("trades", 1).level(STREAM));
        journal.fail();
        waits.connection.session().journalFailed();
        watches.connection.session().journalFailed();
        assertThat(waits.toldOnce(Hello.ERROR).code()).isEqualTo(CloseReason.JOURNAL_FAILED.code());
        assertThat(watches.told()).isEmpty();
        Publisher late = rig.connect().read(Hello.acks("orders", 1).level(FORCED));
        assertThat(late.toldOnce(Hello.ERROR).code()).isEqualTo(CloseReason.JOURNAL_FAILED.code());
    }

    // ---- lives of the stream ----------------------------------------------------------------------------------

    /** It names an epoch and its next number, and sends three messages; flag 1 is EPOCH_CHANGED, 2 ROLLED_BACK. */
    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "a later life and nothing is gone: silently,    100, 55,  99, 0,   0, 100, 101",
        "what was acknowledged and is gone,            100, 55, 105, 3, 101,   0, 107",
        "a name that is not known may have lost all,     0, 55, 105, 3,   1,   0, 107",
        "a name that is not known and had nothing,       0, 55,   1, 0,   0,   0,   3",
        "a foreign epoch,                              100, 66, 105, 1,   0, 100, 107"
    })
    void inALaterLifeOfTheStream(
            String what, long known, long epoch, long number, int flags, long fork, long accepted, long acknowledged) {
        if (known > 0) {
            known(known);
        }
        Publisher publisher = rig.connect().read(Hello.acks("orders", number).epoch(epoch));
        Control welcome = publisher.toldOnce(Hello.WELCOME);
        assertThat(welcome.epoch()).isEqualTo(PublisherRig.EPOCH);
        assertThat(welcome.flags()).isEqualTo(flags);
        assertThat(welcome.fork()).isEqualTo(fork);
        assertThat(welcome.accepted()).isEqualTo(accepted);
        publisher.read(new Frames().frame(1, 10).frame(1, 10).frame(1, 10));
        assertThat(publisher.toldOnce(Hello.ACK).first()).isEqualTo(acknowledged);
    }

    @Test
    void whatIsGoneIsToldUntilItWasHeard() {
        known(100);
        for (int i = 0; i < 3; i++) {
            Publisher deaf = rig.connect().read(Hello.acks("orders", 105).epoch(EARLIER));
            List<Control> told = deaf.told();
            assertThat(told.get(0).flags()).isEqualTo(WelcomeFrame.EPOCH_CHANGED | WelcomeFrame.ROLLED_BACK);
            assertThat(told.get(0).fork()).isEqualTo(101);
            assertThat(told.get(0).accepted()).isZero();
            // What came on the connections before, and is there.
            assertThat(told.stream().skip(1).map(Control::first).toList())
                    .isEqualTo(i == 0 ? List.of() : List.of(104L + i));
            Frames again = new Frames();
            for (int k = 0; k <= i; k++) {
                again.frame(1, 10);
            }
            deaf.read(again);
            deaf.hangUp();
        }
        Publisher hears = rig.connect().read(Hello.acks("orders", 105).epoch(PublisherRig.EPOCH));
        Control welcome = hears.toldOnce(Hello.WELCOME);
        assertThat(welcome.flags()).isZero();
        assertThat(welcome.accepted()).isEqualTo(107);
    }

    /** An older backup was put back: the epoch is not known, and the publisher comes back with one that is. */
    @Test
    void aHelloMovesNoNameBeforeItsFirstMessage() {
        known(100);
        for (int i = 0; i < 2; i++) {
            Publisher asks = rig.connect().read(Hello.acks("orders", 105).epoch(FOREIGN));
            Control unknown = asks.toldOnce(Hello.WELCOME);
            assertThat(unknown.flags()).isEqualTo(WelcomeFrame.EPOCH_CHANGED);
            assertThat(unknown.accepted()).isEqualTo(100);
            asks.hangUp();
            Publisher back = rig.connect().read(Hello.acks("orders", 105).epoch(EARLIER));
            Control welcome = back.toldOnce(Hello.WELCOME);
            assertThat(welcome.flags()).isEqualTo(WelcomeFrame.EPOCH_CHANGED | WelcomeFrame.ROLLED_BACK);
            assertThat(welcome.fork()).isEqualTo(101);
            assertThat(welcome.accepted()).isZero();
            back.hangUp();
        }
        // It does not know its own numbers: it goes on behind what is there.
        Publisher anew = rig.connect().read(Hello.acks("orders", 0).epoch(EARLIER));
        Control welcome = anew.toldOnce(Hello.WELCOME);
        assertThat(welcome.flags()).isZero();
        assertThat(welcome.accepted()).isEqualTo(100);
        anew.read(new Frames().frame(1, 10));
        assertThat(anew.toldOnce(Hello.ACK).first()).isEqualTo(101);
    }

    /** Its messages came before WELCOME, so the name has moved; what it did not hear before it hears now. */
    @ParameterizedTest
    @ValueSource(longs = {0, 100})
    void whatIsGoneIsToldAlsoBehindMessagesOfAnUnknownEpoch(long known) {
        rig.welcomed(Hello.acks("others", 1)).read(new Frames().frame(1, 10)).told();
        if (known > 0) {
            known(known);
        }
        Publisher asks = rig.connect();
        asks.read(Hello.acks("orders", 105).epoch(FOREIGN));
        asks.read(new Frames().frame(1, 10).frame(1, 10));
        assertThat(asks.told().get(0).flags()).isEqualTo(WelcomeFrame.EPOCH_CHANGED);
        asks.hangUp();
        Publisher back = rig.connect().read(Hello.acks("orders", 105).epoch(EARLIER));
        List<Control> told = back.told();
        assertThat(told.get(0).flags()).isEqualTo(WelcomeFrame.EPOCH_CHANGED | WelcomeFrame.ROLLED_BACK);
        assertThat(told.get(0).fork()).isEqualTo(known + 1);
        assertThat(told.get(1).first()).as("ACK of what came").isEqualTo(106);
        back.read(new Frames().frame(1, 10).frame(1, 10).frame(1, 10));
        assertThat(back.toldOnce(Hello.ACK).first()).isEqualTo(107);
        assertThat(rig.duplicates()).isEqualTo(2);
    }

    /** It was told that it may go on there, and had nothing to send. */
    @Test
    void whoWasToldGoesOnThereInThisLife() {
        known(100);
        Publisher told =
                rig.connect().read(Hello.acks("orders", 105).epoch(EARLIER).level(WRITTEN));
        journal.forced(head());
        assertThat(told.told().get(0).fork()).isEqualTo(101);
        told.hangUp();
        Publisher elsewhere = rig.connect().read(Hello.acks("orders", 106).epoch(PublisherRig.EPOCH));
        assertThat(elsewhere.toldOnce(Hello.ERROR).code()).isEqualTo(CloseReason.MESSAGE_GAP.code());
        elsewhere.hangUp();
        Publisher again = rig.connect()
                .read(Hello.acks("orders", 105).epoch(PublisherRig.EPOCH).level(WRITTEN));
        Control welcome = again.toldOnce(Hello.WELCOME);
        assertThat(welcome.flags()).isZero();
        assertThat(welcome.accepted()).isEqualTo(104);
        again.read(new Frames().frame(1, 10));
        journal.written(head());
        List<Control> acks = again.told();
        assertThat(acks.get(acks.size() - 1).first()).isEqualTo(105);
        assertThat(acks.get(acks.size() - 1).written()).isEqualTo(105);
    }

    @Test
    void epochsAreToldToThoseWhoAsk() {
        Epochs lives = Epochs.parse(PublisherRig.EPOCH + ":9," + EARLIER + ":1");
        journal.epochs(lives);
        assertThat(welcome(Hello.acks("orders", 1).features(Features.ACKS | Features.EPOCHS)))
                .satisfies(
                        welcome -> assertThat(welcome.grants(Features.EPOCHS)).isTrue())
                .extracting(WelcomeFrame::epochs)
                .isEqualTo(lives);
        WelcomeFrame silent = welcome(Hello.acks("silent", 1));
        assertThat(silent.grants(Features.EPOCHS)).isFalse();
        assertThat(silent.epochs().isNone()).isTrue();
        WelcomeFrame noAcks = welcome(Hello.plain().features(Features.EPOCHS));
        assertThat(noAcks.grants(Features.EPOCHS)).as("it has no numbers").isFalse();
        journal.epochs(Epochs.NONE);
        assertThat(welcome(Hello.acks("memory", 1).features(Features.ACKS | Features.EPOCHS))
                        .grants(Features.EPOCHS))
                .as("a relay without a journal")
                .isFalse();
    }

    private WelcomeFrame welcome(Hello hello) {
        try {
            return WelcomeFrame.decode(
                    rig.connect().read(hello).toldOnce(Hello.WELCOME).body());
        } catch (FrameException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void inTheSameLifeAGapIsOne() {
        known(100);
        Publisher publisher = rig.connect().read(Hello.acks("orders", 105).epoch(PublisherRig.EPOCH));
        assertThat(publisher.toldOnce(Hello.ERROR).code()).isEqualTo(CloseReason.MESSAGE_GAP.code());
    }

    @Test
    void withoutAcksAnEarlierLifeIsNoNews() {
        Publisher publisher = rig.connect().read(Hello.plain().epoch(EARLIER));
        assertThat(publisher.toldOnce(Hello.WELCOME).flags()).isZero();
        Publisher foreign = rig.connect().read(Hello.plain().epoch(FOREIGN));
        assertThat(foreign.toldOnce(Hello.WELCOME).flags()).isEqualTo(WelcomeFrame.EPOCH_CHANGED);
    }

    /** The relay has a message with this number. */
    private void known(long number) {
        Publisher publisher = rig.welcomed(Hello.acks("orders", number));
        publisher.read(new Frames().frame(1, 10)).told();
        publisher.hangUp();
    }

    private Mark head() {
        Mark head = new Mark();
        rig.log.head().read(head);
        return head;
    }

    private static List<List<Long>> acks(Publisher publisher) {
        return publisher.told().stream()
                .peek(c -> assertThat(c.type()).isEqualTo(Hello.ACK))
                .map(c -> List.of(c.first(), c.sequence(), c.written(), c.forced()))
                .toList();
    }
}
