package dev.msgrelay.server.journal;

import static dev.msgrelay.server.journal.JournalRig.inspect;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.journal.disk.Disk;
import dev.msgrelay.server.journal.format.FileNames;
import dev.msgrelay.server.journal.format.IndexRecord;
import dev.msgrelay.server.journal.format.IndexRecord.Loss;
import dev.msgrelay.server.journal.format.JournalClock;
import dev.msgrelay.server.journal.format.JournalName;
import dev.msgrelay.server.journal.format.SegmentHeader;
import dev.msgrelay.server.journal.recover.Recovery;
import dev.msgrelay.server.journal.recover.Repair;
import dev.msgrelay.testing.ThisMachine;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever is changed on the disk: it is told, what is lost is named to the message, and nothing wrong is ever read.
 */
class JournalDamageTest {
    /** All bytes and lengths take minutes: each run takes one in so many, others each time. */
    private static final int STEP = (int) ThisMachine.setting("journal.step", 15);

    private static final int RANDOM_BYTES = 10_000;
    private static final int BYTES_AT_ONCE = 100;

    private static final JournalSettings SETTINGS = new JournalSettings(8192, 1L << 40, 1L << 40, 1_000_000);
    private static final JournalSettings SELDOM_FORCED = new JournalSettings(1 << 17, 1L << 40, 1L << 40, 1L << 60);

    private final Random random = Seeds.random("JournalDamageTest");
    private final SimDisk disk = new SimDisk(random);
    private final JournalRig rig = new JournalRig(disk, SETTINGS, random);

    /** Two lives, the first of which ended with a torn tail; several segments, all forced. */
    @BeforeEach
    void fill() throws IOException {
        rig.open();
        rig.write(150, 200);
        rig.kill();
        rig.open();
        rig.write(150, 200);
        rig.close();
        assertThat(inspect(disk).parts().size()).isGreaterThanOrEqualTo(4);
    }

    private JournalRig over(SimDisk other, JournalRig rig) {
        JournalRig same = new JournalRig(other, rig.settings, random);
        same.stream.addAll(rig.stream);
        return same;
    }

    /** What is there is read, what is not is told; then it is repaired, and the same holds, and a relay goes on. */
    private void survives(SimDisk damaged, String what) throws IOException {
        JournalRig there = over(damaged, rig);
        Recovery found = inspect(damaged);
        there.read(found, what);
        long lost = messages(found.damage().stream().filter(l -> l.sequence() > 0));
        Repair.all(damaged);
        // What is lost of an index may be a move; but nobody's messages are ever taken for known that are not.
        JournalRig.states(inspect(damaged)).forEach((name, state) -> {
            JournalName.State truth = rig.states(rig.stream.size()).get(name);
            assertThat(truth).as(what + ": " + name).isNotNull();
            if (truth.name().equals(state.name())) {
                assertThat(state.number()).as(what + ": " + name).isLessThanOrEqualTo(truth.number());
            }
        });
        Recovery repaired = inspect(damaged);
        assertThat(repaired.sound()).as(what + ": sound after the repair").isTrue();
        assertThat(messages(there.read(repaired, what + ": after the repair").stream()))
                .as(what + ": messages that are told to be lost")
                .isEqualTo(lost);
        if (!found.epochsDamaged()) {
            assertThat(repaired.endSequence())
                    .as(what + ": no number is given twice")
                    .isEqualTo(rig.stream.size() + 1);
        }
        there.open();
        there.append(10);
        there.close();
        there.read(inspect(damaged), what + ": with one more");
    }

    private static long messages(Stream<Loss> losses) {
        return losses.mapToLong(l -> l.endSequence() - l.sequence()).sum();
    }

    private int anyStep() {
        return 1 + random.nextInt(2 * STEP - 1);
    }

    private void readsNothingWrong(SimDisk damaged, String what) throws IOException {
        over(damaged, rig).read(inspect(damaged), what);
    }

