package dev.msgrelay.server.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.journal.JournalRig.Message;
import dev.msgrelay.server.journal.format.FileNames;
import dev.msgrelay.server.journal.format.IndexRecord;
import dev.msgrelay.server.journal.format.SegmentHeader;
import dev.msgrelay.server.journal.read.BlockReader;
import dev.msgrelay.server.journal.read.BlockReader.Found;
import dev.msgrelay.server.journal.recover.Recovery;
import dev.msgrelay.server.stream.Mark;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is read of a journal that is written to, dropped and damaged meanwhile: every byte as it was published. */
class BlockReaderTest {
    private static final int SEGMENT = 8 << 10;
    private static final long KEEP = JournalSettings.UNLIMITED;

    private final Random random = Seeds.random("BlockReaderTest");
    private final SimDisk disk = new SimDisk(random);
    private JournalRig rig;

    private JournalRig open(long keep) throws IOException {
        rig = new JournalRig(disk, new JournalSettings(SEGMENT, keep, JournalSettings.UNLIMITED, 1), random);
        rig.open();
        return rig;
    }

    @AfterEach
    void close() throws IOException {
        if (rig != null && rig.log != null) {
            rig.close();
        }
    }

    private BlockReader feed() {
        return rig.journal.newBlockReader(ByteBuffer.allocate(BlockReader.RECORD_BYTES));
    }

    private BlockReader feed(long sequence) {
        BlockReader feed = feed();
        feed.seek(sequence);
        return feed;
    }

    private void assertBytes(ByteBuffer bytes, Mark from, Mark to) {
        int at = 0;
        for (long sequence = from.sequence(); sequence < to.sequence(); sequence++) {
            Message message = rig.stream.get((int) sequence - 1);
            assertThat(from.position() + at).as("position of %d", sequence).isEqualTo(message.position());
            ByteBuffer frame =
                    new Frames().frame(message.type(), message.body()).buffer();
            assertThat(bytes.slice(at, frame.limit()))
                    .as("message %d", sequence)
                    .isEqualTo(frame);
            at += frame.limit();
        }
        assertThat(from.position() + at).isEqualTo(to.position());
    }

    /** Reads on to the end of what is written; each range that was not there, in order. */
    private List<String> readAll(BlockReader feed, int room) {
        List<String> missing = new ArrayList<>();
        ByteBuffer into = ByteBuffer.allocate(room);
        while (true) {
            Found found = feed.next(into);
            switch (found) {
                case ALL_READ -> {
                    return missing;
                }
                case BLOCKS -> assertBytes(into, feed.at(), feed.foundEnd());
                case LONGER -> {
                    into = ByteBuffer.allocate((int) feed.needed());
                    continue;
                }
                default ->
                    missing.add(found + " " + feed.at().sequence() + ".."
                            + (feed.foundEnd().sequence() - 1));
            }
            assertThat(feed.foundEnd().position()).isGreaterThan(feed.at().position());
            feed.pass();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 700, 5000, 100_000})
    void everythingFromTheFirstMessageOn(int room) throws Exception {
        open(KEEP).write(2000, 400);
        BlockReader feed = feed(1);
        assertThat(feed.at().position()).isZero();
        assertThat(readAll(feed, room)).isEmpty();
        assertThat(feed.at().sequence()).isEqualTo(2001);
        // What comes later is there at the next look.
        rig.write(100, 300);
        assertThat(readAll(feed, room)).isEmpty();
        assertThat(feed.at().sequence()).isEqualTo(2101);
    }

    @Test
    void fromEveryMessageOn() throws Exception {
        open(KEEP).write(700, 200);
        rig.close();
        rig.open();
        rig.write(500, 200);
        BlockReader feed = feed();
        for (long sequence = 1; sequence <= 1200; sequence += 1 + random.nextInt(20)) {
            feed.seek(sequence);
            assertThat(feed.at().sequence()).isLessThanOrEqualTo(sequence);
            ByteBuffer into = ByteBuffer.allocate(SEGMENT);
            assertThat(feed.next(into)).isEqualTo(Found.BLOCKS);
            assertBytes(into, feed.at(), feed.foundEnd());
            assertThat(feed.foundEnd().sequence()).as("from %d on", sequence).isGreaterThan(sequence);
        }
        feed.seek(1201);
        assertThat(feed.at().sequence()).isEqualTo(1201);
        assertThat(feed.next(ByteBuffer.allocate(SEGMENT))).isEqualTo(Found.ALL_READ);
    }

    /** Ten messages a second; answers the time of each second. */
    private List<Long> writeForSeconds(int seconds) {
        List<Long> times = new ArrayList<>();
        for (int i = 0; i < seconds; i++) {
            rig.millis += 1000;
            times.add(rig.millis);
            rig.write(10, 300);
        }
        return times;
    }

