package dev.msgrelay.server.producers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.figures.Counters;
import dev.msgrelay.server.figures.TimeHistogram;
import dev.msgrelay.server.journal.format.JournalName;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The table of acknowledged publishers: whose a name is, who has it, and which names are forgotten. */
class NameTableTest {
    private static final long HOUR = TimeUnit.HOURS.toNanos(1);
    private static final long HOLD = TimeUnit.SECONDS.toNanos(10);
    private static final ProducerId ME = new ProducerId(1, 2);
    private static final ProducerId STRANGER = new ProducerId(1, 3);

    private final MemoryBudget budget = new MemoryBudget(Map.of(Part.NAMES, 3L * NameTable.BYTES_PER_NAME));
    private final TimeHistogram times = new TimeHistogram(Counters.BOUNDS);
    private long clock = 1_000_000;
    private final NameTable names = new NameTable(budget.pool(Part.NAMES), HOLD, () -> clock, times);
    private long now;

    private static final class Holder implements PublisherName.Holder {
        final List<String> told = new ArrayList<>();

        @Override
        public void nameTaken() {
            told.add("taken");
        }

        @Override
        public void acknowledge() {
            told.add("acknowledge");
        }

        @Override
        public boolean journalMoved() {
            told.add("moved");
            return told.size() < 3;
        }
    }

    private PublisherName connect(String name, ProducerId producer, Holder holder) {
        return connect(name, producer, "", holder, now);
    }

    private PublisherName connect(String name, ProducerId producer, String owner, Holder holder, long at) {
        try {
            return names.connect(name, producer, owner, holder, at);
        } catch (FrameException e) {
            throw new AssertionError(e);
        }
    }

    private PublisherName connect(String name, Holder holder) {
        return connect(name, ProducerId.NONE, holder);
    }

    private FrameException refused(String name, ProducerId producer, CloseReason reason) {
        return refused(name, producer, "", reason);
    }

    private FrameException refused(String name, ProducerId producer, String owner, CloseReason reason) {
        FrameException refusal = catchThrowableOfType(
                FrameException.class, () -> names.connect(name, producer, owner, new Holder(), now));
        assertThat(refusal.reason()).isEqualTo(reason);
        return refusal;
    }

    @Test
    void whoWaitsForTheJournalIsToldUntilItWaitsNoMore() {
        List<Holder> holders = List.of(new Holder(), new Holder(), new Holder());
        holders.get(1).told.add("before");
        holders.forEach(names::waits);
        for (int i = 0; i < 5; i++) {
            names.journalMoved();
        }
        List<String> thrice = List.of("moved", "moved", "moved");
        assertThat(holders)
                .extracting(h -> h.told)
                .containsExactly(thrice, List.of("before", "moved", "moved"), thrice);
    }

    @Test
    void theTimeOfABatchIsCounted() {
        PublisherName one = connect("one", new Holder());
        PublisherName other = connect("other", new Holder());
        names.accepted(one, 2, 2);
        clock += 30_000;
        names.accepted(other, 1, 3);
        names.accepted(one, 1, 4);
        clock += 12_000;
        names.acknowledge();
        names.acknowledge();
        assertThat(times.times().count()).isEqualTo(1);
        assertThat(times.times().nanos()).isEqualTo(42_000);
        assertThat(times.times().upTo().get(Counters.BOUNDS.indexOf(0.00005))).isEqualTo(1);
        names.accepted(one, 1, 5);
        clock += 5_000_000_000L;
        names.acknowledge();
        assertThat(times.times().upTo().get(Counters.BOUNDS.size())).isEqualTo(1);
    }

    @Test
    void numbersGoOnFromLifeToLife() {
        JournalName.Hole hole = new JournalName.Hole(21, 31, 600);
        names.restore(
                List.of(
                        new JournalName.State(new JournalName("b", ME, "me", JournalName.Hole.NONE), 20, 700),
                        new JournalName.State(new JournalName("first", ME, "", JournalName.Hole.NONE), 10, 500),
                        new JournalName.State(new JournalName("a", STRANGER, "", JournalName.Hole.NONE), 30, 600),
                        new JournalName.State(new JournalName("c", ME, "", hole), 40, 800)),
                now);
        // There is room for three: the one whose messages are the oldest has none.
        assertThat(names.size()).isEqualTo(3);
        assertThat(connect("a", STRANGER, new Holder()).accepted()).isEqualTo(30);
        PublisherName c = connect("c", ME, new Holder());
        assertThat(c.accepted()).isEqualTo(40);
        assertThat(c.untold(31, 600))
                .as("what is gone of it, to who knows the life before")
                .isEqualTo(21);
        assertThat(c.untold(31, 601)).as("and of the life in which it was told").isZero();
        assertThat(c.untold(41, 600)).isZero();
        assertThat(c.sequence()).isEqualTo(800);
        refused("c", STRANGER, CloseReason.NAME_HELD);
        refused("first", ME, CloseReason.TOO_MANY_NAMES);
        names.release();
        assertThat(budget.pool(Part.NAMES).used()).isZero();
    }