    /** Each byte is changed, and read over; one in so many is also repaired, and a relay goes on. */
    @Tag("thorough")
    @Test
    void everyByteOfIndexesAndTables() throws IOException {
        int told = 0;
        int tried = 0;
        for (String name : disk.names()) {
            if (!name.endsWith(FileNames.INDEX) && !name.equals(FileNames.EPOCHS) && !name.equals(FileNames.NAMES)) {
                continue;
            }
            int length = disk.bytes(name).length;
            int next = random.nextInt(STEP);
            for (int at = 0; at < length; at++) {
                int bit = random.nextInt(8);
                String what = name + " byte " + at + " bit " + bit;
                disk.flip(name, at, bit);
                readsNothingWrong(disk, what);
                if (at == next) {
                    next += anyStep();
                    tried++;
                    told += inspect(disk).sound() ? 0 : 1;
                    survives(disk.copy(), what);
                }
                disk.flip(name, at, bit);
            }
        }
        assertThat(inspect(disk).sound()).isTrue();
        // The others are torn tails, or lie where nothing is.
        assertThat(told).as("told of %d", tried).isGreaterThan(tried / 20);
    }

    @Tag("thorough")
    @Test
    void bytesOfStreams() throws IOException {
        Recovery whole = inspect(disk);
        for (Recovery.Part part : whole.parts()) {
            String name = FileNames.stream(part.header().base());
            int used = (int) (part.endPosition() - part.header().base());
            for (int i = 0; i < 200; i++) {
                int at = random.nextInt(used);
                SimDisk damaged = disk.copy();
                damaged.flip(name, at, random.nextInt(8));
                assertTold(damaged, part.header().base() + at);
                survives(damaged, name + " byte " + at);
            }
        }
    }

    private static void assertTold(SimDisk damaged, Long... positions) throws IOException {
        List<Loss> told = inspect(damaged).damage();
        for (long position : positions) {
            assertThat(told)
                    .as("position %d", position)
                    .anyMatch(l -> l.position() <= position && position < l.endPosition());
        }
    }

    @Test
    void manyBytesOfStreams() throws IOException {
        List<Recovery.Part> parts = inspect(disk).parts();
        for (int flipped = 0; flipped < RANDOM_BYTES; flipped += BYTES_AT_ONCE) {
            SimDisk damaged = disk.copy();
            List<Long> positions = new ArrayList<>();
            for (int i = 0; i < BYTES_AT_ONCE; i++) {
                Recovery.Part part = parts.get(random.nextInt(parts.size()));
                long base = part.header().base();
                int at = random.nextInt((int) (part.endPosition() - base));
                if (!positions.contains(base + at)) {
                    damaged.flip(FileNames.stream(base), at, random.nextInt(8));
                    positions.add(base + at);
                }
            }
            assertTold(damaged, positions.toArray(Long[]::new));
            readsNothingWrong(damaged, flipped + " bytes so far");
        }
    }

    /** What was told in a crash to be behind what was forced is cut at a block's end, wherever the machine stopped. */
    @Test
    void aTailTornAtAnyLength() throws IOException {
        SimDisk torn = new SimDisk(random);
        JournalRig other = new JournalRig(torn, SELDOM_FORCED, random);
        other.open();
        for (int blocks = 0; blocks < 6; blocks++) {
            other.write(1, 100);
        }
        other.kill();
        Recovery whole = inspect(torn);
        assertThat(whole.endPosition()).isEqualTo(other.end());
        assertThat(whole.parts().size()).isEqualTo(1);
        for (String name : List.of(FileNames.index(0), FileNames.stream(0))) {
            boolean index = name.endsWith(FileNames.INDEX);
            int used = index
                    ? SegmentHeader.LENGTH + whole.parts().get(0).records() * IndexRecord.LENGTH
                    : (int) other.end();
            for (int to = index ? SegmentHeader.LENGTH : 0; to < used; to += anyStep()) {
                SimDisk cut = torn.copy();
                cut.cut(name, to);
                Recovery found = inspect(cut);
                String what = name + " cut to " + to;
                assertThat(found.sound()).as(what + ": " + found.damage()).isTrue();
                assertThat(found.endPosition()).as(what).isLessThan(other.end());
                over(cut, other).read(found, what);
            }
        }
    }

