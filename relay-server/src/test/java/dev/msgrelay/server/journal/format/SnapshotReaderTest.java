package dev.msgrelay.server.journal.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.journal.SimDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A block between two others that is one message, longer than the memory of those who read it. */
class SnapshotReaderTest {
    private static final int LONG = 2 << 20;
    private static final int PAGE = SnapshotWriter.MEMORY_BYTES;

    private static SimDisk snapshot(Random random) throws IOException {
        SimDisk disk = new SimDisk(random);
        SnapshotWriter writer = new SnapshotWriter(disk, TypeRanges.ALL, ByteBuffer.allocateDirect(PAGE));
        for (int number = 50; number > 20; number -= 10) {
            ByteBuffer frame =
                    new Frames().frame(number, number == 40 ? LONG : 30).buffer();
            writer.add(number, frame, 0, frame.remaining());
        }
        writer.finish(new SegmentHeader(4711, 10_000, 60, 0, 0, 0), 0, 0, 1 << 30);
        writer.replace();
        return disk;
    }

    /** Reads all blocks; returns the offset of each. */
    private static List<Long> read(SimDisk disk, boolean oldestFirst) throws IOException {
        List<Long> blocks = new ArrayList<>();
        ByteBuffer page = ByteBuffer.allocate(PAGE);
        try (SnapshotReader reader = new SnapshotReader(disk, oldestFirst)) {
            for (int length = reader.next(); length > 0; length = reader.next()) {
                blocks.add(reader.at());
                if (length > PAGE) {
                    reader.check(page);
                } else {
                    reader.read(page);
                }
            }
        }
        return blocks;
    }

    private static void assertDamaged(SimDisk disk, int at, int bit) {
        disk.flip(FileNames.STATE, at, bit);
        for (boolean oldestFirst : new boolean[] {true, false}) {
            assertThatThrownBy(() -> read(disk, oldestFirst))
                    .as("bit %d of byte %d", bit, at)
                    .isInstanceOf(SnapshotFile.Unsound.class);
        }
        disk.flip(FileNames.STATE, at, bit);
    }

    /** A header that was changed may name a long message, too, where a short one is. */
    @Test
    void aBlockIsBelievedForItsSum() throws Exception {
        Random random = Seeds.random("SnapshotReaderTest");
        SimDisk disk = snapshot(random);
        List<Long> blocks = read(disk, false);
        assertThat(blocks).hasSize(3);
        assertThat(read(disk, true)).containsExactly(blocks.get(2), blocks.get(1), blocks.get(0));
        for (long block : blocks) {
            int lengthAt = (int) block + 28;
            for (int at = (int) block; at < block + SnapshotFile.BLOCK_HEADER + 16; at++) {
                assertDamaged(disk, at, random.nextInt(8));
            }
            for (int bit = 0; bit < Integer.SIZE; bit++) {
                assertDamaged(disk, lengthAt + bit / 8, bit % 8);
            }
        }
        for (int i = 0; i < 10; i++) {
            assertDamaged(disk, (int) (blocks.get(1) + SnapshotFile.BLOCK_HEADER + random.nextInt(LONG)), i % 8);
        }
    }

    /** A right sum over a wrong message: a faulty writer. */
    @Test
    void aLongBlockHasOneMessage() throws Exception {
        SimDisk disk = new SimDisk(Seeds.random("SnapshotReaderTest one"));
        SnapshotWriter writer = new SnapshotWriter(disk, TypeRanges.ALL, ByteBuffer.allocateDirect(PAGE));
        ByteBuffer frame = new Frames().frame(7, LONG).buffer();
        frame.putInt(4, LONG - 1);
        writer.add(40, frame, 0, frame.remaining());
        writer.finish(new SegmentHeader(4711, 10_000, 60, 0, 0, 0), 0, 0, 1 << 30);
        writer.replace();
        assertThatThrownBy(() -> read(disk, true)).isInstanceOf(SnapshotFile.Unsound.class);
    }
}
