package dev.msgrelay.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.cluster.StateRig.Sender;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.stream.RunScan;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Batches that no node makes: what the core of a node would drop of them must not count, or the nodes wait for it for
 * ever.
 */
class CraftedBatchesTest {
    private static final ProducerId ANN = new ProducerId(1, 1);
    private static final int FIRST_FRAME = Batch.ENTRY_HEADER_LENGTH;

    private final StateRig rig = new StateRig();
    private final Sender one = new Sender(1, 100, 1);

    private String offer(Sender from, byte[]... entries) {
        return rig.offer(ClusterState.idOf(StateRig.CLUSTER), Batch.VERSION, from, entries);
    }

    @Test
    void aBatchOfANumberThatIsNoMemberIsPassedOver() {
        Sender stranger = new Sender(4, 400, 4);
        assertThat(offer(stranger, stranger.run("", ProducerId.NONE, 1, 2)))
                .isEqualTo("a batch of node 4, which is not among the members [1, 2, 3]");
        assertThat(rig.state.epoch()).isZero();
        assertThat(rig.seen.events).isEmpty();
    }

    /** Big-endian, at a place of the first frame, or behind it. */
    @ParameterizedTest
    @CsvSource({
        "0, 0x80000000", // a reserved type
        "0, 0x800000FF",
        "4, -1", // lengths
        "4, 5",
        "4, 1025",
        "4, 0x7FFFFFFF",
        "4, 0x80000000",
        "4, 3",
        "12, 0x80000001",
        "16, 12",
        "16, 0"
    })
    void framesThatTheCoreWouldDropDoNotCount(int at, String value) {
        byte[] run = one.run("", ProducerId.NONE, 1, 2);
        new UnsafeBuffer(run).putInt(FIRST_FRAME + at, Long.decode(value).intValue(), ByteOrder.BIG_ENDIAN);
        assertThat(offer(one, run)).isEqualTo("a batch of node 1 with what is no entry");
        assertThat(rig.state.position()).isZero();
        assertThat(rig.state.sequence()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"0", "1", "3"})
    void anotherNumberOfMessagesThanThereAreFramesIsNoEntry(int messages) {
        byte[] run = one.run("", ProducerId.NONE, 1, 2);
        new UnsafeBuffer(run).putInt(16, messages);
        assertThat(offer(one, run)).isEqualTo("a batch of node 1 with what is no entry");
        assertThat(rig.state.sequence()).isEqualTo(1);
    }

    /** The number behind it would be negative, and everything of the name would be taken for new. */
    @Test
    void numbersDoNotOverflow() {
        byte[] run = one.run("ann", ANN, 1, 2);
        new UnsafeBuffer(run).putLong(24, Long.MAX_VALUE - 1);
        assertThat(offer(one, one.claim("ann", ANN), run)).isEqualTo("a batch of node 1 with what is no entry");
        assertThat(rig.state.names()).isZero();
    }

    @Test
    void aNameThatNoClientMayHaveIsNoEntry() {
        assertThat(offer(one, one.claim("n".repeat(Batch.MOST_TEXT + 1), ANN)))
                .isEqualTo("a batch of node 1 with what is no entry");
        assertThat(offer(one, one.claim("", ANN))).isEqualTo("a batch of node 1 with what is no entry");
        assertThat(rig.state.names()).isZero();
    }

    /** Random batches: the state counts exactly the messages and bytes that the core of each node takes. */
    @Test
    void whatCountsIsWhatTheCoreTakes() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        long counted = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] run = one.run("", ProducerId.NONE, 1, 1 + random.nextInt(4));
            for (int changes = random.nextInt(3); changes > 0; changes--) {
                run[random.nextInt(run.length)] = (byte) random.nextInt();
            }
            long position = rig.state.position();
            long sequence = rig.state.sequence();
            rig.seen.stream.reset();
            if (offer(one, run) != null) {
                one.next--;
                assertThat(rig.state.position()).as("seed %d", seed).isEqualTo(position);
                continue;
            }
            byte[] bytes = rig.seen.stream.toByteArray();
            if (bytes.length == 0) {
                // An entry with another number than the next one is no loss where it does not count.
                one.next--;
            }
            RunScan core = RunScan.unpacked(StateRig.MOST_BODY)
                    .scan(ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()), 0, bytes.length, 0);
            assertThat(core.rest()).as("seed %d", seed).isZero();
            assertThat((long) core.wholeBytes()).as("seed %d", seed).isEqualTo(rig.state.position() - position);
            assertThat((long) core.frames()).as("seed %d", seed).isEqualTo(rig.state.sequence() - sequence);
            counted += core.frames();
        }
        assertThat(counted).as("seed %d", seed).isGreaterThan(1_000);
    }
}
