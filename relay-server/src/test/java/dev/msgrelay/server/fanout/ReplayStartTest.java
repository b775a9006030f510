package dev.msgrelay.server.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.StartFrom;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.journal.Journal;
import dev.msgrelay.server.journal.JournalFeed;
import dev.msgrelay.server.journal.JournalOpening;
import dev.msgrelay.server.journal.JournalSettings;
import dev.msgrelay.server.journal.JournalSteps;
import dev.msgrelay.server.journal.SimDisk;
import dev.msgrelay.server.log.LogReader;
import dev.msgrelay.server.log.Mark;
import dev.msgrelay.server.log.PacketLog;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.ops.Counters;
import dev.msgrelay.server.session.Durability;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Random;
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

    private static final Journal.Watch NOBODY = new Journal.Watch() {
        @Override
        public void written(long position) {}

        @Override
        public void forced(long position) {}

        @Override
        public void failed(Throwable cause) {}
    };

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final MemoryBudget budget = new MemoryBudget(Map.of(Part.REPLAYS, (long) JournalFeed.PAGE_BYTES));
    private Journal journal;
    private PacketLog log;
    private LogReader reader;
    private Replay replay;
    private long nanos;
    private int published;

    @BeforeEach
    void open() throws IOException {
        JournalSettings settings =
                new JournalSettings(8 << 10, JournalSettings.UNLIMITED, JournalSettings.UNLIMITED, 1);
        journal = JournalOpening.of(new SimDisk(new Random(1)), settings, EPOCH, MILLIS)
                .open();
        log = new PacketLog(allocator, LOG, CHUNK, PACKET, 4, 2 * CHUNK, position -> true, journal.goesOnAt());
        journal.feed(log, NOBODY, 0);
        reader = new LogReader(log);
        ReplayPages pages = new ReplayPages(allocator, budget.pool(Part.REPLAYS), new Counters(), () -> nanos);
        replay = new Replay(log, reader, pages, journal, 0);
    }

    @AfterEach
    void close() throws IOException {
        replay.end();
        reader.release();
        journal.close();
        log.close();
        assertThat(budget.pool(Part.REPLAYS).used()).isZero();
    }

    private void publishUpTo(long end) {
        while (log.endPosition() < end) {
            assertThat(log.makeReady()).isTrue();
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
            assertThat(journal.failure()).isNull();
        }
    }

    private Mark head() {
        Mark head = new Mark();
        log.head().read(head);
        return head;
    }

    private void assertStandsWhereItIsTold() {
        assertThat(reader.boundary().sequence()).isEqualTo(replay.wanted());
        assertThat(reader.position()).isEqualTo((replay.wanted() - 1) * FRAME);
    }

    /** The journal has gone on since the head was read, and the time that is asked for has not come. */
    @Test
    void aTimeThatHasNotComeIsTheHeadThatWasRead() {
        publishUpTo(10 * FRAME);
        write();
        Mark head = head();
        publishUpTo(20 * FRAME);
        write();
        assertThat(replay.begin(new Start(StartFrom.TIME, 1, Long.MAX_VALUE, Durability.TODAY), head))
                .isTrue();
        assertStandsWhereItIsTold();
    }

    /**
     * The log's oldest chunk begins within a packet, behind which a block of the journal begins, too: the log has the message,
     * and does not know where it lies.
     */
    @Test
    void aMessageInThePacketThatTheLogsOldestChunkCuts() {
        publishUpTo(CHUNK + 1);
        write();
        assertThat(journal.written().position()).isEqualTo(21 * FRAME);
        publishUpTo(LOG + 1);
        write();
        assertThat(log.tail()).isEqualTo(CHUNK);
        assertThat(replay.begin(new Start(StartFrom.SEQUENCE, 23, 0, Durability.TODAY), head()))
                .isTrue();
        assertStandsWhereItIsTold();
    }
}
