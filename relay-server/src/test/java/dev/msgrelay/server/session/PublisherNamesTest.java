package dev.msgrelay.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The table of acknowledged publishers: who has a name, what is settled, and which names are forgotten. */
class PublisherNamesTest {
    private static final long HOUR = TimeUnit.HOURS.toNanos(1);

    private final PublisherNames names = new PublisherNames(3);

    private static final class Holder implements PublisherName.Holder {
        final List<String> told = new ArrayList<>();

        @Override
        public void nameTaken() {
            told.add("taken");
        }

        @Override
        public void settled() {
            told.add("settled");
        }

        @Override
        public void packed() {
            told.add("packed");
        }
    }

    @Test
    void numbersGoOnFromConnectionToConnection() {
        Holder first = new Holder();
        PublisherName name = names.connect("orders", first);
        assertThat(name.accepted()).isZero();
        name.startAt(1);
        name.accept(3);
        assertThat(name.accepted()).isEqualTo(3);
        names.packed(name.owner(), 3, 10);
        names.disconnect(name, first);
        PublisherName again = names.connect("orders", new Holder());
        assertThat(again.accepted()).isEqualTo(3);
        assertThat(again.packedSequence()).isEqualTo(10);
        assertThat(names.connect("other", new Holder()).accepted()).isZero();
    }

    @Test
    void aNewNameMayStartAnywhere() {
        PublisherName name = names.connect("orders", new Holder());
        name.startAt(4711);
        assertThat(name.accepted()).isZero();
        name.accept(2);
        name.pack(2, 9);
        assertThat(name.accepted()).isEqualTo(4712);
        assertThat(name.packed()).isEqualTo(4712);
        // Not any more, once it has begun.
        name.startAt(1);
        assertThat(name.accepted()).isEqualTo(4712);
    }

    @Test
    void numbersEndAndNeverWrap() {
        PublisherName name = names.connect("orders", new Holder());
        name.startAt(Long.MAX_VALUE - 1);
        assertThat(name.hasNumbersFor(2)).isTrue();
        assertThat(name.hasNumbersFor(3)).isFalse();
        name.accept(2);
        assertThat(name.accepted()).isEqualTo(Long.MAX_VALUE);
        assertThat(name.hasNumbersFor(1)).isFalse();
    }

    @Test
    void theNewerConnectionHasTheName() {
        Holder older = new Holder();
        Holder newer = new Holder();
        PublisherName name = names.connect("orders", older);
        assertThat(names.connect("orders", newer)).isSameAs(name);
        assertThat(older.told).containsExactly("taken");
        // The older one's end changes nothing.
        names.disconnect(name, older);
        names.packed(name.owner(), 1, 1);
        names.flush();
        assertThat(older.told).containsExactly("taken");
        assertThat(newer.told).containsExactly("packed");
    }

    @Test
    void aRoundTellsEachOnceHoweverOftenItWasPacked() {
        Holder a = new Holder();
        Holder b = new Holder();
        PublisherName nameA = names.connect("a", a);
        PublisherName nameB = names.connect("b", b);
        nameA.startAt(1);
        nameA.accept(6);
        names.packed(nameA.owner(), 1, 1);
        names.packed(nameA.owner(), 2, 4);
        names.packed(nameA.owner(), 3, 9);
        names.flush();
        names.flush();
        assertThat(a.told).containsExactly("packed");
        assertThat(nameA.packed()).isEqualTo(6);
        assertThat(nameA.packedSequence()).isEqualTo(9);
        assertThat(b.told).isEmpty();
        assertThat(nameB.packedSequence()).isZero();
    }

    @Test
    void whoAsksIsToldWhenAllIsSettled() {
        Holder older = new Holder();
        PublisherName name = names.connect("orders", older);
        name.startAt(1);
        name.accept(5);
        Holder newer = new Holder();
        names.connect("orders", newer);
        assertThat(name.settled()).isFalse();
        name.tellWhenSettled();
        names.packed(name.owner(), 4, 4);
        names.flush();
        assertThat(newer.told).doesNotContain("settled");
        names.packed(name.owner(), 1, 5);
        names.flush();
        names.flush();
        assertThat(newer.told).filteredOn("settled"::equals).hasSize(1);
        assertThat(name.settled()).isTrue();
    }

    @Test
    void aNameIsKeptForAnHour() {
        names.tick(0);
        fill();
        names.tick(HOUR - 1);
        assertThat(names.connect("d", new Holder())).isNull();
        names.tick(HOUR);
        assertThat(names.connect("d", new Holder())).isNotNull();
        assertThat(names.size()).isEqualTo(3);
    }

    @Test
    void theOneThatLeftFirstMakesRoom() {
        Holder[] holders = {new Holder(), new Holder(), new Holder()};
        PublisherName[] all = new PublisherName[3];
        for (int i = 0; i < 3; i++) {
            all[i] = names.connect("abc".substring(i, i + 1), holders[i]);
            all[i].startAt(1);
            all[i].accept(1);
            all[i].pack(1, i + 1);
        }
        names.tick(1);
        names.disconnect(all[1], holders[1]);
        names.tick(2);
        names.disconnect(all[2], holders[2]);
        names.tick(3);
        names.disconnect(all[0], holders[0]);
        // b comes back, and leaves last.
        names.connect("b", holders[1]);
        names.tick(4);
        names.disconnect(all[1], holders[1]);
        names.tick(4 + HOUR);
        PublisherName d = names.connect("d", new Holder());
        assertThat(d.owner()).isEqualTo(all[2].owner());
        assertThat(names.connect("a", new Holder()).accepted()).isEqualTo(1);
        assertThat(names.connect("c", new Holder()).accepted()).isZero();
        assertThat(names.connect("b", new Holder())).isNull();
    }

    @Test
    void connectedOnesAndThoseWithMessagesInTheRingStay() {
        Holder a = new Holder();
        PublisherName name = names.connect("a", a);
        name.startAt(1);
        name.accept(1);
        names.disconnect(name, a);
        names.connect("b", new Holder());
        names.connect("c", new Holder());
        names.tick(10 * HOUR);
        assertThat(names.connect("d", new Holder())).isNull();
        names.packed(name.owner(), 1, 1);
        assertThat(names.connect("d", new Holder())).isNotNull();
    }

    @Test
    void aNameWithoutAMessageIsForgottenAtOnce() {
        for (int i = 0; i < 100; i++) {
            Holder holder = new Holder();
            PublisherName name = names.connect("name-" + i, holder);
            name.startAt(5);
            assertThat(name.owner()).isEqualTo(1);
            names.disconnect(name, holder);
            assertThat(names.size()).isZero();
        }
        fill();
        assertThat(names.size()).isEqualTo(3);
    }

    private void fill() {
        for (String text : new String[] {"a", "b", "c"}) {
            Holder holder = new Holder();
            PublisherName name = names.connect(text, holder);
            name.startAt(1);
            name.accept(1);
            names.packed(name.owner(), 1, 1);
            names.disconnect(name, holder);
        }
    }
}
