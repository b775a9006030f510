package dev.msgrelay.trials;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.trials.Account.Count;
import dev.msgrelay.trials.Account.Row;
import dev.msgrelay.trials.Client.Role;
import dev.msgrelay.trials.Notebook.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A small stream, right in all but one point: that one is found. */
class AccountTest {
    private static final int PUBLISHER = 7;
    private static final long FIRST_LIFE = 100;
    private static final long SECOND_LIFE = 200;

    @TempDir
    private Path temporary;

    private Client publisher;
    private Client subscriber;
    private Account account;
    private long sequence;

    @BeforeEach
    void start() {
        start(Level.WRITTEN);
    }

    private void start(Level level) {
        publisher =
                new Client(Role.PUBLISHER, PUBLISHER, "p", level, ProducerId.random(), temporary.resolve("p-" + level));
        subscriber = new Client(Role.SUBSCRIBER, 0, "s", level, ProducerId.NONE, temporary.resolve("s-" + level));
        account = new Account("the journal", Level.WRITTEN, true, List.of(publisher, subscriber));
        account.life(FIRST_LIFE);
    }

    @Test
    void allIsThere() throws IOException {
        journal(1, 2, 3);
        account.life(SECOND_LIFE);
        journal(4, 5);
        note(publisher, Kind.ACKNOWLEDGED, 5, 0, 0);
        had(1, 5);
        assertThat(settled()).isEqualTo(row(5, 0, 0, 0, 0, 0, 5, 0, 0));
        assertThat(account.findings()).isEmpty();
    }

    @Test
    void anAcknowledgedMessageIsMissing() throws IOException {
        journal(1, 2, 3);
        account.life(SECOND_LIFE);
        journal(6);
        note(publisher, Kind.ACKNOWLEDGED, 6, 0, 0);
        had(1, 3);
        note(subscriber, Kind.EPOCH, 0, 0, SECOND_LIFE);
        Row row = settled();
        assertThat(row.get(Count.LOST)).isEqualTo(2);
        assertThat(row.get(Count.UNTOLD)).isEqualTo(2);
        assertThat(account.findings()).first().asString().contains("p: 2 of 6", "the first one is 4");
    }

    @Test
    void ofALevelThatDoesNotSurviveItIsToldAndNoFinding() throws IOException {
        start(Level.STREAM);
        journal(1, 2, 3);
        account.life(SECOND_LIFE);
        journal(6);
        note(publisher, Kind.ACKNOWLEDGED, 5, 0, 0);
        note(publisher, Kind.GONE, 4, 5, SECOND_LIFE);
        had(1, 3);
        note(subscriber, Kind.MESSAGE, 4, PUBLISHER, 4);
        note(subscriber, Kind.MESSAGE, 5, PUBLISHER, 5);
        note(subscriber, Kind.ROLLED_BACK, 4, 5, SECOND_LIFE);
        note(subscriber, Kind.MESSAGE, 4, PUBLISHER, 6);
        assertThat(settled()).isEqualTo(row(5, 2, 0, 0, 0, 0, 4, 2, 0));
        assertThat(account.findings()).isEmpty();
    }

    @Test
    void ofALevelThatDoesNotSurviveNobodyWasTold() throws IOException {
        start(Level.STREAM);
        journal(1);
        account.life(SECOND_LIFE);
        journal(3);
        note(publisher, Kind.ACKNOWLEDGED, 3, 0, 0);
        had(1, 1);
        note(subscriber, Kind.MESSAGE, 2, PUBLISHER, 2);
        note(subscriber, Kind.EPOCH, 0, 0, SECOND_LIFE);
        assertThat(settled().get(Count.WRONG)).isOne();
        assertThat(account.findings())
                .anyMatch(finding -> finding.contains("p: it was not told that 1 message"))
                .anyMatch(finding -> finding.contains("s: had 1 message that the journal has not"));
    }

    @Test
    void aMessageStandsTwice() throws IOException {
        journal(1, 2, 2, 3);
        assertThat(settled().get(Count.DOUBLED)).isOne();
        assertThat(account.findings()).first().asString().contains("message 2 stands there once more, at 3");
    }

    @Test
    void aMessageStandsInTwoLives() throws IOException {
        journal(1, 2, 3);
        account.life(SECOND_LIFE);
        journal(2, 3, 4);
        note(publisher, Kind.ACKNOWLEDGED, 4, 0, 0);
        assertThat(settled().get(Count.DOUBLED)).isEqualTo(2);
        assertThat(account.findings()).first().asString().contains("message 2 stands there once more, at 4");
    }