    @Test
    void numbersGoOnFromConnectionToConnection() {
        Holder first = new Holder();
        PublisherName name = connect("orders", first);
        assertThat(name.accepted()).isZero();
        name.goOnAt(1, 0);
        names.accepted(name, 3, 10);
        assertThat(name.accepted()).isEqualTo(3);
        names.disconnect(name, first, now);
        PublisherName again = connect("orders", new Holder());
        assertThat(again.accepted()).isEqualTo(3);
        assertThat(again.sequence()).isEqualTo(10);
        assertThat(connect("other", new Holder()).accepted()).isZero();
    }

    @Test
    void aNewNameMayStartAnywhere() {
        PublisherName name = connect("orders", new Holder());
        name.goOnAt(4711, 0);
        assertThat(name.accepted()).isZero();
        name.append(2, 9);
        assertThat(name.accepted()).isEqualTo(4712);
        name.append(1, 10);
        assertThat(name.accepted()).as("it goes on there once").isEqualTo(4713);
    }

    @Test
    void aNameGoesOnElsewhereWithTheFirstMessageOnly() {
        PublisherName name = connect("orders", new Holder());
        name.append(50, 50);
        name.goOnAt(91, 51);
        assertThat(name.accepted()).isEqualTo(50);
        assertThat(name.next()).isEqualTo(91);
        assertThat(name.mayGoOnAt(91)).isTrue();
        assertThat(name.mayGoOnAt(90)).isFalse();
        assertThat(name.untold(91, 1)).as("nothing has come behind the gap").isZero();
        name.goOn();
        assertThat(name.next()).isEqualTo(51);
        name.goOnAt(91, 51);
        name.append(2, 63);
        assertThat(name.accepted()).isEqualTo(92);
        assertThat(name.mayGoOnAt(91)).isFalse();
        assertThat(name.untold(91, 62)).isEqualTo(51);
        assertThat(name.untold(91, 63)).as("a life that began behind it").isZero();
        assertThat(name.untold(92, 62)).isZero();
    }

    @Test
    void numbersEndAndNeverWrap() {
        PublisherName name = connect("orders", new Holder());
        name.goOnAt(Long.MAX_VALUE - 1, 0);
        assertThat(name.hasNumbersFor(2)).isTrue();
        assertThat(name.hasNumbersFor(3)).isFalse();
        assertThat(name.hasNumbersFor(Integer.MAX_VALUE)).isFalse();
        name.append(2, 1);
        assertThat(name.accepted()).isEqualTo(Long.MAX_VALUE);
        assertThat(name.hasNumbersFor(1)).isFalse();
        PublisherName last = connect("last", new Holder());
        last.goOnAt(Long.MAX_VALUE, 0);
        assertThat(last.hasNumbersFor(1)).isTrue();
        assertThat(last.hasNumbersFor(2)).isFalse();
    }

    static List<ProducerId> producers() {
        return List.of(ME, ProducerId.NONE);
    }

    /** Who sends no id is one producer with all others that send none. */
    @ParameterizedTest
    @MethodSource("producers")
    void theNewerConnectionHasTheName(ProducerId producer) {
        Holder older = new Holder();
        Holder newer = new Holder();
        PublisherName name = connect("orders", producer, older);
        assertThat(connect("orders", producer, newer)).isSameAs(name);
        assertThat(older.told).containsExactly("taken");
        // The older one's end changes nothing.
        names.disconnect(name, older, now);
        names.accepted(name, 1, 1);
        names.acknowledge();
        assertThat(older.told).containsExactly("taken");
        assertThat(newer.told).containsExactly("acknowledge");
        assertThat(names.size()).isEqualTo(1);
    }

    @Test
    void aBatchTellsEachOnceHoweverOftenItWasTaken() {
        Holder a = new Holder();
        Holder b = new Holder();
        PublisherName nameA = connect("a", a);
        PublisherName nameB = connect("b", b);
        nameA.goOnAt(1, 0);
        names.accepted(nameA, 1, 1);
        names.accepted(nameA, 2, 4);
        names.accepted(nameA, 3, 9);
        assertThat(a.told).as("not before the batch has ended").isEmpty();
        names.acknowledge();
        names.acknowledge();
        assertThat(a.told).containsExactly("acknowledge");
        assertThat(nameA.accepted()).isEqualTo(6);
        assertThat(nameA.sequence()).isEqualTo(9);
        assertThat(b.told).isEmpty();
        assertThat(nameB.sequence()).isZero();
        names.accepted(nameA, 1, 10);
        names.acknowledge();
        assertThat(a.told).hasSize(2);
    }

