package dev.msgrelay.server.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.journal.format.EpochTable;
import dev.msgrelay.server.journal.format.FileNames;
import dev.msgrelay.server.journal.format.JournalName;
import dev.msgrelay.server.journal.recover.Recovery;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.PacketLog;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WriterAndForcerTest {
    private static final long SEGMENT = JournalSettings.MIN_SEGMENT;
    private static final int FRAME = 1000;
    private static final long FORCE_NANOS = 1_000_000;

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final SimDisk disk = new SimDisk(new Random(1));
    private final PacketLog log =
            new PacketLog(allocator, 1 << 20, 4 << 10, 1460, 4, 4 << 10, position -> true, Mark.of(0, 1));
    private JournalParts parts;
    private JournalWriter writer;
    private JournalForcer forcer;
    private final Mark end = new Mark();
    private long nanos;

    @BeforeEach
    void keepAll() throws IOException {
        keep(JournalSettings.UNLIMITED);
    }

    private void keep(long bytes) throws IOException {
        Recovery empty = Recovery.inspect(disk, Recovery.Depth.START);
        JournalSettings settings = new JournalSettings(SEGMENT, bytes, JournalSettings.UNLIMITED, FORCE_NANOS);
        parts = new JournalParts(disk, settings, empty);
        EpochTable lives = new EpochTable(List.of(new EpochTable.Epoch(7, 0, 1, 0)), 0, 1);
        writer = new JournalWriter(parts, log, () -> lives, position -> {});
        forcer = new JournalForcer(parts, writer, position -> {}, 0);
    }

    @AfterEach
    void close() throws IOException {
        writer.release();
        parts.files().close();
        log.close();
    }

    private void write() {
        append();
        assertThat(work()).isTrue();
    }

    private void append() {
        assertThat(log.hasRoom()).isTrue();
        ByteBuffer frame = new Frames().frame(1, FRAME - 8).nativeBuffer();
        log.packetStartsAt(0, 0);
        log.append(frame, 0, FRAME, 1);
        log.publish();
    }

    private boolean work() {
        try {
            parts.files().prepare();
            writer.look();
            return writer.step(nanos, nanos);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void force() throws IOException {
        nanos += FORCE_NANOS;
        forcer.step(nanos, nanos);
    }

    /** A start by a time after which it was published must not leave it out. */
    @Test
    void aMessageThatComesAfterTheClocksWereReadWaitsForTheNextStep() throws IOException {
        parts.files().prepare();
        append();
        writer.look();
        append();
        assertThat(writer.step(1, 1)).isTrue();
        assertThat(parts.written().position()).isEqualTo(FRAME);
        writer.look();
        assertThat(writer.step(2, 2)).isTrue();
        assertThat(parts.written().position()).isEqualTo(2 * FRAME);
        writer.look();
        append();
        assertThat(writer.step(3, 3)).as("something has come").isTrue();
        assertThat(parts.written().position()).isEqualTo(2 * FRAME);
    }

    /** A longer name takes room in the directory, also where the file has all of its own. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aDiskThatHasNoRoomForANameIsAskedAgain(int rename) {
        do {
            write();
        } while (writer.current().room() >= FRAME);
        append();
        disk.refuseRename(rename);
        assertThat(work()).as("not now").isFalse();
        assertThat(work()).isTrue();
        assertThat(writer.current().header().base()).isPositive();
        assertThat(parts.written().position()).isEqualTo(log.endPosition());
        assertThat(disk.names())
                .contains(FileNames.stream(writer.current().header().base()));
        assertThat(disk.names())
                .contains(FileNames.index(writer.current().header().base()));
    }

    @Test
    void whatHasNoRoomForASparesNameIsDeleted() throws IOException {
        SegmentFiles one =
                new SegmentFiles(disk, new JournalSettings(SEGMENT, 2 * SEGMENT, JournalSettings.UNLIMITED, 1));
        for (String name : List.of(FileNames.stream(0), FileNames.index(0))) {
            disk.open(name).close();
        }
        one.add(new SegmentFiles.Sealed(0, SEGMENT, 8 * SEGMENT, 0));
        disk.refuseRename(2);
        assertThat(one.retire(SEGMENT, 0, false, false).aged())
                .as("for their age")
                .isZero();
        assertThat(disk.names()).doesNotContain(FileNames.stream(0), FileNames.index(0));
        assertThat(one.sealed()).isZero();
    }

    /**
     * Names that moved in the newest segment alone are written to their table, so that a full journal may drop older
     * segments. Without that nothing is dropped, no file is made, and publishers wait for ever.
     */
    @Test
    void namesOfTheNewestSegmentAloneKeepNoOlderOne() throws IOException {
        writer.release();
        keep(2 * SEGMENT);
        assertThat(work()).as("nothing to write").isFalse();
        moveName(1);
        for (int i = 0; i < 6; i++) {
            fillSegment();
            force();
        }
        long oldest = oldestBase();
        fillSegment();
        // The forcer has not looked since the roll, so the segment that is over the limit is still there.
        moveName(2);
        for (int i = 0; i < 6; i++) {
            fillSegment();
            force();
        }
        assertThat(oldestBase()).isGreaterThan(oldest);
        assertThat(parts.files().sealed()).isLessThanOrEqualTo(3);
    }

    /** A full disk is not asked in each step, also where all files for the stream are ready. */
    @Test
    void aTableOfNamesWithoutRoomIsTriedAgainAfterAPause() throws IOException {
        write();
        log.head().read(end);
        parts.moves().add(new JournalName("orders", ProducerId.NONE, "", JournalName.Hole.NONE), end.sequence(), 1, 1);
        fillSegment();
        assertThat(parts.files().prepare()).isTrue();
        assertThat(parts.files().ready()).isTrue();
        disk.full(true);
        for (int i = 0; i < 50; i++) {
            force();
        }
        assertThat(disk.refusals()).isOne();
        nanos += TimeUnit.MILLISECONDS.toNanos(100);
        force();
        assertThat(disk.refusals()).isEqualTo(2);
        disk.full(false);
        nanos += TimeUnit.MILLISECONDS.toNanos(100);
        force();
        assertThat(disk.names()).contains(FileNames.NAMES);
    }

    private void moveName(long number) throws IOException {
        log.head().read(end);
        parts.moves()
                .add(new JournalName("orders", ProducerId.NONE, "", JournalName.Hole.NONE), end.sequence(), 1, number);
        write();
        force();
    }

    /** Appends until the writer is in another segment, and forces each block but the last one. */
    private void fillSegment() throws IOException {
        long base = writer.current().header().base();
        for (int i = 0; ; i++) {
            assertThat(i).as("messages, and no next segment").isLessThan(200);
            append();
            work();
            if (writer.current().header().base() != base) {
                return;
            }
            force();
        }
    }

    private long oldestBase() {
        return disk.names().stream()
                .mapToLong(FileNames::base)
                .filter(base -> base >= 0)
                .min()
                .orElseThrow();
    }

    // ---- when each of them has something to do ----------------------------------------------------------------

    @Test
    void whereNobodyWaitsASmallBlockWaitsForMore() {
        assertThat(writer.restNanos(0)).as("nothing is there").isZero();
        assertThat(writer.due()).as("so what comes wakes it").isTrue();
        write();
        append();
        assertThat(writer.restNanos(400_000)).isEqualTo(600_000);
        assertThat(writer.due()).isFalse();
        assertThat(writer.restNanos(1_000_000)).as("not for long").isZero();
    }

    @Test
    void whereSomebodyWaitsABlockDoesNot() {
        write();
        writer.want(parts.written().position());
        append();
        assertThat(writer.restNanos(1)).as("what was wanted is written").isPositive();
        writer.want(log.endPosition());
        assertThat(writer.due()).isTrue();
        assertThat(writer.restNanos(1)).isZero();
    }

    @Test
    void aLargeBlockDoesNotWait() {
        write();
        while (log.endPosition() - parts.written().position() + FRAME < 512 << 10) {
            append();
        }
        assertThat(writer.restNanos(1)).isPositive();
        assertThat(writer.due()).isFalse();
        append();
        assertThat(writer.due()).isTrue();
        assertThat(writer.restNanos(1)).isZero();
    }

    @Test
    void whatIsLeftBehindABlockDoesNotWait() {
        append();
        append();
        append();
        assertThat(work()).isTrue();
        assertThat(parts.written().position())
                .as("a block is a quarter of a segment")
                .isLessThan(log.endPosition());
        assertThat(writer.restNanos(1)).isZero();
    }

    @Test
    void theForcerIsWokenForWhatCannotWait() throws IOException {
        write();
        assertThat(forcer.due(nanos)).as("files are to be made ready").isTrue();
        parts.files().prepare();
        assertThat(forcer.due(nanos + FORCE_NANOS - 1)).isFalse();
        assertThat(forcer.due(nanos + FORCE_NANOS)).as("it is time").isTrue();
        assertThat(forcer.due(nanos)).isFalse();
        forcer.want(log.endPosition() + 1);
        assertThat(forcer.due(nanos)).as("somebody waits").isTrue();
        force();
        assertThat(forcer.due(nanos)).as("for what is not written").isFalse();
        write();
        parts.files().prepare();
        assertThat(forcer.due(nanos)).as("now it is").isTrue();
    }

    // ---- the writer loses its core between the two steps of a roll: a segment is complete, and still the current one

    @Test
    void aSegmentThatIsClosedIsNotForcedOnceMore() throws IOException {
        while (writer.complete().isEmpty()) {
            write();
        }
        disk.duringForce(() -> {
            // While the first one is forced: one more block, then the first half of a roll.
            disk.duringForce(() -> {});
            write();
            writer.complete().add(writer.current());
        });
        force();
        assertThat(writer.complete()).isEmpty();
        assertThat(parts.forced().position()).isLessThan(parts.written().position());
        force();
        assertThat(parts.forced().position()).isEqualTo(parts.written().position());
    }
}