    @Test
    void oneIsLeftOutWithinALife() throws IOException {
        journal(1, 3);
        assertThat(settled().get(Count.DISORDERED)).isOne();
        assertThat(account.findings()).first().asString().contains("message 3 stands behind 1");
    }

    @Test
    void bytesAreOthers() throws IOException {
        ByteBuffer body = body(1);
        body.put(body.limit() - 1, (byte) (body.get(body.limit() - 1) + 1));
        account.place(++sequence, typeOf(1), body);
        assertThat(settled().get(Count.WRONG)).isOne();
        assertThat(account.findings())
                .first()
                .asString()
                .contains("message 1 of the journal, type " + typeOf(1), "none that was sent");
    }

    @Test
    void aSubscriberMissesOneWithoutAWord() throws IOException {
        journal(1, 2, 3);
        note(publisher, Kind.ACKNOWLEDGED, 3, 0, 0);
        had(1, 1);
        note(subscriber, Kind.MESSAGE, 3, PUBLISHER, 3);
        note(subscriber, Kind.EPOCH, 0, 0, FIRST_LIFE);
        assertThat(settled().get(Count.DISORDERED)).isOne();
        assertThat(account.findings()).containsExactly("s: message 3 came where 2 was to come");
    }

    @Test
    void aSubscriberIsToldOfAGapWhereTheJournalHasTheMessage() throws IOException {
        journal(1, 2, 3);
        note(publisher, Kind.ACKNOWLEDGED, 3, 0, 0);
        had(1, 1);
        note(subscriber, Kind.GAP, 2, 2, 1);
        note(subscriber, Kind.MESSAGE, 3, PUBLISHER, 3);
        note(subscriber, Kind.EPOCH, 0, 0, FIRST_LIFE);
        assertThat(settled().get(Count.GAPS)).isOne();
        assertThat(account.findings())
                .containsExactly("s: was told that message 2 does not come, which the journal has");
    }

    @Test
    void whatAGapNamedIsTakenBackAndComesAnew() throws IOException {
        journal(1);
        account.life(SECOND_LIFE);
        journal(2, 3);
        note(publisher, Kind.ACKNOWLEDGED, 3, 0, 0);
        had(1, 1);
        note(subscriber, Kind.GAP, 2, 2, 1);
        note(subscriber, Kind.ROLLED_BACK, 2, 2, SECOND_LIFE);
        note(subscriber, Kind.MESSAGE, 2, PUBLISHER, 2);
        note(subscriber, Kind.MESSAGE, 3, PUBLISHER, 3);
        assertThat(settled().get(Count.GAPS)).isOne();
        assertThat(account.findings()).isEmpty();
    }

    @Test
    void aDurableMessageIsTakenBack() throws IOException {
        journal(1);
        note(publisher, Kind.ACKNOWLEDGED, 1, 0, 0);
        had(1, 1);
        note(subscriber, Kind.MESSAGE, 2, PUBLISHER, 2);
        note(subscriber, Kind.ROLLED_BACK, 2, 2, FIRST_LIFE);
        assertThat(settled().get(Count.ROLLED_BACK)).isOne();
        assertThat(account.findings()).singleElement().asString().contains("1 message from 2 on was taken back");
    }

    /** A life may begin with any number, but goes on in order from there. */
    @Test
    void twoChangePlacesWhereALifeBegins() throws IOException {
        journal(2, 1);
        account.life(SECOND_LIFE);
        journal(3);
        note(publisher, Kind.ACKNOWLEDGED, 3, 0, 0);
        note(subscriber, Kind.MESSAGE, 1, PUBLISHER, 2);
        note(subscriber, Kind.MESSAGE, 2, PUBLISHER, 1);
        note(subscriber, Kind.MESSAGE, 3, PUBLISHER, 3);
        note(subscriber, Kind.EPOCH, 0, 0, SECOND_LIFE);
        assertThat(settled().get(Count.DISORDERED)).isOne();
        assertThat(account.findings()).containsExactly("p: message 1 stands behind 2, at 2");
    }