    @Test
    void fromATimeOn() throws Exception {
        open(KEEP);
        List<Long> times = writeForSeconds(60);
        BlockReader feed = feed();
        for (int i = 0; i < 60; i++) {
            feed.seekTime(times.get(i));
            assertThat(feed.at().sequence()).as("second %d", i).isEqualTo(10L * i + 1);
        }
        for (long before : new long[] {1, times.get(0) - 100_000}) {
            feed.seekTime(before);
            assertThat(feed.at().sequence()).isEqualTo(1);
        }
        for (long future : new long[] {rig.millis + 1, Long.MAX_VALUE}) {
            feed.seekTime(future);
            assertThat(feed.at().sequence()).isEqualTo(601);
        }
    }

    @Test
    void anEmptyJournalHasNothing() throws Exception {
        open(KEEP);
        BlockReader feed = feed(1);
        assertThat(feed.at().sequence()).isEqualTo(1);
        assertThat(feed.next(ByteBuffer.allocate(100))).isEqualTo(Found.ALL_READ);
        feed.seekTime(rig.millis);
        assertThat(feed.at().sequence()).isEqualTo(1);
        assertThat(rig.journal.hasBefore(1)).isFalse();
    }

    @Test
    void retentionIsTold() throws Exception {
        open(4L * SEGMENT);
        BlockReader feed = feed(1);
        ByteBuffer into = ByteBuffer.allocate(3000);
        long dropped = 0;
        for (int i = 0; i < 4000; i++) {
            if (random.nextInt(4) > 0) {
                rig.append(random.nextInt(400));
                rig.step();
                continue;
            }
            Found found = feed.next(into);
            if (found == Found.BLOCKS) {
                assertBytes(into, feed.at(), feed.foundEnd());
            } else if (found == Found.DROPPED) {
                dropped++;
                assertThat(feed.foundEnd().position()).isGreaterThan(feed.at().position());
            } else {
                assertThat(found).isIn(Found.ALL_READ, Found.LONGER);
            }
            if (found == Found.LONGER) {
                into = ByteBuffer.allocate((int) feed.needed());
            } else if (found != Found.ALL_READ) {
                feed.pass();
            }
        }
        assertThat(dropped).isPositive();
        assertThat(readAll(feed, 3000)).hasSizeLessThanOrEqualTo(1);
        assertThat(feed.at().sequence()).isEqualTo(rig.stream.size() + 1L);
    }

    @Test
    void bytesOfAnotherUseOfAFileAreNeverHandedOn() throws Exception {
        open(3L * SEGMENT).write(300, 200);
        int wrong = 0;
        for (int i = 0; i < 100; i++) {
            BlockReader feed = feed(1);
            int[] reads = {random.nextInt(3)};
            disk.duringRead(() -> {
                if (reads[0]-- == 0) {
                    rig.write(100 + random.nextInt(300), 200);
                }
                return false;
            });
            ByteBuffer into = ByteBuffer.allocate(SEGMENT);
            Found found = feed.next(into);
            disk.duringRead(() -> false);
            if (found == Found.BLOCKS) {
                assertBytes(into, feed.at(), feed.foundEnd());
            } else {
                assertThat(found).isEqualTo(Found.DROPPED);
                wrong++;
            }
        }
        assertThat(wrong).isPositive();
    }

    /** Who comes between two steps of the retention finds a file gone: that is no damage. */
    @Test
    void aSegmentThatIsJustBeingDropped() throws Exception {
        open(3L * SEGMENT).write(300, 200);
        List<Found> found = new ArrayList<>();
        disk.duringRename(() -> {
            BlockReader feed = feed(1);
            found.add(feed.next(ByteBuffer.allocate(SEGMENT)));
        });
        rig.write(100, 200);
        disk.duringRename(() -> {});
        assertThat(found).isNotEmpty().containsOnly(Found.BLOCKS);
    }

    @Test
    void aFlippedBitCostsItsBlockAlone() throws Exception {
        open(KEEP).write(1000, 200);
        List<String> streams = JournalRig.files(disk, FileNames.STREAM);
        for (int i = 0; i < 40; i++) {
            String name = streams.get(random.nextInt(streams.size() - 1));
            long base = FileNames.base(name);
            long next = FileNames.base(streams.get(streams.indexOf(name) + 1));
            int at = random.nextInt((int) (next - base));
            int bit = random.nextInt(8);
            disk.flip(name, at, bit);
            BlockReader feed = feed(1);
            List<String> missing = readAll(feed, 2500);
            assertThat(missing).hasSize(1);
            assertThat(missing.get(0)).startsWith("DAMAGE");
            long hit = sequenceAt(base + at);
            String[] range = missing.get(0).substring("DAMAGE ".length()).split("\\.\\.");
            assertThat(hit).isBetween(Long.parseLong(range[0]), Long.parseLong(range[1]));
            disk.flip(name, at, bit);
        }
    }

    private long sequenceAt(long position) {
        for (int i = 0; i < rig.stream.size(); i++) {
            if (rig.stream.get(i).end() > position) {
                return i + 1L;
            }
        }
        throw new AssertionError("nothing at " + position);
    }

