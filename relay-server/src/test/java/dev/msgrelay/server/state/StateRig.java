package dev.msgrelay.server.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.PacketLog;
import dev.msgrelay.server.stream.RunScan;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** An index behind a small log, and beside it a plain model: every message that there ever was. */
final class StateRig implements AutoCloseable {
    static final int CHUNK = 1024;
    static final int LOG = 16 * CHUNK;
    static final int MOST_RUN = 4 * CHUNK;

    final PacketLog log;
    final StateIndex index;
    private final long before;
    private final RunScan scan = new RunScan(300, MOST_RUN - FrameLayout.HEADER_LENGTH, true);
    private final ByteBuffer run = ByteBuffer.allocateDirect(MOST_RUN).order(ByteOrder.nativeOrder());
    private final List<Message> messages = new ArrayList<>();
    private final TreeMap<Integer, Message> newest = new TreeMap<>();

    record Message(long number, int type, byte[] body) {}

    StateRig(int size, TypeRanges kept) {
        this(size, kept, 0);
    }

    /** @param before messages of the stream that were there before the log */
    StateRig(int size, TypeRanges kept, long before) {
        this(size, kept, before, 100);
    }

    /** @param walks that there is room for at a time */
    StateRig(int size, TypeRanges kept, long before, int walks) {
        this.before = before;
        log = new PacketLog(
                new UnpooledByteBufAllocator(true, true),
                LOG,
                CHUNK,
                300,
                2,
                MOST_RUN,
                position -> true,
                Mark.of(before * 10, before + 1));
        int bytes = (int) StateIndex.memoryBytes(size, walks);
        ByteBuffer memory = ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
        index = new StateIndex(log, memory, size, kept, 4711);
        log.keptBy(index);
    }

    long head() {
        return log.lastSequence();
    }

    /** Appends messages to the stream as one span. */
    void publish(Message... span) {
        run.clear();
        for (Message message : span) {
            run.order(ByteOrder.BIG_ENDIAN).putInt(message.type).putInt(message.body.length);
            run.put(message.body);
            messages.add(new Message(messages.size() + 1 + before, message.type, message.body));
            newest.put(message.type, messages.get(messages.size() - 1));
        }
        int length = run.position();
        run.order(ByteOrder.nativeOrder());
        scan.scan(run, 0, length, log.openPacketBytes());
        assertThat(scan.wholeBytes()).isEqualTo(length);
        index.packed(scan, log.endPosition(), log.lastSequence() + 1);
        log.packetStartsAt(0, 0);
        log.append(run, 0, length, scan.frames());
        log.publish();
    }

    static Message message(int type, byte... body) {
        return new Message(0, type, body);
    }

    /** The newest messages behind a number, of some types. */
    Map<Integer, Message> newestBehind(long number, TypeRanges types) {
        Map<Integer, Message> result = new HashMap<>(newest);
        result.values().removeIf(message -> message.number <= number || !types.contains(message.type));
        return result;
    }

    /** The newest messages of some types, as they were at a head, and behind a number. */
    Map<Integer, Message> newestBetween(long number, long head, TypeRanges types) {
        Map<Integer, Message> result = new HashMap<>();
        for (Message message : messages.subList((int) (number - before), (int) (head - before))) {
            if (types.contains(message.type)) {
                result.put(message.type, message);
            }
        }
        return result;
    }

    long lost() {
        index.takeFigures();
        StateIndex.Figures now = index.figures();
        return Math.max(now.forgottenValue(), now.forgottenTombstone());
    }

    @Override
    public void close() {
        log.close();
    }

    /** A client that walks, and checks what it gets. */
    final class Reader {
        final Walk walk;
        private TypeRanges types;
        final Map<Integer, Message> view = new HashMap<>();
        long next;
        long lost;
        long superseded;
        int sent;
        private final int buffer;
        private final long had;

        Reader(long first, TypeRanges types, int buffer) {
            this(first, types, buffer, () -> {});
        }

        Reader(long first, TypeRanges types, int buffer, Runnable answer) {
            this.types = types;
            this.buffer = buffer;
            had = first - 1;
            next = first;
            walk = new Walk(first, answer);
            walk.choose(types);
        }

        /** Sets other types, of those that it had. */
        void choose(TypeRanges fewer) {
            types = fewer;
            walk.choose(fewer);
        }

        TypeRanges types() {
            return types;
        }

        /** Takes one batch; returns whether it has reached the head. */
        boolean step() {
            int bytes = Math.max(buffer, walk.needed);
            ByteBuf memory = Unpooled.directBuffer(bytes, bytes);
            walk.lend(memory);
            index.fill(walk);
            takeBatch();
            walk.takeBuffer().release();
            if (walk.hasArrived()) {
                assertThat(walk.head().sequence()).isEqualTo(head() + 1);
                assertThat(walk.head().position()).isEqualTo(log.endPosition());
            }
            return walk.hasArrived();
        }

        /** Takes the frames of the walk's last batch, which may be one that others have, too. */
        void takeBatch() {
            long messagesBefore = sent;
            long supersededBefore = superseded;
            take(walk.lead().nioBuffer());
            ByteBuf frames = walk.frames();
            take(frames.nioBuffer());
            frames.release();
            assertThat(next).isEqualTo(walk.next());
            assertThat(walk.messages()).isEqualTo(sent - messagesBefore);
            assertThat(walk.superseded()).isEqualTo(superseded - supersededBefore);
            if (walk.hasArrived()) {
                assertThat(next).isEqualTo(walk.head().sequence());
                // What is lost is told. Of everything else the view is that of the whole stream.
                Map<Integer, Message> whole = newestBetween(Math.max(lost, had), next - 1, types);
                whole.forEach((type, message) -> {
                    // A client that had nothing needs no word of a tombstone that was forgotten.
                    if (had > 0 || view.containsKey(type) || message.body.length > 0) {
                        assertThat(view.get(type)).isSameAs(message);
                    }
                });
            }
        }

        Reader toTheHead() {
            while (!step()) {
                // the next batch
            }
            return this;
        }

        private void take(ByteBuffer batch) {
            while (batch.hasRemaining()) {
                int type = batch.getInt();
                int length = batch.getInt();
                if (type == ControlFrames.GAP) {
                    gap(batch.slice(batch.position(), length));
                    batch.position(batch.position() + length);
                } else {
                    byte[] body = new byte[length];
                    batch.get(body);
                    Message published = messages.get((int) (next - 1 - before));
                    assertThat(type).isEqualTo(published.type);
                    assertThat(body).isEqualTo(published.body);
                    assertThat(types.contains(type)).isTrue();
                    view.put(type, published);
                    next++;
                    sent++;
                }
            }
        }

        private void gap(ByteBuffer body) {
            assertThat(GapFrame.from(body)).isEqualTo(next);
            assertThat(GapFrame.to(body)).isBetween(next, head());
            if (GapFrame.reason(body) == GapReason.NOT_HELD.code()) {
                lost = GapFrame.to(body);
            } else {
                assertThat(GapFrame.reason(body)).isEqualTo(GapReason.SUPERSEDED.code());
                superseded += GapFrame.to(body) - next + 1;
            }
            next = GapFrame.to(body) + 1;
        }
    }
}