    @Test
    void aSubscriberDoesNotBeginWithTheFirst() throws IOException {
        journal(1, 2, 3);
        note(publisher, Kind.ACKNOWLEDGED, 3, 0, 0);
        had(2, 3);
        assertThat(settled().get(Count.DISORDERED)).isOne();
        assertThat(account.findings()).containsExactly("s: message 2 came where 1 was to come");
    }

    @Test
    void theLastMessagesDoNotComeToASubscriber() throws IOException {
        journal(1, 2, 3);
        note(publisher, Kind.ACKNOWLEDGED, 3, 0, 3);
        had(1, 2);
        settled();
        assertThat(account.findings())
                .containsExactly("s: message 3 has not come, nor what follows; the last acknowledged one is 3");
    }

    /** The last sequence that was told is gone, and that was told too: nothing has to come up to it. */
    @Test
    void theLastMessagesAreGone() throws IOException {
        start(Level.STREAM);
        journal(1);
        note(publisher, Kind.ACKNOWLEDGED, 3, 0, 3);
        note(publisher, Kind.GONE, 2, 3, FIRST_LIFE);
        had(1, 1);
        settled();
        assertThat(account.findings()).isEmpty();
    }

    @Test
    void aSubscriberIsToldThatMoreWasTakenBackThanItHad() throws IOException {
        start(Level.STREAM);
        journal(1, 2, 3, 4);
        note(publisher, Kind.ACKNOWLEDGED, 4, 0, 0);
        had(1, 2);
        note(subscriber, Kind.ROLLED_BACK, 4, 3, FIRST_LIFE);
        note(subscriber, Kind.MESSAGE, 4, PUBLISHER, 4);
        assertThat(settled().get(Count.DISORDERED)).isOne();
        assertThat(account.findings()).containsExactly("s: message 4 came where 3 was to come");
    }

    @Test
    void aMessageComesTwice() throws IOException {
        journal(1, 2);
        note(publisher, Kind.ACKNOWLEDGED, 2, 0, 2);
        had(1, 2);
        note(subscriber, Kind.MESSAGE, 2, PUBLISHER, 2);
        assertThat(settled().get(Count.DISORDERED)).isOne();
        assertThat(account.findings()).containsExactly("s: message 2 came where 3 was to come");
    }

    @Test
    void aSubscriberHasAnotherMessageUnderANumber() throws IOException {
        journal(1, 2);
        note(publisher, Kind.ACKNOWLEDGED, 2, 0, 2);
        had(1, 1);
        note(subscriber, Kind.MESSAGE, 2, PUBLISHER, 1);
        assertThat(settled().get(Count.WRONG)).isOne();
        assertThat(account.findings()).singleElement().asString().contains("s: had 1 message", "the first one is 2");
    }

    @Test
    void aSubscriberHasBytesThatNobodySent() throws IOException {
        journal(1, 2);
        note(publisher, Kind.ACKNOWLEDGED, 2, 0, 2);
        had(1, 1);
        note(subscriber, Kind.WRONG, 2, 0, 0);
        assertThat(settled().get(Count.WRONG)).isOne();
        assertThat(account.findings()).containsExactly("s: message 2 came with bytes that nobody sent");
    }

    @Test
    void aSubscriberIsToldOfAnotherStream() throws IOException {
        journal(1, 2);
        note(publisher, Kind.ACKNOWLEDGED, 2, 0, 2);
        had(1, 1);
        note(subscriber, Kind.CHANGED, 2, 2, FIRST_LIFE);
        note(subscriber, Kind.MESSAGE, 2, PUBLISHER, 2);
        settled();
        assertThat(account.findings()).containsExactly("s: was told at message 2 that the stream is another one");
    }

    @Test
    void aSubscriberHasNotHeardOfTheLastLife() throws IOException {
        journal(1);
        account.life(SECOND_LIFE);
        journal(2);
        note(publisher, Kind.ACKNOWLEDGED, 2, 0, 2);
        had(1, 2);
        settled();
        assertThat(account.findings()).containsExactly("s: has not come back to the relay's last life");
    }

    @Test
    void aMessageIsAcknowledgedUnderTheSequenceOfAnother() throws IOException {
        journal(1, 2, 3);
        note(publisher, Kind.ACKNOWLEDGED, 2, 0, 1);
        note(publisher, Kind.ACKNOWLEDGED, 3, 0, 3);
        had(1, 3);
        assertThat(settled().get(Count.WRONG)).isOne();
        assertThat(account.findings()).containsExactly("p: message 2 was acknowledged as 1, where another one stands");
    }

