package dev.msgrelay.trials;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.trials.Account.Count;
import dev.msgrelay.trials.Client.Role;
import dev.msgrelay.trials.Notebook.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A viewer whose notebook is right in all but one point: that one is found. */
class ViewAccountTest {
    private static final int PUBLISHER = 7;
    private static final long FIRST_LIFE = 100;
    private static final long SECOND_LIFE = 200;
    private static final int SUPERSEDED = GapReason.SUPERSEDED.code();

    /** So many messages in the first life: enough that some types come again. */
    private static final int FIRST = 100;

    @TempDir
    private Path temporary;

    private Account account;
    private Client viewer;
    private final List<Long> stream = new ArrayList<>();

    @BeforeEach
    void start() throws IOException {
        Client publisher =
                new Client(Role.PUBLISHER, PUBLISHER, "p", Level.STREAM, ProducerId.NONE, temporary.resolve("p"));
        viewer = Client.reader(Role.VIEWER, "v", Level.STREAM, temporary);
        account = new Account("the journal", Level.WRITTEN, true, List.of(publisher, viewer));
        account.life(FIRST_LIFE);
        journal(1, FIRST);
        try (Notebook notebook = Notebook.open(publisher.notebook())) {
            notebook.note(Kind.ACKNOWLEDGED, FIRST, 0, FIRST);
        }
    }

    /** The stream goes on with these numbers of the publisher. */
    private void journal(long from, long to) throws IOException {
        for (long number = from; number <= to; number++) {
            stream.add(number);
            ByteBuffer body = ByteBuffer.allocate(NumberedBody.MAX_LENGTH);
            NumberedBody.write(body, PUBLISHER, number);
            account.place(stream.size(), type(number), body);
        }
    }

    private static int type(long number) {
        return NumberedBody.typeOf(NumberedBody.packed(PUBLISHER, number));
    }

    /** Of each type the newest of these numbers, at their places in the stream. */
    private Map<Integer, Long> newest(long from, long to) {
        Map<Integer, Long> newest = new HashMap<>();
        for (long sequence = from; sequence <= to; sequence++) {
            newest.put(type(stream.get((int) sequence - 1)), sequence);
        }
        return newest;
    }

    /** Notes a walk over the state, as far as a PING; the view has what came. */
    private void walk(Notebook notebook, long from, long to, long epoch) throws IOException {
        long next = from;
        long[] places = newest(from, to).values().stream()
                .mapToLong(place -> place)
                .sorted()
                .toArray();
        for (long place : places) {
            if (place > next) {
                notebook.note(Kind.GAP, next, place - 1, SUPERSEDED);
            }
            notebook.note(Kind.MESSAGE, place, PUBLISHER, stream.get((int) place - 1));
            next = place + 1;
        }
        for (long place : places) {
            long number = stream.get((int) place - 1);
            notebook.note(Kind.VIEWED, type(number), PUBLISHER, number);
        }
        notebook.note(Kind.PING, to + 1, newest(1, to).size(), epoch);
    }

    private long settled(Count count) throws IOException {
        account.settle();
        return account.rows().get(0).get(count);
    }

    private interface Noted {
        void in(Notebook notebook) throws IOException;
    }

    private void note(Noted what) throws IOException {
        try (Notebook notebook = Notebook.open(viewer.notebook())) {
            what.in(notebook);
        }
    }

    @Test
    void allIsRight() throws IOException {
        note(notebook -> {
            notebook.note(Kind.ANEW, 1, 0, FIRST_LIFE);
            walk(notebook, 1, 60, FIRST_LIFE);
            notebook.note(Kind.EPOCH, 61, 0, FIRST_LIFE);
            walk(notebook, 61, FIRST, FIRST_LIFE);
            notebook.note(Kind.ANEW, 1, 0, FIRST_LIFE);
            walk(notebook, 1, FIRST, FIRST_LIFE);
        });
        assertThat(settled(Count.STATES)).isEqualTo(3);
        assertThat(account.findings()).isEmpty();
        assertThat(account.rows().get(0).get(Count.SUPERSEDED)).isPositive();
    }

    /** Only the last value of a type is wrong, as where a walk goes on behind a place at which it was not. */
    @Test
    void aTypeIsNotTheNewest() throws IOException {
        long again = LongStream.rangeClosed(62, FIRST)
                .filter(place -> newest(1, 60).containsKey(type(place)))
                .findFirst()
                .orElseThrow();
        note(notebook -> {
            notebook.note(Kind.ANEW, 1, 0, FIRST_LIFE);
            walk(notebook, 1, 60, FIRST_LIFE);
            notebook.note(Kind.GAP, 61, again, SUPERSEDED);
            notebook.note(Kind.PING, again + 1, newest(1, 60).size(), FIRST_LIFE);
        });
        assertThat(settled(Count.WRONG)).isPositive();
        assertThat(account.findings())
                .anyMatch(finding -> finding.startsWith("v: up to message " + again + " the newest of"));
    }