    @Test
    void namesOfATailThatIsTornBehindDamage() throws IOException {
        int both = 0;
        for (int i = 0; i < 60; i++) {
            SimDisk torn = new SimDisk(random);
            JournalRig there = new JournalRig(torn, SELDOM_FORCED, random);
            there.open();
            for (int blocks = 0; blocks < 8; blocks++) {
                if (blocks == 4) {
                    there.journal.wantForced(there.end());
                }
                there.write(3, 100);
            }
            there.kill();
            Recovery before = inspect(torn);
            int forced = (int) before.forcedPosition();
            int records = before.parts().get(0).records();
            torn.flip(FileNames.index(0), SegmentHeader.LENGTH + random.nextInt(records) * IndexRecord.LENGTH + 8, 0);
            torn.flip(FileNames.stream(0), forced + random.nextInt((int) there.end() - forced), 0);
            Recovery found = Repair.all(torn);
            both += found.damage().isEmpty() || found.cut().isEmpty() ? 0 : 1;
            Recovery repaired = inspect(torn);
            repaired.states()
                    .forEach(state ->
                            assertThat(state.sequence()).as(state.name().name()).isLessThan(repaired.endSequence()));
        }
        assertThat(both).isPositive();
    }

    /** Behind the records of each segment lie those of all others, as a file that is used again may have them. */
    @Test
    void recordsOfAnEarlierUse() throws IOException {
        Recovery whole = inspect(disk);
        for (Recovery.Part part : whole.parts()) {
            SimDisk used = disk.copy();
            int at = SegmentHeader.LENGTH + part.records() * IndexRecord.LENGTH;
            for (Recovery.Part other : whole.parts()) {
                if (other != part) {
                    byte[] old = disk.bytes(FileNames.index(other.header().base()));
                    int length = other.records() * IndexRecord.LENGTH;
                    ByteBuffer records = ByteBuffer.wrap(old, SegmentHeader.LENGTH, length);
                    used.open(FileNames.index(part.header().base())).write(at, records);
                    at += length;
                }
            }
            Recovery found = inspect(used);
            String what = "records of others behind those of " + part.header().base();
            assertThat(found.sound()).as(what).isTrue();
            assertThat(found.endPosition()).as(what).isEqualTo(whole.endPosition());
            assertThat(found.states()).as(what).containsExactlyInAnyOrderElementsOf(whole.states());
            readsNothingWrong(used, what);
        }
    }

    /**
     * A life's messages are torn off, down to the beginning of a segment; the next life uses the files again for the
     * same place, and the power goes before a byte of that is forced.
     */
    @Test
    void whatWasCutStaysGone() throws IOException {
        SimDisk another = new SimDisk(random);
        JournalRig there = new JournalRig(another, SETTINGS, random);
        there.open();
        there.close();
        another.killed();
        there.open();
        writeUnforced(there, 10);
        there.kill();
        String stream = FileNames.stream(0);
        String index = FileNames.index(0);
        byte[] cutStream = another.bytes(stream);
        byte[] cutIndex = another.bytes(index);
        another.flip(stream, 0, 0);
        there.open();
        assertThat(there.stream).as("torn off").isEmpty();
        writeUnforced(there, 20);
        there.kill();
        another.open(stream).write(0, ByteBuffer.wrap(cutStream));
        another.open(index).write(0, ByteBuffer.wrap(cutIndex));
        there.open();
        assertThat(there.journal.goesOnAt().sequence()).isEqualTo(1);
        there.gone();
    }

    private void writeUnforced(JournalRig there, int messages) {
        // No time passes, so this makes files ready, and forces nothing.
        there.journal.force(there.nanos, there.millis);
        for (int i = 0; i < messages; i++) {
            assertThat(there.append(random.nextInt(50))).isTrue();
        }
        assertThat(there.journal.write(there.nanos, there.millis)).isTrue();
        assertThat(there.journal.written().position()).isEqualTo(there.end());
    }

