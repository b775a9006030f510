package dev.msgrelay.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.msgrelay.cluster.StateRig.Sender;
import dev.msgrelay.protocol.ProducerId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Decisions on the cluster's log. */
class ClusterStateTest {
    private static final ProducerId ANN = new ProducerId(1, 1);
    private static final ProducerId BOB = new ProducerId(2, 2);

    private final StateRig rig = new StateRig();
    private final Sender one = new Sender(1, 100, 1);
    private final Sender two = new Sender(2, 200, 2);

    private static List<Integer> upTo(int last) {
        return IntStream.rangeClosed(1, last).boxed().toList();
    }

    @Test
    void theFirstBatchGivesTheEpochAndNoLaterOneDoes() {
        rig.offer(two);
        rig.offer(one);
        assertThat(rig.state.epoch()).isEqualTo(79);
        assertThat(rig.seen.events).containsExactly("begins");
    }

    /** As behind a backup that was put back on all nodes: none of their processes is one that the log has seen. */
    @Test
    void aTermThatAProcessBeginsWhichTheLogDoesNotKnowBeginsALife() {
        rig.state.termBegins();
        rig.offer(one, one.run("", ProducerId.NONE, 1, 3));
        rig.offer(two);
        rig.state.termBegins();
        Sender anew = new Sender(2, 201, 12);
        rig.offer(anew, anew.run("", ProducerId.NONE, 4, 2));
        assertThat(rig.seen.events)
                .containsExactly(
                        "begins", "run 1/1: 3, number -1 at 0", "goes on in 79 at 36, 4", "run 2/1: 2, number -1 at 0");
        assertThat(rig.state.epoch()).isEqualTo(79);
        assertThat(rig.state.lives().forkOf(78)).isEqualTo(4);
        // The others are started anew as well, and go on in that life.
        rig.offer(new Sender(1, 101, 13));
        rig.offer(new Sender(3, 301, 14));
        assertThat(rig.seen.events).hasSize(4);
    }

    @Test
    void aTermThatAKnownProcessBeginsIsOfTheSameLife() {
        rig.offer(one);
        rig.offer(two);
        rig.state.termBegins();
        rig.offer(two.again(12));
        rig.offer(new Sender(1, 101, 13));
        // What an earlier process of the node has sent, and comes in order now, says nothing.
        rig.state.termBegins();
        rig.offer(one);
        rig.offer(new Sender(1, 101, 13));
        assertThat(rig.seen.events).containsExactly("begins");
        assertThat(rig.state.epoch()).isEqualTo(78);
    }

    /** Nodes of that version had one epoch for ever: all that read their log see it alike. */
    @Test
    void batchesOfTheVersionBeforeBeginNoLife() {
        rig.offer(one);
        rig.state.termBegins();
        Sender anew = new Sender(2, 201, 12);
        rig.offerOfBefore(anew, anew.run("", ProducerId.NONE, 1, 1));
        assertThat(rig.seen.events).containsExactly("begins", "run 2/1: 1, number -1 at 0");
        assertThat(rig.state.epoch()).isEqualTo(78);
    }

    @Test
    void ofVeryManyLivesTheNewestAreKept() {
        for (int i = 0; i < 1_100; i++) {
            rig.state.termBegins();
            rig.offer(new Sender(1 + i % 3, i, i + 1), one.run("", ProducerId.NONE, 1, 1));
        }
        assertThat(rig.state.lives().epochs()).hasSize(1_024);
        assertThat(rig.state.save()).hasSize(1 + 1_024 + 3);
    }

    @Test
    void whatANodeSendsAgainIsTakenOnceAndWhatComesBehindAGapIsNot() {
        byte[] a = one.run("", ProducerId.NONE, 1, 2);
        byte[] b = one.run("", ProducerId.NONE, 3, 1);
        byte[] c = one.run("", ProducerId.NONE, 4, 2);
        rig.offer(one, a);
        rig.offer(one, c);
        rig.offer(one, a, b, c);
        rig.offer(one, b, c);
        assertThat(rig.seen.bodies()).isEqualTo(upTo(5));
        assertThat(rig.state.sequence()).isEqualTo(6);
        assertThat(rig.state.position()).isEqualTo(5L * StateRig.FRAME);
    }

