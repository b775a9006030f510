package dev.msgrelay.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.FakeDurability;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.log.Mark;
import dev.msgrelay.server.session.Durability;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
    private final PublisherRig rig = new PublisherRig(journal);

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void anAckComesForEachLevel() {
        PublisherRig.Publisher publisher = rig.connect();
        Control welcome =
                publisher.read(Hello.acks("orders", 1).level(FORCED).bytes()).toldOnce(Hello.WELCOME);
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
        PublisherRig.Publisher publisher = rig.connect();
        publisher.read(Hello.acks("orders", 1).level(level).bytes()).told();
        publisher.read(new Frames().frame(1, 10)).told();
        assertThat(journal.wantedWritten()).isEqualTo(head().position());
        assertThat(journal.wantedForced()).isZero();
        journal.forced(head());
        assertThat(acks(publisher)).containsExactly(List.of(1L, 1L, 1L, 1L));
    }

    @Test
    void withoutLevelsNothingIsDifferent() {
        PublisherRig.Publisher publisher = rig.connect();
        publisher.read(Hello.acks("orders", 1).bytes()).told();
        publisher.read(new Frames().frame(1, 10));
        Control ack = publisher.toldOnce(Hello.ACK);
        assertThat(ack.written()).as("not told").isEqualTo(-1);
        journal.forced(head());
        assertThat(publisher.told()).isEmpty();
        assertThat(journal.wantedWritten()).isZero();
    }

    @Test
    void withoutAcksOrWithoutAJournalItIsDeclined() {
        PublisherRig.Publisher plain = rig.connect();
        plain.read(Hello.plain().level(FORCED).bytes());
        assertThat(plain.toldOnce(Hello.WELCOME).features()).isZero();
        journal.fail();
        PublisherRig.Publisher late = rig.connect();
        late.read(Hello.acks("orders", 1).level(STREAM).bytes());
        assertThat(late.toldOnce(Hello.WELCOME).features()).isEqualTo(Features.ACKS);
        try (PublisherRig memory = new PublisherRig()) {
            PublisherRig.Publisher publisher = memory.connect();
            publisher.read(Hello.acks("orders", 1).level(FORCED).bytes());
            assertThat(publisher.toldOnce(Hello.WELCOME).features()).isEqualTo(Features.ACKS);
        }
    }

    /** What is sent again is dropped, so nothing but WELCOME says that it has got there. */
    @Test
    void welcomeWaitsUntilWhatWasAcceptedHasGotSoFar() {
        PublisherRig.Publisher first = rig.connect();
        first.read(Hello.acks("orders", 1).level(FORCED).bytes()).told();
        first.read(new Frames().frame(1, 10).frame(1, 10)).told();
        first.hangUp();
        PublisherRig.Publisher again = rig.connect();
        again.read(Hello.acks("orders", 1).level(FORCED).bytes());
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
        PublisherRig.Publisher first = rig.connect();
        first.read(Hello.acks("orders", 1).bytes()).told();
        first.read(new Frames().frame(1, 10)).told();
        first.hangUp();
        PublisherRig.Publisher again = rig.connect();
        again.read(Hello.acks("orders", 2).level(STREAM).bytes());
        assertThat(again.toldOnce(Hello.WELCOME).accepted()).isEqualTo(1);
        journal.forced(head());
        assertThat(acks(again)).containsExactly(List.of(1L, 1L, 1L, 1L));
    }

    @Test
    void theLastAckTellsTheLevels() {
        PublisherRig.Publisher publisher = rig.connect();
        publisher.read(Hello.acks("orders", 1).level(WRITTEN).bytes()).told();
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
        PublisherRig.Publisher publisher = rig.connect();
        publisher.read(Hello.acks("orders", 1).level(FORCED).bytes()).told();
        publisher.read(new Frames().frame(1, 10)).told();
        publisher.connection.stopReading(0);
        assertThat(publisher.connection.quiet()).isFalse();
        journal.forced(head());
        assertThat(publisher.connection.quiet()).isTrue();
    }

    @Test
    void whoWaitsIsToldThatTheJournalHasFailed() {
        PublisherRig.Publisher waits = rig.connect();
        waits.read(Hello.acks("orders", 1).level(WRITTEN).bytes()).told();
        PublisherRig.Publisher watches = rig.connect();
        watches.read(Hello.acks("trades", 1).level(STREAM).bytes()).told();
        journal.fail();
        waits.connection.session().journalFailed();
        watches.connection.session().journalFailed();
        assertThat(waits.toldOnce(Hello.ERROR).code()).isEqualTo(CloseReason.JOURNAL_FAILED.code());
        assertThat(watches.told()).isEmpty();
        PublisherRig.Publisher late = rig.connect();
        late.read(Hello.acks("orders", 1).level(FORCED).bytes());
        assertThat(late.toldOnce(Hello.ERROR).code()).isEqualTo(CloseReason.JOURNAL_FAILED.code());
    }

    // ---- lives of the stream ----------------------------------------------------------------------------------

    @Test
    void inALaterLifeOfTheStreamItGoesOnSilently() {
        known(100);
        PublisherRig.Publisher publisher = rig.connect();
        publisher.read(Hello.acks("orders", 99).epoch(EARLIER).bytes());
        Control welcome = publisher.toldOnce(Hello.WELCOME);
        assertThat(welcome.flags()).isZero();
        assertThat(welcome.epoch()).isEqualTo(PublisherRig.EPOCH);
        assertThat(welcome.accepted()).isEqualTo(100);
        publisher.read(new Frames().frame(1, 10).frame(1, 10).frame(1, 10));
        assertThat(publisher.toldOnce(Hello.ACK).first())
                .as("99 and 100 are dropped")
                .isEqualTo(101);
    }

    @Test
    void whatWasAcknowledgedAndIsGoneIsTold() {
        known(100);
        PublisherRig.Publisher publisher = rig.connect();
        publisher.read(Hello.acks("orders", 105).epoch(EARLIER).bytes());
        Control welcome = publisher.toldOnce(Hello.WELCOME);
        assertThat(welcome.flags()).isEqualTo(WelcomeFrame.EPOCH_CHANGED | WelcomeFrame.ROLLED_BACK);
        assertThat(welcome.fork()).isEqualTo(101);
        assertThat(welcome.accepted()).isZero();
        publisher.read(new Frames().frame(1, 10));
        assertThat(publisher.toldOnce(Hello.ACK).first()).isEqualTo(105);
    }

    /** The answer is lost with its connection, and messages have come behind what is gone: who has not heard it is told again. */
    @Test
    void whatIsGoneIsToldUntilItWasHeard() {
        known(100);
        for (int i = 0; i < 3; i++) {
            PublisherRig.Publisher deaf = rig.connect();
            deaf.read(Hello.acks("orders", 105).epoch(EARLIER).bytes());
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
        PublisherRig.Publisher hears = rig.connect();
        hears.read(Hello.acks("orders", 105).epoch(PublisherRig.EPOCH).bytes());
        Control welcome = hears.toldOnce(Hello.WELCOME);
        assertThat(welcome.flags()).isZero();
        assertThat(welcome.accepted()).isEqualTo(107);
    }

    @Test
    void aNameThatIsNotKnownMayHaveLostAll() {
        PublisherRig.Publisher publisher = rig.connect();
        publisher.read(Hello.acks("orders", 105).epoch(EARLIER).bytes());
        Control welcome = publisher.toldOnce(Hello.WELCOME);
        assertThat(welcome.flags()).isEqualTo(WelcomeFrame.EPOCH_CHANGED | WelcomeFrame.ROLLED_BACK);
        assertThat(welcome.fork()).isEqualTo(1);
        PublisherRig.Publisher fresh = rig.connect();
        fresh.read(Hello.acks("trades", 1).epoch(EARLIER).bytes());
        assertThat(fresh.toldOnce(Hello.WELCOME).flags()).as("it had nothing").isZero();
    }

    @Test
    void aForeignEpochIsTold() {
        known(100);
        PublisherRig.Publisher publisher = rig.connect();
        publisher.read(Hello.acks("orders", 105).epoch(FOREIGN).bytes());
        Control welcome = publisher.toldOnce(Hello.WELCOME);
        assertThat(welcome.flags()).isEqualTo(WelcomeFrame.EPOCH_CHANGED);
        assertThat(welcome.fork()).isZero();
        assertThat(welcome.accepted()).isEqualTo(100);
    }

    @Test
    void inTheSameLifeAGapIsOne() {
        known(100);
        PublisherRig.Publisher publisher = rig.connect();
        publisher.read(Hello.acks("orders", 105).epoch(PublisherRig.EPOCH).bytes());
        assertThat(publisher.toldOnce(Hello.ERROR).code()).isEqualTo(CloseReason.MESSAGE_GAP.code());
    }

    @Test
    void withoutAcksAnEarlierLifeIsNoNews() {
        PublisherRig.Publisher publisher = rig.connect();
        publisher.read(Hello.plain().epoch(EARLIER).bytes());
        assertThat(publisher.toldOnce(Hello.WELCOME).flags()).isZero();
        PublisherRig.Publisher foreign = rig.connect();
        foreign.read(Hello.plain().epoch(FOREIGN).bytes());
        assertThat(foreign.toldOnce(Hello.WELCOME).flags()).isEqualTo(WelcomeFrame.EPOCH_CHANGED);
    }

    /** The relay has a message with this number. */
    private void known(long number) {
        PublisherRig.Publisher publisher = rig.connect();
        publisher.read(Hello.acks("orders", number).bytes()).told();
        publisher.read(new Frames().frame(1, 10)).told();
        publisher.hangUp();
    }

    private Mark head() {
        Mark head = new Mark();
        rig.log.head().read(head);
        return head;
    }

    private static List<List<Long>> acks(PublisherRig.Publisher publisher) {
        return publisher.told().stream()
                .peek(c -> assertThat(c.type()).isEqualTo(Hello.ACK))
                .map(c -> List.of(c.first(), c.sequence(), c.written(), c.forced()))
                .toList();
    }
}