    @Test
    void damagedRecordsAndFilesThatAreGone() throws Exception {
        open(KEEP).write(1000, 200);
        List<String> names = JournalRig.files(disk, FileNames.INDEX);
        for (int i = 0; i < 60; i++) {
            String name = names.get(random.nextInt(names.size()));
            // Behind the header: a start of the relay looks at that.
            int at = SegmentHeader.LENGTH + random.nextInt(disk.bytes(name).length - SegmentHeader.LENGTH);
            disk.flip(name, at, 3);
            BlockReader feed = feed(1 + random.nextInt(1000));
            assertThat(readAll(feed, 2500)).hasSizeLessThanOrEqualTo(1).allMatch(m -> m.startsWith("DAMAGE"));
            assertThat(feed.at().sequence()).isEqualTo(1001);
            disk.flip(name, at, 3);
        }
        disk.remove(names.get(1));
        disk.remove(names.get(3).replace(".index", ".stream"));
        BlockReader feed = feed(1);
        List<String> missing = readAll(feed, 2500);
        assertThat(missing).isNotEmpty().allMatch(m -> m.startsWith("DAMAGE"));
        assertThat(feed.at().sequence()).isEqualTo(1001);
    }

    @Test
    void aStartByTimeDoesNotPassOverDamage() throws Exception {
        open(KEEP);
        List<Long> times = writeForSeconds(40);
        int told = 0;
        for (String name : JournalRig.files(disk, FileNames.INDEX)) {
            for (int at = SegmentHeader.LENGTH; at < disk.bytes(name).length; at += IndexRecord.LENGTH) {
                disk.flip(name, at + 8, 3);
                for (int i = 0; i < 40; i++) {
                    BlockReader feed = feed();
                    feed.seekTime(times.get(i));
                    long from = feed.at().sequence();
                    assertThat(from).as("second %d", i).isLessThanOrEqualTo(10L * i + 1);
                    if (from < 10L * i + 1) {
                        // All of it is told to be damaged.
                        told++;
                        assertThat(feed.next(ByteBuffer.allocate(SEGMENT))).isEqualTo(Found.DAMAGE);
                        assertThat(feed.foundEnd().sequence()).isEqualTo(10L * i + 1);
                    }
                }
                disk.flip(name, at + 8, 3);
            }
        }
        assertThat(told).isPositive();
    }

    @Test
    void aDiskThatDoesNotAnswerIsDamageAndTold() throws Exception {
        open(KEEP).write(500, 200);
        disk.duringRead(() -> {
            throw new IOException("Input/output error");
        });
        BlockReader feed = feed(1);
        assertThat(readAll(feed, 2500)).isNotEmpty().allMatch(m -> m.startsWith("DAMAGE"));
        assertThat(feed.at().sequence()).isEqualTo(501);
        // Who stands at the end finds no damage that it has been told of already.
        feed.seek(501);
        assertThat(feed.next(ByteBuffer.allocate(2500))).isEqualTo(Found.ALL_READ);
        disk.duringRead(() -> false);
    }

    // ---- a check of a directory that a relay writes to, and drops segments from, while each byte is read ------------

    @Test
    void whatTheRelayDropsDuringACheckIsNoDamage() throws IOException {
        open(6L * SEGMENT).write(400, 200);
        int dropped = 0;
        for (int round = 0; round < 30; round++) {
            long oldest = rig.oldest().position();
            int most = 1 + random.nextInt(40);
            disk.duringRead(() -> {
                rig.write(random.nextInt(most + 1), 200);
                return false;
            });
            Recovery found = JournalRig.inspect(disk);
            disk.duringRead(() -> false);
            assertThat(found.damage()).as("round %d", round).isEmpty();
            assertThat(found.asideFiles()).as("round %d", round).isEmpty();
            assertThat(found.namesDamaged()).as("round %d", round).isFalse();
            assertThat(found.sound()).as("round %d", round).isTrue();
            assertThat(found.endPosition()).isGreaterThanOrEqualTo(found.startPosition());
            dropped += rig.oldest().position() > oldest ? 1 : 0;
        }
        assertThat(dropped).as("rounds in which a segment was dropped").isPositive();
    }

    /** A segment that is damaged and still there when it has been read. */
    @Test
    void damageIsFoundBesideARelay() throws IOException {
        open(6L * SEGMENT).write(400, 200);
        long damaged = disk.names().stream()
                .mapToLong(FileNames::base)
                .filter(base -> base > rig.oldest().position())
                .findFirst()
                .orElseThrow();
        disk.flip(FileNames.stream(damaged), random.nextInt(1000), random.nextInt(8));
        disk.duringRead(() -> {
            rig.step();
            return false;
        });
        Recovery found = JournalRig.inspect(disk);
        disk.duringRead(() -> false);
        assertThat(found.sound()).isFalse();
        assertThat(found.damage()).hasSize(1);
        assertThat(found.damage().get(0).why()).startsWith(FileNames.stream(damaged));
    }
}