    @Test
    void whatIsThereIsToldToBeGone() throws IOException {
        journal(1, 2);
        note(publisher, Kind.ACKNOWLEDGED, 2, 0, 2);
        note(publisher, Kind.GONE, 2, 2, FIRST_LIFE);
        had(1, 2);
        settled();
        assertThat(account.findings())
                .containsExactly("p: was told that 1 message may be gone, which are acknowledged at level written");
    }

    @Test
    void aPublisherIsToldOfAnotherStream() throws IOException {
        start(Level.STREAM);
        journal(1, 2);
        note(publisher, Kind.ACKNOWLEDGED, 2, 0, 2);
        note(publisher, Kind.CHANGED, 0, 0, FIRST_LIFE);
        had(1, 2);
        settled();
        assertThat(account.findings()).containsExactly("p: was told that the stream is another one");
    }

    @Test
    void theTypeIsAnother() throws IOException {
        account.place(++sequence, typeOf(1) + 1, body(1));
        assertThat(settled().get(Count.WRONG)).isOne();
        assertThat(account.findings()).first().asString().contains("message 1 of the journal, type " + (typeOf(1) + 1));
    }

    @Test
    void nothingIsAcknowledgedOrComes() throws IOException {
        settled();
        assertThat(account.findings())
                .containsExactly(
                        "p: nothing was acknowledged",
                        "s: has not come back to the relay's last life",
                        "s: had nothing");
    }

    @Test
    void twoNodesHaveTheSame() throws IOException {
        note(publisher, Kind.ACKNOWLEDGED, 3, 0, 0);
        had(1, 3);
        Account first = node("first", 1, 2, 3);
        Account second = node("second", 1, 2, 3);
        assertThat(first.findings()).isEmpty();
        assertThat(first.differsFrom(second)).isZero();
    }

    @Test
    void aNodeMissesWhatWasAcknowledged() throws IOException {
        note(publisher, Kind.ACKNOWLEDGED, 3, 0, 0);
        had(1, 2);
        Account first = node("first", 1, 2, 3);
        Account second = node("second", 1, 2);
        assertThat(first.findings()).isEmpty();
        assertThat(second.findings())
                .satisfiesExactly(
                        lost -> assertThat(lost).contains("p: 1 of 3", "not in second", "one is 3"),
                        untold -> assertThat(untold).contains("p: it was not told that 1 message", "one is 3"));
        assertThat(first.differsFrom(second)).isEqualTo(3);
        assertThat(second.differsFrom(first)).isEqualTo(3);
    }

    @Test
    void aNodeHasOneTwice() throws IOException {
        note(publisher, Kind.ACKNOWLEDGED, 3, 0, 0);
        had(1, 1);
        Account node = node("second", 1, 1, 2, 3);
        assertThat(node.rows().get(0).get(Count.DOUBLED)).isOne();
        assertThat(node.findings()).singleElement().asString().contains("message 1 stands there once more, at 2");
    }

    /** All that was acknowledged is there, but not where it belongs. */
    @Test
    void aNodeLeavesAPlaceOutAndGoesBack() throws IOException {
        note(publisher, Kind.ACKNOWLEDGED, 3, 0, 0);
        had(1, 1);
        Path reader = temporary.resolve("reader");
        try (Notebook notebook = Notebook.open(reader)) {
            notebook.note(Kind.EPOCH, 0, 0, FIRST_LIFE);
            notebook.note(Kind.MESSAGE, 1, PUBLISHER, 1);
            notebook.note(Kind.MESSAGE, 4, PUBLISHER, 2);
            notebook.note(Kind.MESSAGE, 3, PUBLISHER, 3);
        }
        assertThat(Account.ofNode("second", reader, List.of(publisher, subscriber))
                        .findings())
                .containsExactly(
                        "message 4 stands where 2 was to come, in second",
                        "message 3 stands where 5 was to come, in second");
    }