    @Test
    void theViewHasMoreThanItWasGiven() throws IOException {
        note(notebook -> {
            notebook.note(Kind.ANEW, 1, 0, FIRST_LIFE);
            walk(notebook, 1, FIRST, FIRST_LIFE);
            notebook.note(Kind.PING, FIRST + 1, newest(1, FIRST).size() + 1, FIRST_LIFE);
        });
        assertThat(settled(Count.WRONG)).isOne();
        assertThat(account.findings()).singleElement().asString().contains("and was given ");
    }

    @Test
    void oneIsLeftOutWithoutAWord() throws IOException {
        note(notebook -> {
            notebook.note(Kind.ANEW, 1, 0, FIRST_LIFE);
            walk(notebook, 1, 60, FIRST_LIFE);
            walk(notebook, 62, FIRST, FIRST_LIFE);
        });
        assertThat(settled(Count.DISORDERED)).isPositive();
        assertThat(account.findings()).first().asString().contains(" came where 61 was to come");
    }

    @Test
    void aGapForAnotherReason() throws IOException {
        note(notebook -> {
            notebook.note(Kind.ANEW, 1, 0, FIRST_LIFE);
            notebook.note(Kind.GAP, 1, 5, GapReason.NOT_HELD.code());
            walk(notebook, 6, FIRST, FIRST_LIFE);
        });
        assertThat(settled(Count.GAPS)).isEqualTo(5);
        assertThat(account.findings()).first().asString().contains("messages 1 to 5 do not come, for reason 2");
    }

    /** What came at the end of a life that was lost is not held against the messages in its place. */
    @Test
    void whatIsGoneWithItsLifeIsNotCompared() throws IOException {
        long gone = FIRST + 50;
        note(notebook -> {
            notebook.note(Kind.ANEW, 1, 0, FIRST_LIFE);
            walk(notebook, 1, FIRST, FIRST_LIFE);
            notebook.note(Kind.MESSAGE, FIRST + 1, PUBLISHER, gone);
            notebook.note(Kind.VIEWED, type(gone), PUBLISHER, gone);
            notebook.note(Kind.PING, FIRST + 2, newest(1, FIRST).size(), FIRST_LIFE);
        });
        account.life(SECOND_LIFE);
        journal(FIRST + 1, FIRST + 10);
        note(notebook -> {
            notebook.note(Kind.ANEW, 1, 0, SECOND_LIFE);
            walk(notebook, 1, FIRST + 10, SECOND_LIFE);
        });
        assertThat(settled(Count.STATES)).isEqualTo(2);
        assertThat(account.findings()).isEmpty();
    }

    /** The viewer goes on with a message that is gone. */
    @Test
    void whatIsGoneStaysInTheView() throws IOException {
        long gone = FIRST + 50;
        note(notebook -> {
            notebook.note(Kind.ANEW, 1, 0, FIRST_LIFE);
            walk(notebook, 1, FIRST, FIRST_LIFE);
            notebook.note(Kind.MESSAGE, FIRST + 1, PUBLISHER, gone);
            notebook.note(Kind.VIEWED, type(gone), PUBLISHER, gone);
        });
        account.life(SECOND_LIFE);
        journal(FIRST + 1, FIRST + 1);
        note(notebook -> {
            notebook.note(Kind.EPOCH, FIRST + 2, 0, SECOND_LIFE);
            notebook.note(Kind.PING, FIRST + 2, newest(1, FIRST + 1).size(), SECOND_LIFE);
        });
        assertThat(settled(Count.WRONG)).isPositive();
        assertThat(account.findings()).anyMatch(finding -> finding.contains("up to message " + (FIRST + 1)));
    }

    @Test
    void itHasNoPingAtTheEnd() throws IOException {
        note(notebook -> {
            notebook.note(Kind.ANEW, 1, 0, FIRST_LIFE);
            walk(notebook, 1, 60, FIRST_LIFE);
        });
        account.settle();
        assertThat(account.findings())
                .containsExactly("v: its last PING is at message 61; the last acknowledged one is " + FIRST);
    }

    @Test
    void itHadNothing() throws IOException {
        account.settle();
        assertThat(account.findings()).contains("v: no state of it could be compared");
    }
}
