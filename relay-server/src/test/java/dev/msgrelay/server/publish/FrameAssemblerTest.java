package dev.msgrelay.server.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.Sessions;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.publish.PublisherRig.Publisher;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Frames are put together from whatever pieces they come in, of every size, with the memory that there is; and all of
 * it is given back, which the rig looks at.
 */
class FrameAssemblerTest {
    /** Small, short, and long ones, at the borders between them. */
    private static final int[] BODIES = {
        0, 1, 100, 2039, 2040, 2041, 4000, 4087, 4088, 4089, 5000, 60_000, 65_527, 65_528, 65_529, 70_000, 100_000
    };

    private static final byte[] LONG = new Frames().frame(1, 90_000).bytes();

    private static final byte[] SHORT = new Frames().frame(1, 60_000).bytes();

    private final PublisherRig rig = new PublisherRig();

    @AfterEach
    void close() {
        rig.ofConnections.scarce(false);
        rig.close();
    }

    /** With other frames begun in all of the loop's buffers or in none. */
    private Publisher publisher(boolean sharedBuffers) {
        for (int i = 0; i < PublisherRig.SHORTS && !sharedBuffers; i++) {
            rig.connect().read(Arrays.copyOf(SHORT, 6000));
        }
        return rig.connect();
    }

    private static byte[] around(int body) {
        return new Frames().frame(1, 7).frame(2, body).frame(3, 5).bytes();
    }

