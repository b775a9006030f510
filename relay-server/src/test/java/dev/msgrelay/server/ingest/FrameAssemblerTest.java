package dev.msgrelay.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.msgrelay.server.core.RunScan;
import dev.msgrelay.server.flow.HeldSources;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.ScarceAllocator;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.memory.MemoryLine;
import dev.msgrelay.server.memory.ReadWindow;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Frames are put together from whatever pieces they come in, of every size, with the memory that there is; and all of it is
 * given back. The reads are done as a connection does them.
 */
class FrameAssemblerTest {
    private static final int MAX_BODY = 200_000;
    private static final int READ = IngestPort.READ_BYTES;
    private static final int HELLO = 1 << 10;

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final ScarceAllocator ofConnections = new ScarceAllocator();
    private final MemoryBudget budget = new MemoryBudget(Map.of(
            Part.CONNECTIONS,
            10L * FrameAssembler.SMALL,
            Part.RESTS,
            2L * FrameAssembler.SHORT,
            Part.FRAMES,
            2L * (MAX_BODY + 8)));
    private final MemoryLine line = new MemoryLine(budget.pool(Part.FRAMES));
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final ArrayDeque<ReadWindow> taken = new ArrayDeque<>();
    private final RecordingPort port = new RecordingPort();
    private final List<Connection> connections = new ArrayList<>();

    /** A loop's memory, and the place where whole frames go. */
    private final class RecordingPort implements IngestPort {
        final RunScan scan = new RunScan(1460, MAX_BODY);
        final LoopBuffers buffers = new LoopBuffers(allocator, budget, 2);
        final ByteArrayOutputStream order = new ByteArrayOutputStream();
        boolean room = true;

        @Override
        public boolean makeReady() {
            return room;
        }

        @Override
        public RunScan scan() {
            return scan;
        }

        @Override
        public boolean take(RunScan span, PublisherName name) {
            if (room) {
                byte[] bytes = new byte[span.end()];
                span.buffer().get(span.offset(), bytes);
                order.writeBytes(bytes);
            }
            return room;
        }

        @Override
        public HeldSources held() {
            throw new AssertionError("not asked here");
        }

        @Override
        public boolean allShown() {
            return true;
        }

        @Override
        public void moreExpected() {}

        @Override
        public LoopBuffers buffers() {
            return buffers;
        }
    }

    /** Does with an assembler what a publisher's connection does with it. */
    private final class Connection implements MemoryLine.Waiter {
        final FrameAssembler assembler = new FrameAssembler(ofConnections, budget.pool(Part.CONNECTIONS), line, port);
        // Whether its reads go to where whole frames go; otherwise they are short, and its own.
        boolean room = true;
        boolean waitsForMemory;
        boolean waitsForRoom;
        int asked;

        Connection() {
            connections.add(this);
        }

        /** Reads as much as it wants at a time, while it wants any; answers how much. */
        int read(byte[] bytes, int from, int to) {
            int at = from;
            while (at < to && !waitsForMemory && !waitsForRoom) {
                at += readOnce(bytes, at, to);
            }
            return at - from;
        }

        private int readOnce(byte[] bytes, int from, int to) {
            ReadWindow window = window();
            if (window == null) {
                return 0;
            }
            int start = window.writerIndex();
            int part = Math.min(to - from, window.writableBytes());
            assertThat(part).as("a read that can bring nothing").isPositive();
            window.writeBytes(bytes, from, part);
            if (assembler.owns(window)) {
                assertThat(start).isEqualTo(assembler.bytes());
                assembler.filled(part);
                takeOwn();
            } else {
                take(window.view(), window.readerIndex(), window.readableBytes());
            }
            return part;
        }

        private ReadWindow window() {
            if (assembler.isLong()) {
                return assembler.restOfLong();
            }
            if (assembler.wants() > 0) {
                ask();
                return null;
            }
            int most = assembler.mostPerRead(READ);
            if (!room) {
                return assembler.behind(Math.min(most, HELLO));
            }
            ReadWindow window = port.window(assembler.bytes(), most);
            assembler.putInFront(window);
            return window;
        }

        private void ask() {
            asked = assembler.wants();
            waitsForMemory = true;
            if (line.ask(asked, this, tasks::add)) {
                granted();
            }
        }

        @Override
        public void granted() {
            waitsForMemory = false;
            assembler.grow();
            takeOwn();
        }

        void takeOwn() {
            if (assembler.bytes() > 0 && (!assembler.isLong() || assembler.bytes() >= assembler.frame())) {
                take(assembler.view(), 0, assembler.bytes());
            }
        }

        private void take(ByteBuffer view, int offset, int length) {
            RunScan span = port.walk(view, offset, length, null);
            assertThat(span.problem()).isNull();
            if (span.frames() > 0 && !port.take(span, null)) {
                assembler.keep(view, offset, length, 0);
                waitsForRoom = true;
                return;
            }
            int end = span.end();
            assembler.keep(view, offset + end, length - end, span.incompleteFrame());
            if (assembler.wants() > 0) {
                ask();
            }
        }