    @Test
    void whatAPublisherSendsAgainAtAnotherNodeIsTakenOnceToTheMessage() {
        rig.offer(one, one.claim("ann", ANN), one.run("ann", ANN, 1, 5));
        assertThat(rig.seen.last()).isEqualTo("run 1/2: 5, number 5 at 5");
        rig.offer(two, two.claim("ann", ANN));
        assertThat(rig.seen.last()).isEqualTo("claimed 2/1 ann: yes, 5 at 5");
        // Messages that were on their way through the first node come now.
        rig.offer(one, one.run("ann", ANN, 6, 4));
        rig.offer(two, two.run("ann", ANN, 4, 8));
        assertThat(rig.seen.last()).isEqualTo("run 2/2: 2, number 11 at 11");
        rig.offer(two, two.run("ann", ANN, 10, 2));
        assertThat(rig.seen.last()).as("all of it again").isEqualTo("run 2/3: 0, number 11 at 11");
        assertThat(rig.seen.bodies()).isEqualTo(upTo(11));
        assertThat(rig.state.duplicates()).isEqualTo(8);
    }

    /**
     * A connection that is would give their numbers to the messages that it sends next, which then were in the stream
     * twice.
     */
    @Test
    void aConnectionIsNotToldOfMessagesThatItHasNotSent() {
        rig.offer(one, one.claim("ann", ANN));
        rig.offer(two, two.claim("ann", ANN));
        // Messages that were on their way through the first node come in between.
        rig.offer(one, one.run("ann", ANN, 1, 10));
        rig.offer(two, two.run("ann", ANN, 1, 3));
        assertThat(rig.seen.last()).isEqualTo("run 2/2: 0, number 3 at 10");
        rig.offer(two, two.run("ann", ANN, 4, 8));
        assertThat(rig.seen.last()).isEqualTo("run 2/3: 1, number 11 at 11");
        assertThat(rig.seen.bodies()).isEqualTo(upTo(11));
    }

    @Test
    void aClaimOfAConnectionThatHasGoneTakesTheNameFromNobody() {
        rig.offer(two, two.claim("ann", ANN), two.run("ann", ANN, 1, 1));
        // Its publisher had waited for it in vain, and went to the second node.
        rig.offer(one, one.claim("ann", ANN), one.leave("ann", ANN));
        rig.offer(two, two.run("ann", ANN, 2, 1));
        assertThat(rig.seen.events).noneMatch(event -> event.startsWith("taken"));
        rig.offer(one, one.claim("ann", BOB));
        assertThat(rig.seen.last()).contains("NAME_HELD", "has a connection at node 2");
        rig.offer(two, two.leave("ann", ANN));
        rig.millis += ClusterNames.HOLD_MILLIS;
        rig.offer(one, one.claim("ann", BOB));
        assertThat(rig.seen.last()).contains("yes");
    }

    @Test
    void theNewestConnectionHasTheNameOnceItHasGivenAMessage() {
        rig.offer(one, one.claim("ann", ANN), one.run("ann", ANN, 1, 1));
        rig.offer(two, two.claim("ann", ANN));
        rig.offer(one, one.run("ann", ANN, 2, 1));
        assertThat(rig.seen.events).noneMatch(event -> event.startsWith("taken"));
        rig.offer(two, two.run("ann", ANN, 3, 1));
        assertThat(rig.seen.events).endsWith("taken 2/2 ann", "run 2/2: 1, number 3 at 3");
        // The older one ends, since it was told: the name stays.
        rig.offer(one, one.leave("ann", ANN));
        rig.offer(one, one.claim("ann", BOB));
        assertThat(rig.seen.last()).contains("NAME_HELD", "has a connection at node 2");
        rig.offer(two, two.run("ann", ANN, 4, 1));
        assertThat(rig.seen.events.stream().filter(event -> event.startsWith("taken")))
                .hasSize(1);
    }