    /** Each step is marked, and by a clock without steps no time goes back. */
    @Test
    void aClockThatIsSetBack() throws IOException {
        SimDisk another = new SimDisk(random);
        JournalRig there = new JournalRig(another, SETTINGS, random);
        for (int life = 0; life < 3; life++) {
            there.open();
            there.write(50, 200);
            there.millis -= 3_600_000;
            there.write(50, 200);
            there.close();
            there.millis -= 3_600_000;
        }
        Recovery found = inspect(another);
        assertThat(found.sound()).isTrue();
        assertThat(found.parts())
                .extracting(part -> part.timeMillis() - part.skew())
                .isSorted();
        assertThat(found.stepCount()).as("three within lives, two between them").isEqualTo(5);
        assertThat(found.steps())
                .extracting(JournalClock.Step::millis)
                .allMatch(step -> Math.abs(step + 3_600_000) < JournalClock.STEP_MILLIS);
        assertThat(there.read(found, "at last")).isEmpty();
    }

    @Test
    void whatIsDroppedMeanwhile() throws IOException {
        Recovery found = Recovery.inspect(disk, Recovery.Depth.START);
        long second = found.parts().get(1).header().sequence();
        disk.remove(FileNames.stream(0));
        disk.remove(FileNames.index(0));
        List<Loss> losses = rig.read(found, "without the oldest");
        assertThat(losses).hasSize(1);
        assertThat(losses.get(0).sequence()).isEqualTo(1);
        assertThat(losses.get(0).endSequence()).isEqualTo(second);
    }

    /** A running relay drops segments, the oldest first, between any two looks that are taken at its directory. */
    @Test
    void whatIsDroppedBetweenTwoLooks() throws IOException {
        rig.open();
        rig.write(50, 200);
        rig.kill();
        SampleJournal.snapshot(disk, inspect(disk).parts().size() - 1);
        Recovery whole = inspect(disk);
        assertThat(whole.allSound()).isTrue();
        for (Recovery.Depth depth : Recovery.Depth.values()) {
            int all = whole.parts().size();
            for (int segments : List.of(1, all - 1, all)) {
                AtomicInteger looks = new AtomicInteger();
                for (int at = 1; at == 1 || at <= looks.get(); at++) {
                    String what = depth + ", " + segments + " dropped before look " + at;
                    Recovery found = Recovery.inspect(dropping(whole, segments, at, looks), depth);
                    assertThat(found.allSound()).as(what).isTrue();
                    if (!found.parts().isEmpty()) {
                        assertThat(found.endSequence()).as(what).isEqualTo(whole.endSequence());
                    }
                }
            }
        }
    }

    /**
     * The disk, from which the oldest segments go before a look, counted from the list of its files on. The last index
     * goes one look later.
     */
    private Disk dropping(Recovery whole, int segments, int at, AtomicInteger looks) {
        SimDisk dropping = disk.copy();
        List<String> files = new ArrayList<>();
        for (Recovery.Part part : whole.parts().subList(0, segments)) {
            files.add(FileNames.stream(part.header().base()));
            files.add(FileNames.index(part.header().base()));
        }
        String last = files.remove(files.size() - 1);
        looks.set(0);
        boolean[] listed = new boolean[1];
        InvocationHandler handler = (proxy, method, args) -> {
            int look = listed[0] ? looks.incrementAndGet() : 0;
            if (look == at) {
                files.forEach(dropping::remove);
            } else if (look == at + 1) {
                dropping.remove(last);
            }
            listed[0] |= method.getName().equals("names");
            try {
                return method.invoke(dropping, args);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        };
        return (Disk) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {Disk.class}, handler);
    }

    @Test
    void filesThatAreMissing() throws IOException {
        for (String name : disk.names()) {
            if (FileNames.base(name) >= 0 || name.equals(FileNames.EPOCHS)) {
                SimDisk damaged = disk.copy();
                damaged.remove(name);
                assertThat(Recovery.inspect(damaged, Recovery.Depth.START).sound())
                        .as(name + " is missing")
                        .isFalse();
                assertThatIOException()
                        .isThrownBy(() -> JournalRig.open(damaged, SETTINGS))
                        .withMessageContaining("journal repair");
                survives(damaged, "without " + name);
            }
        }
    }

