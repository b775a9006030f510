package dev.msgrelay.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.journal.format.EpochTable;
import dev.msgrelay.server.stream.RunScan;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** A node's way to the cluster and back, with the cluster's log in the test's hands. */
class ClusterOrdererTest {
    private static final int LONGEST = 1 << 10;
    private static final ProducerId ANN = new ProducerId(1, 1);

    /** A node with the cluster's state. */
    private static final class Node {
        final StateRig.Log log;
        final ClusterState state = new ClusterState("orders", Set.of(1, 2, 3));
        final ClusterOrderer orderer;
        final ToCore output;
        final UnsafeBuffer header = new UnsafeBuffer(new byte[Batch.HEADER_LENGTH]);
        final int number;
        long sent;

        Node(int number) {
            this(number, new StateRig.Log());
        }

        Node(int number, StateRig.Log log) {
            this.number = number;
            this.log = log;
            orderer = new ClusterOrderer(number, 40 + number, 64 << 10, 64 << 10, LONGEST, LONGEST, () -> {});
            orderer.setStream(log);
            output = orderer.output(() -> {}, orderer::drain);
        }

        /** Returns the batch that the ingress would offer next; null: there is none. */
        UnsafeBuffer next(int most) {
            Outgoing outgoing = orderer.outgoing();
            sent = outgoing.skipPadding(outgoing.beginRead(sent));
            int bytes = outgoing.wholeEntries(sent, most);
            if (bytes == 0) {
                outgoing.endRead();
                return null;
            }
            UnsafeBuffer batch = new UnsafeBuffer(new byte[Batch.HEADER_LENGTH + bytes]);
            Batch.putHeader(batch, number, ClusterState.idOf("orders"), 40 + number, 7, LONGEST);
            batch.putBytes(Batch.HEADER_LENGTH, outgoing.memory(), outgoing.at(sent), bytes);
            sent += bytes;
            outgoing.endRead();
            return batch;
        }

        void apply(int session, UnsafeBuffer batch) {
            state.batch(session, 0, batch, 0, batch.capacity(), output);
        }
    }

    private static RunScan span(int first, int count) {
        byte[] bytes = StateRig.frames(first, count);
        ByteBuffer buffer = ByteBuffer.allocateDirect(bytes.length).order(ByteOrder.nativeOrder());
        buffer.put(0, bytes);
        return RunScan.unpacked(LONGEST).scan(buffer, 0, bytes.length, 0);
    }

    private static void exchange(Node... nodes) {
        for (Node from : nodes) {
            UnsafeBuffer batch = from.next(4096);
            while (batch != null) {
                for (Node to : nodes) {
                    to.apply(from.number, batch);
                }
                batch = from.next(4096);
            }
        }
        for (Node node : nodes) {
            while (node.orderer.drain()) {
                // Until all is handed over.
            }
        }
    }

    @Test
    void aPublisherIsAcknowledgedWhenTheClusterHasIt() {
        Node node = new Node(1);
        List<String> told = new ArrayList<>();
        node.orderer.claim("ann", ANN, "", (why, text, accepted, sequence) -> told.add("claimed " + why + accepted));
        node.orderer.submit(span(1, 3), "ann", ANN, 1, (number, sequence) -> told.add(number + " at " + sequence));
        assertThat(node.orderer.drain()).isFalse();
        assertThat(told).isEmpty();
        assertThat(node.orderer.isEmpty()).isFalse();
        exchange(node);
        assertThat(told).containsExactly("claimed null-1", "3 at 3");
        assertThat(node.log.stream.toByteArray()).isEqualTo(StateRig.frames(1, 3));
        assertThat(node.orderer.isEmpty()).isTrue();
    }

    @Test
    void aNameThatMovesIsToldToWhoHadItAndNotToWhoHasIt() {
        Node one = new Node(1);
        Node two = new Node(2);
        List<String> told = new ArrayList<>();
        one.orderer.claim("ann", ANN, "", (why, text, accepted, sequence) -> told.add("one"));
        exchange(one, two);
        two.orderer.claim("ann", ANN, "", (why, text, accepted, sequence) -> told.add("two"));
        exchange(one, two);
        assertThat(told).containsExactly("one", "two");
        assertThat(one.log.taken).isEmpty();
        two.orderer.submit(span(1, 1), "ann", ANN, 1, (number, sequence) -> {});
        exchange(one, two);
        assertThat(one.log.taken).containsExactly("ann");
        assertThat(two.log.taken).isEmpty();
        one.orderer.claim(
                "ann", new ProducerId(9, 9), "", (why, text, accepted, sequence) -> told.add(why + " " + text));
        exchange(one, two);
        assertThat(told.get(2)).startsWith(CloseReason.NAME_HELD + " HELLO: the name ann belongs to another producer");
    }