    @Test
    void numbersMayBeginAnywhereAndLeap() {
        rig.offer(one, one.claim("ann", ANN), one.run("ann", ANN, 500, 2), one.run("ann", ANN, 900, 1));
        assertThat(rig.seen.last()).isEqualTo("run 1/3: 1, number 900 at 3");
    }

    @Test
    void anotherProducerWaitsUntilTheNameIsFreeAndBeginsFromNothing() {
        rig.offer(one, one.claim("ann", ANN), one.run("ann", ANN, 1, 3));
        rig.offer(two, two.claim("ann", BOB));
        assertThat(rig.seen.last()).contains("NAME_HELD", "has a connection at node 1");
        rig.offer(one, one.leave("ann", ANN));
        rig.millis += ClusterNames.HOLD_MILLIS - 1;
        rig.offer(two, two.claim("ann", BOB));
        assertThat(rig.seen.last()).contains("NAME_HELD", "for 1 ms more of");
        rig.millis++;
        rig.offer(two, two.claim("ann", BOB));
        assertThat(rig.seen.last()).isEqualTo("claimed 2/3 ann: yes, -1 at 0");
        // A late run of the former producer.
        rig.offer(one, one.run("ann", ANN, 4, 1));
        assertThat(rig.seen.last()).isEqualTo("run 1/4: 0, number -1 at 0");
        assertThat(rig.state.sequence()).isEqualTo(4);
    }

    @Test
    void aLeaderWhoseClockIsBehindKeepsNoNameLonger() {
        rig.millis = TimeUnit.DAYS.toMillis(1);
        rig.offer(one, one.claim("ann", ANN), one.run("ann", ANN, 1, 3), one.leave("ann", ANN));
        rig.millis -= TimeUnit.HOURS.toMillis(1);
        rig.offer(two, two.claim("ann", BOB));
        assertThat(rig.seen.last()).contains("NAME_HELD", "for " + ClusterNames.HOLD_MILLIS + " ms more of");
        rig.millis += ClusterNames.HOLD_MILLIS - 1;
        rig.offer(two, two.claim("ann", BOB));
        assertThat(rig.seen.last()).contains("NAME_HELD", "for 1 ms more of");
        rig.millis++;
        rig.offer(two, two.claim("ann", BOB));
        assertThat(rig.seen.last()).contains("yes");
    }

    @Test
    void aNameBelongsToItsIdentityForAnHourAfterItHasGone() {
        rig.offer(one, one.claim("ann", ANN, "orders"), one.run("ann", ANN, 1, 1), one.leave("ann", ANN));
        rig.offer(two, two.claim("ann", ANN, "prices"));
        assertThat(rig.seen.last()).contains("NAME_HELD", "another identity");
        rig.millis += ClusterNames.KEEP_MILLIS;
        rig.offer(two, two.claim("ann", ANN, "prices"));
        assertThat(rig.seen.last()).contains("yes, -1");
    }

    @Test
    void theNamesOfANodeThatHasGoneAreFreeAndItsNextLifeForgetsThoseWithoutAMessage() {
        rig.offer(one, one.claim("ann", ANN), one.claim("bare", ANN), one.run("ann", ANN, 1, 1));
        rig.state.sessionClosed(2, rig.millis);
        rig.offer(two, two.claim("ann", BOB));
        assertThat(rig.seen.last()).contains("NAME_HELD", "has a connection at node 1");
        rig.state.sessionClosed(1, rig.millis);
        rig.millis += ClusterNames.HOLD_MILLIS - 1;
        rig.offer(two, two.claim("ann", BOB));
        assertThat(rig.seen.last()).contains("NAME_HELD", "for 1 ms more of");
        rig.millis++;
        rig.offer(two, two.claim("ann", BOB));
        assertThat(rig.seen.last()).contains("yes, -1");
        assertThat(rig.state.names()).isEqualTo(2);
        rig.offer(new Sender(1, 101, 9));
        assertThat(rig.state.names()).isEqualTo(1);
    }