        void goOn() {
            waitsForRoom = false;
            takeOwn();
        }
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    /** Everything that a connection may reserve is given back, whatever it was doing. */
    @AfterEach
    void close() {
        connections.forEach(c -> {
            line.leave(c);
            c.assembler.release();
        });
        runTasks();
        connections.forEach(c -> c.assembler.release());
        taken.forEach(port.buffers::give);
        port.buffers.close();
        assertThat(budget.pool(Part.CONNECTIONS).used()).isZero();
        assertThat(budget.pool(Part.RESTS).used()).isZero();
        assertThat(budget.pool(Part.FRAMES).used()).isZero();
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    private void useUpTheSharedBuffers() {
        while (port.buffers.any()) {
            taken.add(port.buffers.take());
        }
    }

    /** The frames before, of one, and behind it. */
    private static byte[] around(int body) {
        return new Frames().frame(1, 7).frame(2, body).frame(3, 5).bytes();
    }

    private void assertTaken(byte[] bytes, String what) {
        assertThat(port.order.toByteArray()).as(what).isEqualTo(bytes);
        port.order.reset();
    }

    /** Small, short, and long ones, at the borders between them. */
    private static final int[] BODIES = {
        0, 1, 100, 2039, 2040, 2041, 4000, 4087, 4088, 4089, 5000, 60_000, 65_527, 65_528, 65_529, 70_000, MAX_BODY
    };

    private Connection connection(boolean room, boolean sharedBuffers) {
        if (!sharedBuffers) {
            useUpTheSharedBuffers();
        }
        Connection connection = new Connection();
        connection.room = room;
        return connection;
    }

    @ParameterizedTest
    @CsvSource({"true, true", "false, true", "true, false"})
    void aByteAtATime(boolean room, boolean sharedBuffers) {
        Connection connection = connection(room, sharedBuffers);
        for (int body : BODIES) {
            byte[] bytes = around(body);
            for (int i = 0; i < bytes.length; i++) {
                assertThat(connection.read(bytes, i, i + 1))
                        .as("body %d, byte %d", body, i)
                        .isEqualTo(1);
            }
            assertTaken(bytes, "body " + body);
            assertThat(connection.assembler.bytes()).isZero();
            assertThat(connection.assembler.text()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"true, true", "false, true", "true, false"})
    void splitAtEveryOffset(boolean room, boolean sharedBuffers) {
        Connection connection = connection(room, sharedBuffers);
        for (int body : new int[] {0, 1, 100, 2040, 4089, 5000}) {
            byte[] bytes = around(body);
            for (int cut = 0; cut <= bytes.length; cut++) {
                assertThat(connection.read(bytes, 0, cut) + connection.read(bytes, cut, bytes.length))
                        .isEqualTo(bytes.length);
                assertTaken(bytes, "body " + body + ", cut at " + cut);
            }
        }
        for (int body : new int[] {65_527, 65_529, MAX_BODY}) {
            byte[] bytes = around(body);
            // Around headers, ends, and the sizes of the memories; else here and there.
            for (int cut = 0; cut <= bytes.length; cut += cut < 40 || bytes.length - cut < 40 ? 1 : 997) {
                connection.read(bytes, 0, cut);
                connection.read(bytes, cut, bytes.length);
                assertTaken(bytes, "body " + body + ", cut at " + cut);
            }
        }
    }

    // ---- the memory of each size -----------------------------------------------------------------------------------

    @Test
    void whatIsAnnouncedTakesNoMemory() {
        for (int i = 0; i < 10; i++) {
            Connection connection = new Connection();
            byte[] header = new Frames().header(1, MAX_BODY).bytes();
            connection.read(header, 0, 8);
            assertThat(connection.assembler.frame()).isEqualTo(MAX_BODY + 8);
            assertThat(connection.assembler.wants()).isZero();
            assertThat(connection.assembler.text()).isEqualTo("8 of " + (MAX_BODY + 8) + " bytes");
        }
        assertThat(budget.pool(Part.FRAMES).used()).isZero();
        assertThat(budget.pool(Part.RESTS).used()).isZero();
        assertThat(budget.pool(Part.CONNECTIONS).used()).isEqualTo(10L * FrameAssembler.SMALL);
        assertThatIllegalStateException()
                .as("the plan counts every connection once")
                .isThrownBy(() -> new Connection().read(new byte[3], 0, 3));
    }

    @Test
    void aHeaderThatIsCutIsNamedSo() {
        Connection connection = new Connection();
        connection.read(new byte[] {0, 0, 0}, 0, 3);
        assertThat(connection.assembler.text()).isEqualTo("3 of a header");
        assertThat(connection.assembler.frame()).isZero();
    }

    @Test
    void aControlFrameIsKnownByItsFirstThreeBytes() {
        Connection connection = new Connection();
        byte[] type = {(byte) 0x80, 0, 0, 1};
        connection.read(type, 0, 2);
        assertThat(connection.assembler.beginsControl()).isFalse();
        connection.read(type, 2, 3);
        assertThat(connection.assembler.beginsControl()).isTrue();
        Connection other = new Connection();
        other.read(new byte[] {(byte) 0x80, 0, 1}, 0, 3);
        assertThat(other.assembler.beginsControl()).isFalse();
    }

    /** With the line full it waits, is read no further, and goes on when it is its turn; in the order of the line. */
    @Test
    void whereTheLineIsFullTheyTakeTurns() {
        byte[] bytes = new Frames().frame(1, MAX_BODY).bytes();
        int part = 100_000;
        for (int i = 0; i < 4; i++) {
            Connection c = new Connection();
            c.read(bytes, 0, part);
            assertThat(c.waitsForMemory).as("connection %d", i).isEqualTo(i >= 2);
        }
        assertThat(line.length()).isEqualTo(2);
        Connection waits = connections.get(2);
        int had = waits.assembler.bytes();
        assertThat(had).isBetween(8, FrameAssembler.MOVE_BYTES);
        assertThat(waits.read(bytes, had, bytes.length)).as("it is not read").isZero();
        connections.get(0).read(bytes, part, bytes.length);
        runTasks();
        assertTaken(bytes, "the first");
        assertThat(waits.waitsForMemory).isFalse();
        assertThat(connections.get(3).waitsForMemory).isTrue();
        assertThat(waits.read(bytes, had, bytes.length)).isEqualTo(bytes.length - had);
        runTasks();
        assertTaken(bytes, "the third");
        Connection last = connections.get(3);
        last.read(bytes, last.assembler.bytes(), bytes.length);
        assertTaken(bytes, "the fourth");
        assertThat(line.length()).isZero();
    }

    /** What was reserved for a frame goes back where the machine does not have it: others wait for it. */
    @Test
    void memoryThatIsReservedAndNotThere() {
        byte[] bytes = new Frames().frame(1, MAX_BODY).bytes();
        Connection connection = new Connection();
        connection.read(bytes, 0, 8);
        ofConnections.scarce(true);
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> connection.read(bytes, 8, 100_000));
        ofConnections.scarce(false);
        connection.assembler.release();
        assertThat(budget.pool(Part.FRAMES).used()).isZero();
    }

    @Test
    void smallMemoryThatIsReservedAndNotThere() {
        Connection connection = new Connection();
        ofConnections.scarce(true);
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> connection.read(new Frames().frame(1, 100).bytes(), 0, 8));
        assertThat(budget.pool(Part.CONNECTIONS).used()).isZero();
    }