    @Test
    void aNodeGivesBytesThatNobodySentAndNotAll() throws IOException {
        note(publisher, Kind.ACKNOWLEDGED, 1, 0, 0);
        had(1, 1);
        Path reader = temporary.resolve("reader");
        try (Notebook notebook = Notebook.open(reader)) {
            notebook.note(Kind.EPOCH, 0, 0, FIRST_LIFE);
            notebook.note(Kind.MESSAGE, 1, PUBLISHER, 1);
            notebook.note(Kind.WRONG, 2, 0, 0);
            notebook.note(Kind.GAP, 3, 5, 1);
            notebook.note(Kind.MESSAGE, 6, PUBLISHER + 1, 1);
        }
        Account node = Account.ofNode("second", reader, List.of(publisher, subscriber));
        assertThat(node.findings())
                .containsExactly(
                        "message 2 of second is none that was sent",
                        "second does not give its messages 3 to 5",
                        "message 6 of second, of publisher " + (PUBLISHER + 1) + ", is none that was sent");
        assertThat(node.rows().get(0).get(Count.WRONG)).isEqualTo(2);
    }

    @Test
    void inAClusterAnAcknowledgementMayNameALaterMessageOfThePublisher() throws IOException {
        note(publisher, Kind.ACKNOWLEDGED, 1, 0, 3);
        note(publisher, Kind.ACKNOWLEDGED, 3, 0, 3);
        had(1, 3);
        assertThat(node("second", 1, 2, 3).findings()).isEmpty();
    }

    @Test
    void inAClusterAnAcknowledgementNamesNoEarlierMessageAndNoneOfAnother() throws IOException {
        note(publisher, Kind.ACKNOWLEDGED, 2, 0, 1);
        had(1, 3);
        assertThat(node("second", 1, 2, 3).findings())
                .containsExactly("p: message 2 was acknowledged as 1, where another one stands");
        note(publisher, Kind.ACKNOWLEDGED, 3, 0, 4);
        assertThat(node("third", 1, 2, 3).findings())
                .contains("p: message 3 was acknowledged as 4, where another one stands");
    }

    /** A node that gives these numbers of the publisher. */
    private Account node(String name, long... numbers) throws IOException {
        Path reader = temporary.resolve(name);
        try (Notebook notebook = Notebook.open(reader)) {
            notebook.note(Kind.EPOCH, 0, 0, FIRST_LIFE);
            for (int i = 0; i < numbers.length; i++) {
                notebook.note(Kind.MESSAGE, i + 1, PUBLISHER, numbers[i]);
            }
        }
        return Account.ofNode(name, reader, List.of(publisher, subscriber));
    }

    /** Killed while it wrote: the cut entry is none, and the next process goes on in its place. */
    @Test
    void aNotebookIsCut() throws IOException {
        note(publisher, Kind.ACKNOWLEDGED, 1, 0, 0);
        Files.write(publisher.notebook(), new byte[31], StandardOpenOption.APPEND);
        note(publisher, Kind.ACKNOWLEDGED, 2, 0, 0);
        long[] sum = new long[1];
        Notebook.read(publisher.notebook(), (kind, a, b, c) -> sum[0] = 10 * sum[0] + a);
        assertThat(sum[0]).isEqualTo(12);
    }

    /** The journal goes on with these numbers of the publisher. */
    private void journal(long... numbers) throws IOException {
        for (long number : numbers) {
            account.place(++sequence, typeOf(number), body(number));
        }
    }

    private static int typeOf(long number) {
        return NumberedBody.typeOf(NumberedBody.packed(PUBLISHER, number));
    }

    private static ByteBuffer body(long number) {
        ByteBuffer body = ByteBuffer.allocate(NumberedBody.MAX_LENGTH);
        NumberedBody.write(body, PUBLISHER, number);
        return body;
    }

    /** The subscriber has had messages whose sequences are the publisher's numbers. */
    private void had(long from, long to) throws IOException {
        for (long number = from; number <= to; number++) {
            note(subscriber, Kind.MESSAGE, number, PUBLISHER, number);
        }
        note(subscriber, Kind.EPOCH, 0, 0, to == 5 ? SECOND_LIFE : FIRST_LIFE);
    }

    private static void note(Client client, Kind kind, long a, long b, long c) throws IOException {
        try (Notebook notebook = Notebook.open(client.notebook())) {
            notebook.note(kind, a, b, c);
        }
    }

    /** The publisher's level, with what is counted in the order of {@link Count}; what is left out is 0. */
    private Row row(long... counts) {
        return new Row(
                publisher.level(),
                Arrays.stream(Count.values())
                        .collect(Collectors.toMap(
                                count -> count,
                                count -> count.ordinal() < counts.length ? counts[count.ordinal()] : 0)));
    }

    private Row settled() throws IOException {
        account.settle();
        assertThat(account.rows()).hasSize(1);
        return account.rows().get(0);
    }
}