    /**
     * The node stood still, or its link was cut, for longer than the cluster remembers it; its publishers noticed
     * nothing.
     */
    @Test
    void aNodeThatIsBackHasItsNamesAlsoThoseWithoutAMessage() {
        rig.offer(one, one.claim("ann", ANN), one.claim("bare", ANN), one.run("ann", ANN, 1, 1));
        rig.state.sessionClosed(1, rig.millis);
        Sender back = one.again(9);
        rig.offer(back, back.run("bare", ANN, 1, 1), back.run("ann", ANN, 2, 1));
        assertThat(rig.seen.events).endsWith("run 1/4: 1, number 1 at 2", "run 1/5: 1, number 2 at 3");
        rig.millis += ClusterNames.HOLD_MILLIS;
        rig.offer(two, two.claim("ann", BOB));
        assertThat(rig.seen.last()).contains("NAME_HELD", "has a connection at node 1");
    }

    @Test
    void aNodeThatIsBackHearsWhichNamesItHasLost() {
        rig.offer(one, one.claim("ann", ANN), one.run("ann", ANN, 1, 1));
        rig.state.sessionClosed(1, rig.millis);
        rig.millis += ClusterNames.HOLD_MILLIS;
        rig.offer(two, two.claim("ann", BOB));
        assertThat(rig.seen.events).endsWith("taken 2/1 ann", "claimed 2/1 ann: yes, -1 at 0");
        StateRig small = new StateRig(1);
        small.offer(one, new Sender(1, 100, 1).claim("ann", ANN));
        small.state.sessionClosed(1, small.millis);
        small.millis += ClusterNames.KEEP_MILLIS;
        small.offer(two, new Sender(2, 200, 2).claim("bob", BOB));
        assertThat(small.seen.events).endsWith("taken 2/1 ann", "claimed 2/1 bob: yes, -1 at 0");
    }

    /** Its first messages came when it had lost the name: its later ones must not stand for all of them. */
    @Test
    void ofAConnectionThatHasLostItsNameNothingIsTakenAnyMore() {
        rig.offer(one, one.claim("ann", ANN));
        rig.state.sessionClosed(1, rig.millis);
        rig.millis += ClusterNames.HOLD_MILLIS;
        rig.offer(two, two.claim("ann", BOB), two.leave("ann", BOB));
        Sender back = one.again(9);
        rig.offer(back, back.run("ann", ANN, 1, 2));
        rig.offer(two, two.claim("ann", ANN));
        rig.offer(back, back.run("ann", ANN, 3, 2));
        rig.offer(two, two.run("ann", ANN, 1, 4));
        assertThat(rig.seen.last()).endsWith("4, number 4 at 4");
        assertThat(rig.seen.bodies()).isEqualTo(upTo(4));
    }

    @Test
    void aFullTableForgetsTheOldestThatWasAwayForAnHour() {
        StateRig small = new StateRig(2);
        small.offer(one, one.claim("a", ANN), one.run("a", ANN, 1, 1), one.leave("a", ANN));
        small.offer(one, one.claim("b", ANN), one.claim("c", ANN));
        assertThat(small.seen.last()).contains("TOO_MANY_NAMES", "2 names");
        small.millis += ClusterNames.KEEP_MILLIS;
        small.offer(one, one.claim("c", ANN));
        assertThat(small.seen.last()).contains("yes");
    }

