package dev.msgrelay.server.assembly;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.GapFrame;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.journal.Journal;
import dev.msgrelay.server.journal.JournalOpening;
import dev.msgrelay.server.journal.JournalRig;
import dev.msgrelay.server.journal.JournalSettings;
import dev.msgrelay.server.journal.JournalSteps;
import dev.msgrelay.server.journal.SimDisk;
import dev.msgrelay.server.journal.format.EpochTable;
import dev.msgrelay.server.journal.format.EpochTable.Epoch;
import dev.msgrelay.server.journal.format.FileNames;
import dev.msgrelay.server.journal.format.SnapshotFile;
import dev.msgrelay.server.journal.format.SnapshotReader;
import dev.msgrelay.server.journal.read.BlockReader;
import dev.msgrelay.server.journal.recover.RecoveryProgress;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.state.StateDesk;
import dev.msgrelay.server.state.StateIndex;
import dev.msgrelay.server.state.Walk;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.PacketLog;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/** A journal of small segments on a disk in memory, snapshots of its state, and beside them every message there was. */
final class SnapshotRig implements AutoCloseable {
    static final long SEGMENT = 8192;
    static final int MAX_BODY = 3000;
    private static final long MILLIS = 1_700_000_000_000L;
    private static final int CHUNK = 4096;

    /** A message; its number is its place in the list, from 1. */
    record Message(long number, int type, int body) {}

    final SimDisk disk;
    TypeRanges kept = TypeRanges.ALL;
    int size = 1 << 20;
    int maxBody = MAX_BODY;
    // The lives of the cluster's stream.
    Optional<EpochTable> others = Optional.empty();
    final List<Message> stream;
    private JournalSettings settings;
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final MemoryBudget budget =
            new MemoryBudget(Map.of(Part.REPLAYS, 8L << 20, Part.STATE_BATCHES, StateDesk.bufferBytes(MAX_BODY)));
    private static int lives;

    Journal journal;
    PacketLog log;
    StateFold fold;
    private ByteBuf memory;
    long nanos;

    // What the last start has found: the state, and what it lacks.
    final Map<Integer, Message> view = new HashMap<>();
    StateIndex.Figures figures;
    Optional<SnapshotFile> used = Optional.empty();
    // What the snapshots were warned of.
    final List<String> warnings = new ArrayList<>();

    SnapshotRig(SimDisk disk, long keepBytes) {
        this(disk, keepBytes, new ArrayList<>());
    }

    private SnapshotRig(SimDisk disk, long keepBytes, List<Message> stream) {
        this.disk = disk;
        this.stream = stream;
        keep(SEGMENT, keepBytes);
    }

    /** What the next start is told to keep. */
    void keep(long segmentBytes, long keepBytes) {
        settings = new JournalSettings(segmentBytes, keepBytes, JournalSettings.UNLIMITED, 1_000_000);
    }

    /** The same files and the same messages, for another relay that is not started yet. */
    SnapshotRig copy() {
        SnapshotRig other = new SnapshotRig(disk.copy(), settings.keepBytes(), new ArrayList<>(stream));
        other.kept = kept;
        other.size = size;
        other.others = others;
        return other;
    }

    SnapshotRig start() throws IOException {
        journal = new JournalOpening(disk, settings, nextLife(), MILLIS, others.orElse(null), RecoveryProgress.NOBODY)
                .open();
        Mark end = journal.goesOnAt();
        stream.subList((int) end.sequence() - 1, stream.size()).clear();
        log = new PacketLog(allocator, 32 * CHUNK, CHUNK, 300, 8, 2 * CHUNK, this::allows, end);
        journal.follow(log, JournalRig.NOBODY, nanos);
        StateIndex index = new StateIndex(
                log,
                ByteBuffer.allocateDirect((int) StateIndex.memoryBytes(size, 10))
                        .order(ByteOrder.nativeOrder()),
                size,
                kept,
                4711);
        used = new StateRecall(journal, index, size, maxBody, allocator, budget.pool(Part.REPLAYS)).read(end);
        int bytes = (int) StateFold.memoryBytes(size, maxBody);
        memory = allocator.directBuffer(bytes, bytes);
        fold = new StateFold(journal, kept, size, maxBody, memory, 4712, used, warnings::add);
        journal.hold(used.map(SnapshotFile::position).orElse(0L));
        look(index);
        return this;
    }

    private static long nextLife() {
        return ++lives * 0x9E3779B97F4A7C15L;
    }

    /** Begins the cluster's next life, at the end of the stream. */
    void goesOnInAnotherLife() {
        journal.addLife(new Epoch(nextLife(), log.endPosition(), stream.size() + 1L, MILLIS));
    }

    /** Makes this the journal of a cluster's node. */
    void joinsCluster() {
        others = Optional.of(new EpochTable(List.of(new Epoch(nextLife(), 0, 1, MILLIS)), 0, 1));
    }

    private void look(StateIndex index) {
        StateDesk desk = new StateDesk(index, Runnable::run, allocator, budget.pool(Part.STATE_BATCHES), () -> nanos);
        view.clear();
        Walk walk = new Walk(1, () -> {});
        long next = 1;
        boolean arrived = false;
        while (!arrived) {
            desk.ask(walk);
            desk.serve();
            arrived = walk.hasArrived();
            ByteBuf frames = walk.frames();
            ByteBuffer batch = frames.nioBuffer();
            while (batch.hasRemaining()) {
                int type = batch.getInt();
                int length = batch.getInt();
                if (type == ControlFrames.GAP) {
                    next = GapFrame.to(batch.slice(batch.position(), length)) + 1;
                } else {
                    Message message = stream.get((int) next - 1);
                    assertThat(message).isEqualTo(new Message(next, type, length));
                    assertThat(batch.slice(batch.position(), length)).isEqualTo(body(message));
                    view.put(type, message);
                    next++;
                }
                batch.position(batch.position() + length);
            }
            frames.release();
            desk.giveBack(walk);
        }
        desk.close();
        figures = index.figures();
    }