    // ---- whose it is --------------------------------------------------------------------------------------------

    @Test
    void aNameThatIsTakenOverStartsFromNothing() {
        Holder mine = new Holder();
        PublisherName name = connect("orders", ME, mine);
        name.goOnAt(1, 0);
        names.accepted(name, 5, 50);
        names.disconnect(name, mine, now);
        now += HOLD;
        Holder other = new Holder();
        PublisherName taken = connect("orders", STRANGER, other);
        assertThat(taken.accepted())
                .as("the first one's messages are not the stranger's")
                .isZero();
        assertThat(taken.sequence()).isZero();
        taken.goOnAt(3, 0);
        names.accepted(taken, 1, 51);
        assertThat(taken.accepted()).isEqualTo(3);
        names.acknowledge();
        assertThat(mine.told).isEmpty();
        assertThat(other.told).containsExactly("acknowledge");
        // And now the first one is the stranger.
        refused("orders", ME, CloseReason.NAME_HELD);
        names.disconnect(taken, other, now);
        refused("orders", ME, CloseReason.NAME_HELD);
        now += HOLD;
        assertThat(connect("orders", ME, new Holder()).accepted()).isZero();
        assertThat(names.size()).isEqualTo(1);
    }

    // ---- how long it is remembered --------------------------------------------------------------------------------

    @Test
    void theOneThatLeftFirstMakesRoom() {
        Holder holder = new Holder();
        PublisherName[] all = new PublisherName[3];
        for (int i = 0; i < 3; i++) {
            all[i] = connect("abc".substring(i, i + 1), holder);
            all[i].goOnAt(1, 0);
            names.accepted(all[i], 1, i + 1);
        }
        for (int leaves : new int[] {1, 2, 0}) {
            names.disconnect(all[leaves], holder, ++now);
        }
        // b comes back, and leaves last.
        connect("b", holder);
        names.disconnect(all[1], holder, ++now);
        now = 4 + HOUR;
        // c makes room.
        connect("d", new Holder());
        assertThat(connect("a", new Holder()).accepted()).isEqualTo(1);
        assertThat(connect("c", new Holder()).accepted()).as("b made room").isZero();
        refused("b", ProducerId.NONE, CloseReason.TOO_MANY_NAMES);
    }

    @Test
    void connectedOnesStay() {
        connect("a", new Holder());
        connect("b", new Holder());
        connect("c", new Holder());
        now = 10 * HOUR;
        assertThat(refused("d", ME, CloseReason.TOO_MANY_NAMES)).hasMessageContaining("3 names");
    }

    @Test
    void aNameWithoutAMessageIsForgottenAtOnce() {
        for (int i = 0; i < 100; i++) {
            Holder holder = new Holder();
            PublisherName name = connect("name-" + i, holder);
            name.goOnAt(5, 0);
            names.disconnect(name, holder, now);
            assertThat(names.size()).isZero();
        }
        connectedOnesStay();
    }

    /** With the number that {@link #numbersGoOnFromLifeToLife} has lost messages before. */
    @Test
    void aNameThatWasGivenElsewhereHasLostNothingHere() throws FrameException {
        PublisherName name = names.claimed("orders", ME, "", new Holder(), 30, 600);
        assertThat(name.untold(31, 600)).isZero();
    }

    /** Whoever knows the producer's id, but is another identity, does not get the name before all else has ended. */
    @Test
    void aNameBelongsToAnIdentity() {
        Holder first = new Holder();
        PublisherName orders = connect("orders", ME, "a", first, now);
        names.accepted(orders, 3, 3);
        refused("orders", ME, "b", CloseReason.NAME_HELD);
        names.disconnect(orders, first, now);
        now = NameRules.KEEP.toNanos() - 1;
        refused("orders", ME, "b", CloseReason.NAME_HELD);
        PublisherName again = connect("orders", ME, "a", first, now);
        assertThat(again.accepted()).isEqualTo(3);
        names.disconnect(again, first, 0);
        PublisherName other = connect("orders", ME, "b", first, now + 1);
        assertThat(other.accepted()).isZero();
        assertThat(names.size()).isEqualTo(1);
        // Of a name from before anybody was asked, whoever knows the producer's id becomes the owner.
        connect("early", ME, "", first, now);
        connect("early", ME, "a", first, now);
        refused("early", ME, "b", CloseReason.NAME_HELD);
    }
}