    /** Its publisher was not answered, and has said HELLO here once more. */
    @Test
    void anOlderConnectionThatEndsDoesNotGiveUpTheNameOfANewerOne() {
        Node node = new Node(1);
        List<String> told = new ArrayList<>();
        node.orderer.claim("ann", ANN, "", (why, text, accepted, sequence) -> node.orderer.releaseName("ann", ANN));
        node.orderer.claim("ann", ANN, "", (why, text, accepted, sequence) -> told.add("claimed"));
        exchange(node);
        node.orderer.submit(span(1, 3), "ann", ANN, 1, (number, sequence) -> told.add(number + " at " + sequence));
        exchange(node);
        assertThat(told).containsExactly("claimed", "3 at 3");
        assertThat(node.state.names()).isEqualTo(1);
    }

    @Test
    void aConnectionThatEndsGivesUpItsNameAlsoWhereANewerOneIsRefusedIt() {
        Node node = new Node(1);
        List<String> told = new ArrayList<>();
        node.orderer.claim("ann", ANN, "orders", (why, text, accepted, sequence) -> told.add("claimed " + why));
        exchange(node);
        node.orderer.claim("ann", ANN, "prices", (why, text, accepted, sequence) -> told.add("claimed " + why));
        node.orderer.releaseName("ann", ANN);
        exchange(node);
        exchange(node);
        assertThat(told).containsExactly("claimed null", "claimed NAME_HELD");
        assertThat(node.state.names()).isZero();
    }

    /** The relay looks through its journal meanwhile. */
    @Test
    void aRelayHearsThatTheOrderWasOverBeforeItAsked() {
        StateRig.Log log = new StateRig.Log();
        ClusterOrderer orderer = new ClusterOrderer(1, 41, 64 << 10, 64 << 10, LONGEST, LONGEST, () -> {});
        IllegalStateException end = new IllegalStateException("no room");
        orderer.failed(end);
        orderer.setStream(log);
        assertThat(log.failure).isSameAs(end);
    }

    @Test
    void whatTheLogCannotTakeWaitsInTheRing() {
        Node node = new Node(1);
        node.log.ready = false;
        node.orderer.submit(span(1, 2));
        exchange(node);
        assertThat(node.orderer.hasOrdered()).isTrue();
        assertThat(node.orderer.drain()).as("nothing that can be taken now").isFalse();
        assertThat(node.log.stream.size()).isZero();
        node.log.ready = true;
        node.orderer.drain();
        assertThat(node.log.stream.toByteArray()).isEqualTo(StateRig.frames(1, 2));
    }

    @Test
    void whatTheJournalHasIsNotAppendedOnceMore() {
        StateRig.Log log = new StateRig.Log();
        log.stream.writeBytes(StateRig.frames(1, 3));
        Node node = new Node(1, log);
        node.orderer.submit(span(1, 2));
        node.orderer.submit(span(3, 4));
        node.orderer.submit(span(7, 1));
        exchange(node);
        assertThat(log.stream.toByteArray()).isEqualTo(StateRig.frames(1, 7));
        assertThat(node.orderer.appended()).isEqualTo(7 * StateRig.FRAME);
    }

    @Test
    void aJournalThatIsAheadOfTheClusterIsAFault() {
        StateRig.Log log = new StateRig.Log();
        log.stream.writeBytes(StateRig.frames(1, 3));
        Node node = new Node(1, log);
        node.orderer.submit(span(1, 2));
        exchange(node);
        node.output.newTerm();
        assertThatIllegalStateException()
                .isThrownBy(node.orderer::drain)
                .withMessageContaining("the journal has " + StateRig.FRAME + " bytes more than the cluster");
    }

    @Test
    void aNewTermIsNoFaultOnceTheJournalIsPassed() {
        StateRig.Log log = new StateRig.Log();
        log.stream.writeBytes(StateRig.frames(1, 3));
        Node node = new Node(1, log);
        node.orderer.submit(span(1, 3));
        exchange(node);
        node.output.newTerm();
        assertThat(node.orderer.drain()).isFalse();
    }