    private void assertTaken(Publisher publisher, byte[] bytes, IntStream cuts, String what) {
        long before = rig.log.head().position();
        int[] at = {0};
        cuts.forEach(cut -> {
            publisher.read(Arrays.copyOfRange(bytes, at[0], cut));
            at[0] = cut;
        });
        publisher.read(Arrays.copyOfRange(bytes, at[0], bytes.length));
        assertThat(rig.stream(before)).as(what).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aByteAtATime(boolean sharedBuffers) {
        Publisher publisher = publisher(sharedBuffers);
        for (int body : BODIES) {
            byte[] bytes = around(body);
            int piece = body > 5000 ? 7 : 1;
            assertTaken(
                    publisher, bytes, IntStream.range(0, bytes.length / piece).map(i -> i * piece), "body " + body);
        }
    }

    /** The longer ones around headers, ends, and the sizes of the memories; else here and there. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void splitAtEveryOffset(boolean sharedBuffers) {
        Publisher publisher = publisher(sharedBuffers);
        for (int body : new int[] {0, 1, 100, 2040, 4089, 5000, 65_527, 65_529, 100_000}) {
            byte[] bytes = around(body);
            int step = body > 5000 ? 997 : 1;
            for (int cut = 0; cut <= bytes.length; cut += cut < 40 || bytes.length - cut < 40 ? 1 : step) {
                assertTaken(publisher, bytes, IntStream.of(cut), "body " + body + ", cut at " + cut);
            }
        }
    }

    // ---- the memory of each size -----------------------------------------------------------------------------------

    @Test
    void whatIsAnnouncedTakesNoMemory() {
        for (int i = 1; i <= 10; i++) {
            Publisher publisher = rig.connect();
            long before = rig.used(Part.CONNECTIONS);
            publisher.read(Arrays.copyOf(LONG, 8));
            assertThat(rig.used(Part.CONNECTIONS) - before).isEqualTo(FrameAssembler.SMALL);
        }
        assertThat(rig.used(Part.FRAMES)).isZero();
        assertThat(rig.used(Part.RESTS)).isZero();
    }

    /** The plan counts every connection once. */
    @Test
    void moreConnectionsThanArePlannedForAreAFault() {
        Publisher publisher = rig.connect();
        long rest = rig.budget.pool(Part.CONNECTIONS).limit() - rig.used(Part.CONNECTIONS);
        assertThat(rig.budget.pool(Part.CONNECTIONS).tryTake(rest)).isTrue();
        publisher.read(new byte[3]);
        assertThat(rig.closed(CloseReason.INTERNAL_ERROR)).isEqualTo(1);
        rig.budget.pool(Part.CONNECTIONS).giveBack(rest);
    }

    /** With the line full it waits, is read no further, and goes on when it is its turn; in the order of the line. */
    @Test
    void whereTheLineIsFullTheyTakeTurns() {
        Publisher[] all = new Publisher[4];
        for (int i = 0; i < all.length; i++) {
            all[i] = rig.connect().read(Arrays.copyOf(LONG, 80_000));
            assertThat(all[i].waitsFor()).as("publisher %d", i).isEqualTo(i < 2 ? "" : "memory");
        }
        assertThat(rig.line.length()).isEqualTo(2);
        byte[] rest = Arrays.copyOfRange(LONG, 80_000, LONG.length);
        all[0].read(rest);
        assertThat(rig.stream()).isEqualTo(LONG);
        assertThat(all[2].waitsFor()).isEmpty();
        assertThat(all[3].waitsFor()).isEqualTo("memory");
        all[2].read(rest);
        assertThat(rig.messages()).isEqualTo(2);
        assertThat(all[3].waitsFor()).isEmpty();
        all[3].read(rest);
        assertThat(rig.stream(LONG.length))
                .isEqualTo(new Frames().raw(LONG).raw(LONG).bytes());
        assertThat(rig.line.length()).isZero();
    }

    /** What was reserved for a frame goes back where the machine does not have it: others wait for it. */
    @ParameterizedTest
    @ValueSource(ints = {0, 8})
    void memoryThatIsReservedAndNotThere(int before) {
        Publisher publisher = rig.connect().read(Arrays.copyOf(LONG, before));
        rig.ofConnections.scarce(true);
        publisher.read(Arrays.copyOfRange(LONG, before, before == 0 ? 8 : 80_000));
        assertThat(rig.closed(CloseReason.INTERNAL_ERROR)).isEqualTo(1);
        rig.round();
        assertThat(rig.used(Part.FRAMES)).isZero();
        publisher.hangUp();
        assertThat(rig.reserved()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {50, 2500, 3000, 20_000, 60_000})
    void whatFindsNoRoomIsHeld(int bytes) {
        Frames frames = new Frames();
        for (int i = 0; frames.size() < bytes; i++) {
            frames.frame(i, 33);
        }
        byte[] sent = frames.frame(99, 1500).bytes();
        rig.logMayGrow = () -> false;
        Publisher publisher = rig.connect().read(Arrays.copyOf(sent, bytes));
        assertThat(publisher.waitsFor()).isEqualTo("room");
        assertThat(rig.stream()).isEmpty();
        rig.logMayGrow = () -> true;
        rig.round();
        publisher.read(Arrays.copyOfRange(sent, bytes, sent.length));
        assertThat(rig.stream()).isEqualTo(sent);
    }

    @Test
    void aLongFrameThatFindsNoRoomStaysWhereItIs() {
        Publisher publisher = rig.connect().read(Arrays.copyOf(LONG, 70_000));
        rig.logMayGrow = () -> false;
        publisher.read(Arrays.copyOfRange(LONG, 70_000, LONG.length));
        assertThat(publisher.waitsFor()).isEqualTo("room");
        assertThat(rig.used(Part.FRAMES)).isPositive();
        rig.logMayGrow = () -> true;
        rig.round();
        assertThat(rig.stream()).isEqualTo(LONG);
        assertThat(rig.used(Part.FRAMES)).isZero();
    }

    @Test
    void onlyWhatIsItsOwnMayMoveToAnotherPort() {
        Publisher publisher = rig.connect();
        Intake intake = Sessions.get(publisher.connection, "intake");

        assertThat(intake.movable()).isTrue();
        publisher.read(Arrays.copyOf(SHORT, 100));
        assertThat(intake.movable()).isTrue();
        publisher.read(Arrays.copyOfRange(SHORT, 100, 30_000));
        assertThat(intake.movable()).isFalse();
        publisher.read(Arrays.copyOfRange(SHORT, 30_000, SHORT.length));
        assertThat(intake.movable()).isTrue();
        assertThat(rig.stream()).isEqualTo(SHORT);
    }
}