    /** Bytes that could not be handed in stay as they are. */
    @ParameterizedTest
    @ValueSource(ints = {50, 2500, 3000, 20_000, 60_000})
    void whatFindsNoRoomIsHeld(int bytes) {
        Connection connection = new Connection();
        Frames frames = new Frames();
        for (int i = 0; frames.size() < bytes; i++) {
            frames.frame(i, 33);
        }
        byte[] sent = frames.frame(99, 1500).bytes();
        port.room = false;
        int at = connection.read(sent, 0, Math.min(bytes, sent.length));
        assertThat(connection.waitsForRoom).isTrue();
        assertThat(connection.assembler.bytes()).isEqualTo(at);
        port.room = true;
        connection.goOn();
        connection.read(sent, at, sent.length);
        assertTaken(sent, "held");
    }

    @Test
    void aLongFrameThatFindsNoRoomStaysWhereItIs() {
        byte[] bytes = new Frames().frame(1, MAX_BODY).bytes();
        Connection connection = new Connection();
        port.room = false;
        assertThat(connection.read(bytes, 0, bytes.length)).isEqualTo(bytes.length);
        assertThat(connection.waitsForRoom).isTrue();
        assertThat(budget.pool(Part.FRAMES).used()).isPositive();
        port.room = true;
        connection.goOn();
        assertTaken(bytes, "long");
        assertThat(budget.pool(Part.FRAMES).used()).isZero();
    }

    @Test
    void onlyWhatIsItsOwnMayMoveToAnotherPort() {
        Connection connection = new Connection();
        assertThat(connection.assembler.movable()).isTrue();
        byte[] bytes = new Frames().frame(1, 60_000).bytes();
        connection.read(bytes, 0, 100);
        assertThat(connection.assembler.movable()).isTrue();
        connection.read(bytes, 100, 30_000);
        assertThat(connection.assembler.movable()).isFalse();
        connection.read(bytes, 30_000, bytes.length);
        assertThat(connection.assembler.movable()).isTrue();
        assertThat(Arrays.equals(port.order.toByteArray(), bytes)).isTrue();
    }
}