    /**
     * Names come and go at random in a table that is full: who remembers which ones are old decides as one who looks
     * anew.
     */
    @Test
    void whichNameAFullTableForgetsDoesNotDependOnWhenItLooked() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        StateRig whole = new StateRig(6);
        Map<Integer, Sender> nodes = new HashMap<>();
        long session = 1;
        long forgotten = 0;
        for (int step = 0; step < 5_000; step++) {
            int number = 1 + random.nextInt(3);
            if (!nodes.containsKey(number) || random.nextInt(100) == 0) {
                Sender before = nodes.get(number);
                boolean sameLife = before != null && random.nextBoolean();
                nodes.put(number, sameLife ? before.again(session) : new Sender(number, random.nextLong(), session));
                session++;
            }
            Sender node = nodes.get(number);
            whole.millis += random.nextLong(ClusterNames.KEEP_MILLIS / 4);
            if (random.nextInt(50) == 0) {
                whole.state.sessionClosed(node.session, whole.millis);
            }
            StateRig fresh = new StateRig(6);
            if (step > 0) {
                whole.state.save().forEach(fresh.state::load);
            }
            fresh.millis = whole.millis;
            String name = "name " + random.nextInt(12);
            byte[][] batch = {node.claim(name, ANN), node.run(name, ANN, step, 1)};
            if (random.nextInt(3) > 0) {
                batch = new byte[][] {batch[0], batch[1], node.leave(name, ANN)};
            }
            whole.offer(node, batch);
            fresh.offer(node, batch);
            List<String> events = whole.seen.events;
            List<String> here = fresh.seen.events;
            assertThat(events.subList(events.size() - Math.min(here.size(), events.size()), events.size()))
                    .as("seed %d, step %d", seed, step)
                    .isEqualTo(here);
            assertThat(fresh.state.save()).as("seed %d, step %d", seed, step).isEqualTo(whole.state.save());
            forgotten += here.stream().anyMatch(e -> e.contains("yes, -1")) ? 1 : 0;
        }
        assertThat(forgotten).as("seed %d", seed).isGreaterThan(100);
        assertThat(whole.seen.events).as("seed %d", seed).anyMatch(e -> e.contains("TOO_MANY_NAMES"));
    }

    /** Its first entry is in order, and does not count either. */
    @Test
    void aBatchWithABrokenEntryIsPassedOver() {
        byte[] good = one.run("", ProducerId.NONE, 1, 2);
        Map<Integer, int[]> wrong = Map.of(
                0, new int[] {0, -8, 8, good.length + 8, Integer.MAX_VALUE, Integer.MIN_VALUE},
                4, new int[] {-1, 0, 4},
                16, new int[] {-1, 4},
                20, new int[] {-1, 25, Integer.MAX_VALUE},
                48, new int[] {9, 0x8000, 0x90000, 0x80000000});
        wrong.forEach((at, values) -> {
            for (int value : values) {
                byte[] broken = one.run("", ProducerId.NONE, 3, 2);
                new UnsafeBuffer(broken).putInt(at, value);
                one.next--;
                assertThat(rig.offer(ClusterState.idOf(StateRig.CLUSTER), Batch.VERSION, one, good, broken))
                        .as("%d at %d", value, at)
                        .isEqualTo("a batch of node 1 with what is no entry");
            }
        });
        assertThat(rig.seen.events).isEmpty();
        rig.offer(one, good);
        assertThat(rig.seen.bodies()).isEqualTo(upTo(2));
    }

    @Test
    void aNewLifeOfANodeBeginsAnewAndTheOldOneSaysNothingAnyMore() {
        rig.offer(one, one.run("", ProducerId.NONE, 1, 1));
        byte[] late = one.run("", ProducerId.NONE, 100, 1);
        Sender again = new Sender(1, 101, 9);
        rig.offer(again, again.run("", ProducerId.NONE, 2, 1));
        rig.offer(one, late);
        rig.offer(again, again.run("", ProducerId.NONE, 3, 1));
        assertThat(rig.seen.bodies()).isEqualTo(upTo(3));
    }

    /** A node that gets to the addresses by mistake must not stop the nodes that are there. */
    @Test
    void aBatchOfAnotherClusterOrVersionIsPassedOver() {
        byte[] run = one.run("", ProducerId.NONE, 1, 1);
        assertThat(rig.offer(ClusterState.idOf("prices"), Batch.VERSION, one, run))
                .isEqualTo("a batch of node 1 of another cluster than orders");
        assertThat(rig.offer(ClusterState.idOf(StateRig.CLUSTER), 1, one, run))
                .isEqualTo("a batch of version 1: this node understands version 3");
        assertThat(rig.state.epoch()).isZero();
        assertThat(rig.seen.events).isEmpty();
        rig.offer(one, run);
        assertThat(rig.seen.bodies()).isEqualTo(upTo(1));
    }

    @Test
    void aSnapshotOfAnotherClusterOrVersionIsNamed() {
        assertThatIllegalStateException()
                .isThrownBy(() -> rig.state.load("state 3 5 1 0 1 0 0 0 0 0"))
                .withMessageContaining("another cluster than orders");
        assertThatIllegalStateException()
                .isThrownBy(() -> rig.state.load("state 9 5 1 0 1 0 0 0 0 0"))
                .withMessageContaining("version 9");
        // The line of a build from before the first release was shorter.
        assertThatIllegalStateException()
                .isThrownBy(() -> rig.state.load("state 1 5 1 0 1 0 0"))
                .withMessageContaining("is of version 1, and this node understands version 3");
        assertThatIllegalStateException()
                .isThrownBy(() -> rig.state.load("what is this"))
                .withMessageContaining("what");
    }

    /**
     * Nodes and publishers send, send again, move and end at random: each message of a name comes once, in its order;
     * and who begins with a snapshot somewhere in between sees the same as who has seen all.
     */
    @Test
    void whoeverBeginsWithASnapshotGoesOnAlike() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        StateRig whole = new StateRig();
        StateRig rebuilt = new StateRig();
        boolean joined = false;
        int joinedAt = 0;
        Map<Integer, Sender> nodes = new HashMap<>();
        Map<Integer, List<byte[]>> underWay = new HashMap<>();
        long[] published = new long[3];
        long session = 1;
        for (int step = 0; step < 3_000; step++) {
            int number = 1 + random.nextInt(3);
            if (!nodes.containsKey(number) || random.nextInt(200) == 0) {
                nodes.put(number, new Sender(number, random.nextLong(), session++));
                underWay.put(number, new ArrayList<>());
            }
            Sender node = nodes.get(number);
            List<byte[]> sending = underWay.get(number);
            int publisher = random.nextInt(3);
            String name = "name " + publisher;
            ProducerId id = new ProducerId(5, publisher);
            switch (random.nextInt(6)) {
                case 0 -> sending.add(node.claim(name, id));
                case 1 -> sending.add(node.leave(name, id));
                default -> {
                    int back = random.nextInt(4);
                    long first = Math.max(1, published[publisher] + 1 - back);
                    int count = 1 + random.nextInt(6);
                    sending.add(node.claim(name, id));
                    sending.add(node.run(name, id, first, count));
                    published[publisher] = Math.max(published[publisher], first + count - 1);
                }
            }
            if (joined || step == 1_000 + (int) (seed & 511)) {
                if (!joined) {
                    joined = true;
                    joinedAt = whole.seen.events.size();
                    List<String> lines = whole.state.save();
                    for (int i = 0; i < lines.size(); i++) {
                        assertThat(rebuilt.state.load(lines.get(i))).isEqualTo(i == lines.size() - 1);
                    }
                    assertThat(rebuilt.state.save()).isEqualTo(lines);
                }
            }
            whole.millis += 7;
            rebuilt.millis = whole.millis;
            byte[][] batch = sending.toArray(byte[][]::new);
            whole.offer(node, batch);
            if (joined) {
                rebuilt.offer(node, batch);
            }
            // Entries in order are let go of at some time, and until then sent again.
            if (random.nextInt(3) > 0) {
                sending.clear();
            }
        }
        assertThat(rebuilt.seen.events)
                .as("seed %d", seed)
                .isEqualTo(whole.seen.events.subList(joinedAt, whole.seen.events.size()));
        assertThat(rebuilt.state.save()).as("seed %d", seed).isEqualTo(whole.state.save());
        assertThat((long) whole.seen.bodies().size()).as("seed %d", seed).isEqualTo(whole.state.sequence() - 1);
        assertThat(whole.state.sequence() - 1)
                .as("seed %d: each message once", seed)
                .isEqualTo(published[0] + published[1] + published[2]);
    }
}