    @Test
    void lastFilesCutAtAnyLength() throws IOException {
        Recovery whole = inspect(disk);
        long base = whole.parts().get(whole.parts().size() - 1).header().base();
        for (String name : List.of(FileNames.index(base), FileNames.stream(base))) {
            int length = disk.bytes(name).length;
            for (int to = 0; to < length; to += anyStep()) {
                SimDisk damaged = disk.copy();
                damaged.cut(name, to);
                readsNothingWrong(damaged, name + " cut to " + to);
            }
        }
    }

    @Test
    void randomBytes() throws IOException {
        for (int i = 0; i < 100; i++) {
            SimDisk damaged = disk.copy();
            List<String> names = damaged.names();
            for (int n = 1 + random.nextInt(5); n > 0; n--) {
                String name = names.get(random.nextInt(names.size()));
                int length = damaged.bytes(name).length;
                int from = random.nextInt(length);
                byte[] noise = new byte[1 + random.nextInt(Math.min(600, length - from))];
                random.nextBytes(noise);
                damaged.open(name).write(from, ByteBuffer.wrap(noise));
            }
            readsNothingWrong(damaged, "round " + i);
        }
    }

    /** A frame of a block is changed, and the block's sum is right again. */
    @ParameterizedTest
    @ValueSource(strings = {"length -1", "length too long", "reserved type", "one message less"})
    void framesThatNoReaderPasses(String what) throws IOException {
        SegmentHeader header = inspect(disk).parts().get(1).header();
        String index = FileNames.index(header.base());
        String stream = FileNames.stream(header.base());
        ByteBuffer records = ByteBuffer.wrap(disk.bytes(index));
        int at = SegmentHeader.LENGTH;
        while (!(IndexRecord.read(records, at, header.seed()) instanceof IndexRecord block)
                || block.kind() != IndexRecord.Kind.BLOCK) {
            at += IndexRecord.LENGTH;
        }
        int from = (int) (block.position() - header.base());
        ByteBuffer frames = ByteBuffer.wrap(disk.bytes(stream)).slice(from, (int) block.bytes());
        int first = frames.getInt(4);
        switch (what) {
            case "length -1" -> frames.putInt(4, -1);
            case "length too long" -> frames.putInt(4, Integer.MAX_VALUE);
            case "reserved type" -> frames.putInt(0, ControlFrames.HELLO);
            // The first one has the second one within.
            default -> frames.putInt(4, first + 8 + frames.getInt(8 + first + 4));
        }
        CRC32C crc = new CRC32C();
        crc.update(frames.duplicate());
        IndexRecord sealed = new IndexRecord(
                block.kind(),
                (int) crc.getValue(),
                block.position(),
                block.sequence(),
                block.endPosition(),
                block.endSequence(),
                block.timeMillis(),
                block.skew());
        sealed.put(records.position(at), header.seed());
        disk.open(stream).write(from, frames);
        disk.open(index).write(0, records.rewind());
        List<Loss> damage = inspect(disk).damage();
        assertThat(damage).hasSize(1);
        assertThat(damage.get(0).why()).contains(".stream: the bytes of record ", " are no whole messages");
        survives(disk, what);
    }

    @Test
    void aLossIsNamedToTheMessage() throws IOException {
        Recovery whole = inspect(disk);
        Recovery.Part second = whole.parts().get(1);
        disk.flip(FileNames.stream(second.header().base()), 0, 0);
        Loss loss = inspect(disk).damage().get(0);
        assertThat(loss.position()).isEqualTo(second.header().base());
        assertThat(loss.sequence()).isEqualTo(second.header().sequence());
        assertThat(rig.stream.get((int) loss.endSequence() - 2).end()).isEqualTo(loss.endPosition());
        assertThat(loss.description()).contains("messages " + loss.sequence() + " to " + (loss.endSequence() - 1));
    }
}
