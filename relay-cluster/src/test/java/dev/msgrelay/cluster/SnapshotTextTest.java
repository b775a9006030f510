package dev.msgrelay.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.msgrelay.cluster.StateRig.Sender;
import dev.msgrelay.protocol.ProducerId;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Snapshots are on the disks of running clusters: their text stays what it is, byte by byte. */
class SnapshotTextTest {
    private static final ProducerId ANN = new ProducerId(1, -1);
    private static final ProducerId BOB = new ProducerId(Long.MIN_VALUE, 2);

    /** Names: one that has left, one with connections at two nodes, one without an owner; node 3 is away. */
    private static final List<String> LINES = List.of(
            "state 3 5169432582064972 80 108 10 3 3 1000065 1000075 1024",
            "node 1 1 100 3 9223372036854775807",
            "node 2 2 -200 2 9223372036854775807",
            "node 3 3 300 3 1000075",
            "name -9223372036854775808 2 8 2  1000050 7a6fc3ab 707269636573",
            "name 1 -1 3 5 1,2 0 616e6e 6f7264657273",
            "name 1 -1 -1 0 1 0 62617265 ");

    private static StateRig played() {
        StateRig rig = new StateRig();
        Sender one = new Sender(1, 100, 1);
        Sender two = new Sender(2, -200, 2);
        Sender three = new Sender(3, 300, 3);
        rig.offer(three, three.claim("zoë", BOB, "prices"), three.run("zoë", BOB, 7, 2));
        rig.millis += 50;
        rig.offer(one, one.claim("ann", ANN, "orders"), one.run("ann", ANN, 1, 3), one.claim("bare", ANN));
        rig.offer(two, two.run("", ProducerId.NONE, 1, 4), two.claim("ann", ANN, "orders"));
        rig.offer(three, three.leave("zoë", BOB));
        rig.millis += 25;
        rig.state.sessionClosed(3, rig.millis);
        rig.millis -= 10;
        rig.offer(one);
        return rig;
    }

    @Test
    void theTextOfASnapshotIsWhatItAlwaysWas() {
        assertThat(played().state.save()).isEqualTo(LINES);
    }

    @Test
    void aSnapshotThatIsReadIsWrittenAlike() {
        StateRig read = new StateRig();
        for (int i = 0; i < LINES.size(); i++) {
            assertThat(read.state.load(LINES.get(i))).isEqualTo(i == LINES.size() - 1);
        }
        assertThat(read.state.save()).isEqualTo(LINES);
        assertThat(read.state.names()).isEqualTo(3);
        assertThat(read.state.maxBody()).isEqualTo(StateRig.MOST_BODY);
    }

    @Test
    void livesAreKeptAndATermThatHasHadNoBatch() {
        StateRig rig = played();
        rig.state.termBegins();
        rig.offer(new Sender(2, 201, 7));
        rig.millis += 5;
        rig.state.termBegins();
        List<String> lines = rig.state.save();
        assertThat(lines)
                .startsWith(
                        "state 3 5169432582064972 79 108 10 3 3 1000065 1000075 1024 2 true",
                        "life 80 0 1 1000000",
                        "life 79 108 10 1000065");
        StateRig read = new StateRig();
        for (int i = 0; i < lines.size(); i++) {
            assertThat(read.state.load(lines.get(i))).isEqualTo(i == lines.size() - 1);
        }
        assertThat(read.state.save()).isEqualTo(lines);
        assertThat(read.state.lives()).isEqualTo(rig.state.lives());
        read.offer(new Sender(3, 301, 8));
        assertThat(read.seen.events).as("the term is fresh").containsExactly("goes on in 80 at 108, 10");
    }

    /** As nodes wrote it that knew one epoch for ever. */
    @Test
    void aSnapshotOfTheVersionBeforeHasOneLife() {
        StateRig read = new StateRig();
        LINES.forEach(read.state::load);
        assertThat(read.state.lives().epochs()).hasSize(1);
        assertThat(read.state.lives().newest().text()).isEqualTo("80:1");
        assertThat(read.state.termIsFresh()).isFalse();
    }

    @Test
    void aStateWithoutABatchHasOneLine() {
        StateRig fresh = new StateRig();
        assertThat(fresh.state.save()).hasSize(1);
        assertThat(new StateRig().state.load(fresh.state.save().get(0))).isTrue();
    }

    @Test
    void aLineOfAnotherKindIsNamed() {
        assertThatIllegalStateException()
                .isThrownBy(() -> new StateRig().state.load("nodes 1"))
                .withMessage("the snapshot has a line that begins with nodes");
    }
}