    @Test
    void aSnapshotWaitsForTheJournal() {
        Node node = new Node(1);
        assertThat(node.orderer.isForced(1_000)).as("nothing is kept there").isTrue();
        node.log.forced = 900;
        assertThat(node.orderer.isForced(1_000)).isFalse();
        assertThat(node.log.wanted).isEqualTo(1_000);
        node.log.forced = 1_000;
        assertThat(node.orderer.isForced(1_000)).isTrue();
    }

    @Test
    void aJournalThatStandsStillIsAskedToForceAndGivenRoom() {
        Node node = new Node(1);
        node.orderer.hurry(1_000);
        assertThat(node.log.wanted).isEqualTo(1_000);
        assertThat(node.log.roomWanted).isTrue();
    }

    @Test
    void aFullRingTakesNothingUntilSomethingIsInOrder() {
        Node node = new Node(1);
        int taken = 0;
        while (node.orderer.submit(span(1, 80))) {
            taken++;
        }
        assertThat(taken).isGreaterThan(50);
        assertThat(node.orderer.hasRoom()).isFalse();
        assertThat(node.orderer.hasPlentyOfRoom()).isFalse();
        exchange(node);
        assertThat(node.orderer.hasRoom()).isTrue();
        assertThat(node.orderer.hasPlentyOfRoom()).isTrue();
    }

    /** Connections that know the life before must not get a message of this one. */
    @Test
    void nothingComesBehindALifeUntilTheStreamHasBegunIt() {
        Node node = new Node(1);
        node.orderer.submit(span(1, 2));
        exchange(node);
        node.state.termBegins();
        Batch.putHeader(node.header, 2, ClusterState.idOf("orders"), 50, 8, LONGEST);
        node.apply(2, node.header);
        node.orderer.submit(span(3, 1));
        node.log.ready = false;
        exchange(node);
        assertThat(node.orderer.drain()).isFalse();
        assertThat(node.orderer.hasOrdered()).as("it is asked again").isTrue();
        assertThat(node.log.stream.size()).isEqualTo(2 * StateRig.FRAME);
        node.log.ready = true;
        node.orderer.drain();
        assertThat(node.log.stream.size()).isEqualTo(3 * StateRig.FRAME);
        assertThat(node.log.lives)
                .contains(new EpochTable.Epoch(8, 2L * StateRig.FRAME, 3, 0))
                .hasSizeGreaterThan(1);
        assertThat(Set.copyOf(node.log.lives)).hasSize(1);
    }

    @Test
    void anEntryInTheWrongPlaceIsAFault() {
        Outgoing outgoing = new Outgoing(64 << 10, LONGEST);
        assertThatIllegalStateException().isThrownBy(() -> outgoing.ordered(1));
        outgoing.add(1, span(1, 1).buffer(), 0, StateRig.FRAME);
        assertThatIllegalStateException().isThrownBy(() -> outgoing.ordered(2)).withMessageContaining("entry 2");
    }

    /** Batches are cut, lost with all behind them, and sent again at random: each message comes once and in order. */
    @Test
    void nothingIsLostOrDoubledWhateverIsSentAgain() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        Node node = new Node(1);
        ByteArrayOutputStream given = new ByteArrayOutputStream();
        long[] acknowledged = new long[1];
        node.orderer.claim("ann", ANN, "", (why, text, accepted, sequence) -> assertThat(why)
                .isNull());
        int next = 1;
        for (int step = 0; step < 20_000; step++) {
            int count = 1 + random.nextInt(60);
            if (node.orderer.hasRoom() && random.nextBoolean()) {
                RunScan span = span(next, count);
                long last = next + count - 1;
                boolean taken = node.orderer.submit(span, "ann", ANN, next, (number, sequence) -> {
                    assertThat(number).as("seed %d", seed).isEqualTo(last);
                    assertThat(sequence).as("seed %d", seed).isEqualTo(last);
                    acknowledged[0] = number;
                });
                assertThat(taken).isTrue();
                given.writeBytes(StateRig.frames(next, count));
                next += count;
            }
            UnsafeBuffer batch = node.next(1 + random.nextInt(5_000));
            if (batch != null && random.nextInt(8) > 0) {
                node.apply(1, batch);
            }
            if (random.nextInt(20) == 0) {
                // A new leader.
                node.sent = node.orderer.outgoing().head();
            }
            node.log.ready = random.nextInt(5) > 0;
            node.orderer.drain();
        }
        node.sent = node.orderer.outgoing().head();
        node.log.ready = true;
        exchange(node);
        assertThat(node.log.stream.toByteArray()).as("seed %d", seed).isEqualTo(given.toByteArray());
        assertThat(acknowledged[0]).as("seed %d", seed).isEqualTo(next - 1);
    }
}