    private static ByteBuffer body(Message message) {
        return new Frames().frame(message.type, message.body).buffer().position(8);
    }

    private boolean allows(long position) {
        return position - journal.written().position() <= 8 * CHUNK;
    }

    /** Whether a publisher need not wait. */
    boolean hasRoom() {
        if (!log.hasRoom()) {
            settle();
        }
        return log.hasRoom();
    }

    void publish(int type, int body) {
        ByteBuffer frame = new Frames().frame(type, body).nativeBuffer();
        assertThat(hasRoom()).isTrue();
        log.packetStartsAt(0, 0);
        log.append(frame, 0, frame.remaining(), 1);
        log.publish();
        stream.add(new Message(stream.size() + 1L, type, body));
    }

    void publish(Random random, int messages, int types, int mostBody) {
        for (int i = 0; i < messages; i++) {
            publish(random.nextInt(types), random.nextInt(5) == 0 ? 0 : random.nextInt(mostBody + 1));
        }
    }

    /** Has all messages written and forced, and what is due dropped. */
    void settle() {
        boolean more = true;
        for (int idle = 0; idle < 3; idle = more ? 0 : idle + 1) {
            nanos += 2_000_000;
            more = JournalSteps.write(journal, nanos, MILLIS) | JournalSteps.force(journal, nanos, MILLIS);
        }
        journal.failure().ifPresent(e -> {
            throw new AssertionError(e);
        });
    }

    /** Makes the next snapshot, if it is due. */
    void fold() {
        while (fold.step(nanos)) {
            nanos += 1000;
        }
    }

    /** The first message that can be read from the journal. */
    long oldest() {
        Mark oldest = new Mark();
        journal.newBlockReader(ByteBuffer.allocate(BlockReader.RECORD_BYTES)).oldest(oldest);
        return oldest.sequence();
    }

    /** Deletes the segments that the snapshot makes unnecessary, as the retention does. */
    void dropFirst(long before) throws IOException {
        for (String name : disk.names()) {
            long base = FileNames.base(name);
            if (base >= 0 && base < before) {
                disk.delete(name);
            }
        }
        disk.force();
    }

    /** The newest messages of some types before a number. */
    Map<Integer, Message> newest(long before, TypeRanges types) {
        Map<Integer, Message> newest = new TreeMap<>();
        stream.stream()
                .limit(before - 1)
                .filter(message -> types.contains(message.type))
                .forEach(message -> newest.put(message.type, message));
        return newest;
    }

    /** Checks that the state which the last start has found is right, and lacks nothing but what it says. */
    SnapshotRig check(String what) {
        check(what, view, newest(stream.size() + 1L, kept), figures.forgottenValue(), figures.forgottenTombstone());
        return this;
    }

    static void check(
            String what, Map<Integer, Message> there, Map<Integer, Message> newest, long value, long tombstone) {
        there.forEach((type, message) -> assertThat(message).as(what).isEqualTo(newest.get(type)));
        newest.forEach((type, message) -> {
            long lost = message.body == 0 ? Math.max(value, tombstone) : value;
            assertThat(there.containsKey(type) || message.number <= lost)
                    .as("%s: %s, where %d and %d are lost", what, message, value, tombstone)
                    .isTrue();
        });
    }

    /** Reads the snapshot, and checks it. */
    SnapshotFile snapshot(String what) throws IOException {
        Map<Integer, Message> there = new HashMap<>();
        ByteBuffer page = ByteBuffer.allocate(1 << 21);
        try (SnapshotReader reader = new SnapshotReader(disk, true)) {
            SnapshotFile front = reader.front();
            long bytes = 0;
            for (int length = reader.next(); length > 0; length = reader.next()) {
                reader.read(page);
                while (page.hasRemaining()) {
                    Message message = stream.get((int) page.getLong() - 1);
                    assertThat(page.getInt()).isEqualTo(message.type);
                    assertThat(page.getInt()).isEqualTo(message.body);
                    assertThat(page.slice(page.position(), message.body)).isEqualTo(body(message));
                    page.position(page.position() + message.body);
                    there.put(message.type, message);
                    bytes += StateIndex.leastSize(message.body);
                }
            }
            assertThat(front.forgottenTombstone()).as(what).isGreaterThanOrEqualTo(front.forgottenValue());
            assertThat(there).as(what).hasSize((int) front.messages());
            assertThat(bytes).as(what).isLessThanOrEqualTo(front.size());
            check(
                    what,
                    there,
                    newest(front.sequence(), front.types()),
                    front.forgottenValue(),
                    front.forgottenTombstone());
            return front;
        }
    }

    void stop() throws IOException {
        fold.close();
        memory.release();
        try {
            journal.close();
        } finally {
            log.close();
        }
    }

    /** Kills the process. */
    void kill() {
        fold.close();
        memory.release();
        JournalSteps.releaseLog(journal);
        log.close();
        disk.killed();
    }

    @Override
    public void close() throws IOException {
        kill();
    }
}
