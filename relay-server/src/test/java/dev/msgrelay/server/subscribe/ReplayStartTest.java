package dev.msgrelay.server.subscribe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.protocol.StartFrom;
import dev.msgrelay.server.access.Rights;
import dev.msgrelay.server.assembly.NoJournal;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.connection.RelayIdentity;
import dev.msgrelay.server.connection.Services;
import dev.msgrelay.server.figures.Counters;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.journal.Journal;
import dev.msgrelay.server.journal.JournalOpening;
import dev.msgrelay.server.journal.JournalRig;
import dev.msgrelay.server.journal.JournalSettings;
import dev.msgrelay.server.journal.JournalSteps;
import dev.msgrelay.server.journal.SimDisk;
import dev.msgrelay.server.journal.read.BlockReader;
import dev.msgrelay.server.journal.recover.RecoveryProgress;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.stream.LogReader;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.OrderRig;
import dev.msgrelay.server.stream.PacketLog;
import dev.msgrelay.server.stream.WindowGate;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.concurrent.Ticker;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A subscriber that starts in the journal stands exactly at the message that it is told of. */
class ReplayStartTest {
    private static final int CHUNK = 1024;
    private static final int LOG = 4 * CHUNK;
    private static final int PACKET = 300;
    private static final int FRAME = 50;
    private static final long EPOCH = 7;
    private static final long MILLIS = 1_700_000_000_000L;

    private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final MemoryBudget budget = new MemoryBudget(Map.of(Part.REPLAYS, (long) BlockReader.PAGE_BYTES));
    private Journal journal;
    private PacketLog log;
    private LogReader reader;
    private CatchUp catchUp;
    private long nanos;
    private int published;

    @BeforeEach
    void open() throws IOException {
        JournalSettings settings =
                new JournalSettings(8 << 10, JournalSettings.UNLIMITED, JournalSettings.UNLIMITED, 1);
        journal = new JournalOpening(new SimDisk(new Random(1)), settings, EPOCH, MILLIS, null, RecoveryProgress.NOBODY)
                .open();
        log = new PacketLog(allocator, LOG, CHUNK, PACKET, 4, 2 * CHUNK, position -> true, journal.goesOnAt());
        journal.follow(log, JournalRig.NOBODY, 0);
        reader = new LogReader(log);
        ReplayPages pages = new ReplayPages(allocator, budget.pool(Part.REPLAYS), new Counters(), () -> nanos);
        WindowGate gate = new WindowGate(LOG, new OrderRig.NoWriter(), () -> nanos);
        Optional<FanoutParts.Replays> replays = Optional.of(new FanoutParts.Replays(journal, pages, null));
        FanoutParts shared =
                new FanoutParts(log, null, LOG, gate, STALL_NANOS, replays, Optional.empty(), 0, null, false);
        Services services = Services.of(
                new RelayIdentity("relay", CHUNK),
                new NoJournal(EPOCH),
                RelayConfig.builder().build(),
                budget,
                Ticker.newMockTicker());
        Rights rights = new Rights(services.access(), Role.SUBSCRIBER);
        SlowReader slowness = new SlowReader(shared, services, rights, reader::position);
        slowness.change(Policy.REPLAY);
        catchUp = new CatchUp(shared, services, rights, slowness, reader);
        assertThat(catchUp.toJournal()).isEmpty();
    }

    @AfterEach
    void close() throws IOException {
        catchUp.becomeLive();
        assertThat(catchUp.isLive()).isTrue();
        reader.release();
        journal.close();
        log.close();
        assertThat(budget.pool(Part.REPLAYS).used()).isZero();
    }

    private void publishUpTo(long end) {
        while (log.endPosition() < end) {
            assertThat(log.hasRoom()).isTrue();
            ByteBuffer frame = new Frames().frame(published++, FRAME - 8).nativeBuffer();
            if (log.openPacketBytes() + FRAME > PACKET) {
                log.packetStartsAt(0, 0);
            }
            log.append(frame, 0, FRAME, 1);
            log.publish();
        }
    }

    private void write() {
        while (journal.written().position() < log.endPosition()) {
            nanos++;
            JournalSteps.write(journal, nanos, MILLIS);
            JournalSteps.force(journal, nanos, MILLIS);
            assertThat(journal.failure()).isEmpty();
        }
    }

    private Mark head() {
        Mark head = new Mark();
        log.head().read(head);
        return head;
    }

    /** Starts, and stands at this message: nothing of what is asked for is missing. */
    private void assertStandsAt(long sequence, CatchUp.Start start, Mark head) {
        assertThat(catchUp.seekStart(start, head)).isEqualTo(CatchUp.Seek.FOUND);
        assertThat(reader.boundary().sequence()).isEqualTo(sequence);
        assertThat(reader.position()).isEqualTo((sequence - 1) * FRAME);
    }

    /** The journal has gone on since the head was read, and the time that is asked for has not come. */
    @Test
    void aTimeThatHasNotComeIsTheHeadThatWasRead() {
        publishUpTo(10 * FRAME);
        write();
        Mark head = head();
        publishUpTo(20 * FRAME);
        write();
        assertStandsAt(head.sequence(), new CatchUp.Start(StartFrom.TIME, 1, Long.MAX_VALUE), head);
    }

    /**
     * The log's oldest chunk begins within a packet, behind which a block of the journal begins, too: the log has the
     * message, and does not know where it lies.
     */
    @Test
    void aMessageInThePacketThatTheLogsOldestChunkCuts() {
        publishUpTo(CHUNK + 1);
        write();
        assertThat(journal.written().position()).isEqualTo(21 * FRAME);
        publishUpTo(LOG + 1);
        write();
        assertThat(log.tail()).isEqualTo(CHUNK);
        assertStandsAt(23, new CatchUp.Start(StartFrom.SEQUENCE, 23, 0), head());
    }

    /** Piece by piece: nothing here holds the log back for the journal. */
    private void publishAndWriteUpTo(long end) {
        while (log.endPosition() < end) {
            publishUpTo(Math.min(end, log.endPosition() + CHUNK));
            write();
        }
    }

    private long behind() {
        return log.head().position() - reader.position();
    }

    /** Goes on, whole pieces at a time, for as long as that can be done where the reader is. */
    private CatchUp.Next goOn() {
        CatchUp.Next step = catchUp.next(behind());
        while (step == CatchUp.Next.HERE) {
            Mark end = reader.onPage() ? reader.pageEnd() : head();
            int bytes = (int) (end.position() - reader.position());
            assertThat(reader.pinNext(bytes, end)).isTrue();
            reader.advance(bytes);
            step = catchUp.next(behind());
        }
        return step;
    }

    /** Near the head it leaves the loop that waits for the disk, and only at the head is it live. */
    @Test
    void goesBackToTheJournalWhereTheLogIsFaster() {
        publishAndWriteUpTo(3 * LOG);
        assertThat(reader.overtaken()).isTrue();
        assertThat(goOn()).isEqualTo(CatchUp.Next.LOG);
        assertThat(catchUp.isLive()).isFalse();
        publishAndWriteUpTo(6 * LOG);
        assertThat(catchUp.next(behind())).isEqualTo(CatchUp.Next.JOURNAL);
        assertThat(catchUp.toJournal()).isEmpty();
        assertThat(goOn()).isEqualTo(CatchUp.Next.LOG);
        assertThat(catchUp.isLive()).isFalse();
        assertThat(catchUp.next(behind())).isEqualTo(CatchUp.Next.HERE);
        assertThat(catchUp.isLive()).isTrue();
        assertThat(reader.position()).isEqualTo(head().position());
    }
}
