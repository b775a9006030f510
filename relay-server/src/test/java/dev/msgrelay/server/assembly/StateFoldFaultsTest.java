package dev.msgrelay.server.assembly;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.journal.JournalSettings;
import dev.msgrelay.server.journal.SimDisk;
import dev.msgrelay.server.journal.disk.Disk;
import dev.msgrelay.server.journal.format.FileNames;
import dev.msgrelay.server.journal.format.SnapshotFile;
import dev.msgrelay.server.journal.format.SnapshotWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * What the next snapshot has where the disk, the journal or the last snapshot has a fault, and what people are told.
 */
class StateFoldFaultsTest {
    private static final String FRESH = FileNames.STATE + Disk.FRESH;

    private static SnapshotRig rig(Random random) throws IOException {
        return new SnapshotRig(new SimDisk(random), JournalSettings.UNLIMITED);
    }

    /** A fault that passes is not taken for damage; one that stays is. */
    @Test
    void damageOfTheJournal() throws Exception {
        Random random = Seeds.random("StateFoldTest damage");
        SnapshotRig rig = rig(random).start();
        rig.publish(random, 900, 12, 60);
        rig.settle();
        boolean[] wrong = {true};
        rig.disk.duringRead(() -> wrong[0]);
        rig.fold();
        assertThat(rig.disk.has(FileNames.STATE)).isFalse();
        wrong[0] = false;
        rig.fold();
        assertThat(rig.disk.has(FileNames.STATE)).as("it waits").isFalse();
        rig.nanos += 10_000_000_000L;
        rig.fold();
        assertThat(rig.snapshot("passed").forgotten()).isZero();
        rig.publish(random, 900, 12, 60);
        rig.settle();
        SnapshotFile before = rig.snapshot("before");
        rig.disk.flip(FileNames.stream(before.position()), 100, 3);
        rig.fold();
        assertThat(rig.snapshot("the first time")).isEqualTo(before);
        rig.nanos += 10_000_000_000L;
        rig.fold();
        SnapshotFile after = rig.snapshot("the second time");
        assertThat(after.forgotten()).isGreaterThanOrEqualTo(before.sequence());
        rig.kill();
        rig.start().check("damage");
        rig.close();
    }

    /** Damage of the last snapshot: the next one is made of the journal. */
    @Test
    void damageOfTheLastSnapshot() throws Exception {
        Random random = Seeds.random("StateFoldTest damaged snapshot");
        SnapshotRig rig = rig(random).start();
        rig.publish(random, 900, 12, 60);
        rig.settle();
        rig.fold();
        rig.disk.flip(FileNames.STATE, rig.disk.bytes(FileNames.STATE).length / 2, 3);
        rig.publish(random, 900, 6, 60);
        rig.settle();
        rig.fold();
        assertThat(rig.snapshot("next").forgotten()).isZero();
        rig.close();
    }

    /** What was read before the damage counts, where the journal has no more than that. */
    @Test
    void damageBehindTheFirstBlockOfTheLastSnapshot() throws Exception {
        Random random = Seeds.random("StateFoldTest damaged block");
        SnapshotRig rig = rig(random);
        rig.size = 8 << 20;
        rig.start();
        rig.publish(random, 3000, 2000, SnapshotRig.MAX_BODY);
        rig.settle();
        rig.fold();
        SnapshotFile first = rig.snapshot("first");
        assertThat(first.length()).as("two blocks").isGreaterThan(3 << 19);
        rig.kill();
        rig.dropFirst(first.position());
        rig.start().check("restarted");
        rig.publish(random, 3000, 50, SnapshotRig.MAX_BODY);
        rig.settle();
        rig.disk.flip(FileNames.STATE, (int) first.length() - 100, 3);
        rig.fold();
        SnapshotFile next = rig.snapshot("next");
        assertThat(next.sequence()).isGreaterThan(first.sequence());
        assertThat(next.messages()).as("what the sound blocks had").isGreaterThan(500);
        assertThat(next.forgotten()).isLessThan(first.sequence() - 1).isPositive();
        rig.kill();
        rig.dropFirst(next.position());
        rig.start().check("damaged block");
        assertThat(rig.used).contains(next);
        assertThat(rig.figures.forgottenValue()).isEqualTo(next.forgotten());
        rig.close();
    }

    /** An attempt that fails behind the damage: the next one reads the sound blocks again. */
    @Test
    void aFailureBehindTheDamage() throws Exception {
        Random random = Seeds.random("StateFoldTest failure behind damage");
        SnapshotRig rig = rig(random);
        rig.size = 8 << 20;
        rig.start();
        rig.publish(random, 3000, 2000, SnapshotRig.MAX_BODY);
        rig.settle();
        rig.fold();
        SnapshotFile first = rig.snapshot("first");
        rig.kill();
        rig.dropFirst(first.position());
        rig.start().check("restarted");
        rig.publish(random, 3000, 50, SnapshotRig.MAX_BODY);
        rig.settle();
        rig.disk.flip(FileNames.STATE, (int) first.length() - 100, 3);
        while (rig.warnings.isEmpty()) {
            assertThat(rig.fold.step(rig.nanos)).isTrue();
        }
        assertThat(rig.warnings).singleElement().asString().contains("damaged");
        rig.disk.full(true);
        rig.fold();
        rig.disk.full(false);
        rig.nanos += 10_000_000_000L;
        rig.fold();
        SnapshotFile next = rig.snapshot("next");
        assertThat(next.sequence()).isGreaterThan(first.sequence());
        assertThat(next.messages()).as("what the sound blocks had").isGreaterThan(500);
        assertThat(rig.warnings).as("the loss and the failure").hasSize(2);
        rig.close();
    }

    /** A fault of the disk that stays: the last snapshot cannot be read, and is not damaged. */
    @Test
    void theLastSnapshotCannotBeRead() throws Exception {
        Random random = Seeds.random("StateFoldTest unreadable snapshot");
        SnapshotRig rig = rig(random).start();
        rig.publish(random, 900, 12, 60);
        rig.settle();
        rig.fold();
        SnapshotFile first = rig.snapshot("first");
        rig.publish(random, 900, 6, 60);
        rig.settle();
        rig.disk.unreadable(FileNames.STATE);
        rig.fold();
        assertThat(rig.fold.figures().sequence()).isEqualTo(first.sequence() - 1);
        rig.nanos += 10_000_000_000L;
        rig.fold();
        assertThat(rig.fold.figures().sequence()).isGreaterThan(first.sequence());
        assertThat(rig.snapshot("next").forgotten()).isZero();
        rig.close();
    }

    @Test
    void withoutRoomItIsTriedAgain() throws Exception {
        Random random = Seeds.random("StateFoldTest full");
        SnapshotRig rig = rig(random).start();
        rig.publish(random, 900, 12, 60);
        rig.settle();
        boolean[] full = {true};
        rig.disk.duringWrite(() -> rig.disk.full(full[0]));
        rig.fold();
        assertThat(rig.disk.names()).doesNotContain(FileNames.STATE, FRESH);
        full[0] = false;
        rig.disk.full(false);
        rig.nanos += 10_000_000_000L;
        rig.fold();
        assertThat(rig.snapshot("with room").forgotten()).isZero();
        rig.close();
    }

    private static void assertNoRoom(SnapshotRig rig, SnapshotFile there) throws IOException {
        rig.fold();
        assertThat(rig.disk.has(FRESH)).isFalse();
        assertThat(rig.snapshot("before")).isEqualTo(there);
        rig.nanos += 10_000_000_000L;
    }

    /**
     * No snapshot is begun without room for it and for the journal's next segment, and none takes the segment's room.
     */
    @Test
    void theJournalKeepsItsRoom() throws Exception {
        Random random = Seeds.random("StateFoldTest room");
        SnapshotRig rig = rig(random).start();
        rig.publish(random, 900, 60, 60);
        rig.settle();
        rig.fold();
        SnapshotFile first = rig.snapshot("first");
        rig.publish(random, 900, 60, 60);
        rig.settle();
        // Until the files of the segment behind the next one cannot be made.
        rig.disk.noHandles(true);
        for (int i = 0; rig.journal.nextSegmentBytes() == 0; i++) {
            assertThat(i).as("tens of messages").isLessThan(100);
            rig.publish(random, 10, 60, 60);
            rig.settle();
        }
        rig.disk.noHandles(false);
        int[] writes = {0};
        rig.disk.duringWrite(() -> writes[0]++);
        long segment = rig.journal.nextSegmentBytes();
        long needed = segment + first.length();
        rig.disk.capacity(rig.disk.used() + needed - 1);
        assertNoRoom(rig, first);
        assertThat(writes[0]).isZero();
        assertThat(rig.warnings).singleElement().asString().contains((needed - 1) + " bytes free, and " + needed);
        rig.disk.capacity(rig.disk.used() + needed);
        assertThat(rig.fold.step(rig.nanos)).as("it has begun").isTrue();
        rig.disk.capacity(rig.disk.used() + segment - 1);
        assertNoRoom(rig, first);
        // Once the files are made, their room is not needed again.
        rig.disk.capacity(rig.disk.used() + segment);
        rig.settle();
        assertThat(rig.journal.nextSegmentBytes()).isZero();
        rig.disk.capacity(rig.disk.used() + first.length() - 1);
        assertNoRoom(rig, first);
        rig.disk.capacity(rig.disk.used() + first.length() + 4096);
        rig.fold();
        SnapshotFile next = rig.snapshot("with room");
        assertThat(next.sequence()).isGreaterThan(first.sequence());
        assertThat(next.forgotten()).isZero();
        rig.close();
    }

    /** A failure, a loss of the last snapshot and one of messages: none keeps another from being said. */
    @Test
    void eachLossIsTold() throws Exception {
        Random random = Seeds.random("StateFoldTest warnings");
        SnapshotRig rig = rig(random).start();
        rig.publish(random, 900, 12, 60);
        rig.settle();
        rig.fold();
        rig.publish(random, 900, 12, 60);
        rig.settle();
        rig.disk.full(true);
        rig.fold();
        assertThat(rig.warnings).singleElement().asString().contains("cannot be written", "every 10 s");
        rig.disk.full(false);
        rig.nanos += 10_000_000_000L;
        rig.disk.flip(FileNames.STATE, rig.disk.bytes(FileNames.STATE).length / 2, 3);
        rig.fold();
        SnapshotFile next = rig.snapshot("next");
        assertThat(rig.warnings).hasSize(2);
        assertThat(rig.warnings.get(1)).contains("is damaged at byte", "all before message 1 is forgotten");
        rig.publish(random, 900, 12, 60);
        rig.settle();
        rig.disk.flip(FileNames.stream(next.position()), 100, 3);
        rig.fold();
        assertThat(rig.warnings).as("a failure, as the first one").hasSize(2);
        rig.nanos += 10_000_000_000L;
        rig.fold();
        assertThat(rig.warnings).hasSize(3);
        long lost = rig.snapshot("damaged journal").forgotten();
        assertThat(rig.warnings.get(2)).contains("message " + lost + " still cannot be read");
        rig.close();
    }

    /** Puts a snapshot of one long message, the last one before its end, in the place of the last snapshot. */
    private static SnapshotFile putLong(SnapshotRig rig, int body) throws IOException {
        SnapshotFile made = rig.snapshot("in whose place it is");
        SnapshotWriter writer =
                new SnapshotWriter(rig.disk, made.types(), ByteBuffer.allocateDirect(SnapshotWriter.MEMORY_BYTES));
        ByteBuffer frame = new Frames().frame(99, body).buffer();
        long number = made.sequence() - 1;
        writer.add(number, frame, 0, frame.remaining());
        SnapshotFile put = writer.finish(
                rig.journal.segmentAt(made.position()).orElseThrow(), number - 1, number - 1, made.size());
        writer.replace();
        return put;
    }

    /** A message that is too long for the memory is forgotten with all before it, but only if it is sound. */
    @Test
    void aLongMessageIsBelievedForItsSum() throws Exception {
        Random random = Seeds.random("StateFoldTest long block");
        SnapshotRig rig = rig(random).start();
        rig.publish(random, 900, 12, 60);
        rig.settle();
        rig.fold();
        SnapshotRig longer = rig.copy();
        SnapshotFile put = putLong(rig, 3 << 20);
        long number = put.sequence() - 1;
        int inBody = 1 << 20;

        SnapshotRig sound = rig.copy().start().check("sound");
        assertThat(sound.used).contains(put);
        assertThat(sound.figures.forgottenValue()).isEqualTo(number);
        sound.publish(random, 3500, 12, SnapshotRig.MAX_BODY);
        sound.settle();
        sound.fold();
        assertThat(sound.snapshot("sound").forgotten()).isEqualTo(number);
        sound.close();

        SnapshotRig later = rig.copy().start();
        later.disk.flip(FileNames.STATE, inBody, 3);
        later.publish(random, 3500, 12, SnapshotRig.MAX_BODY);
        later.settle();
        later.fold();
        assertThat(later.snapshot("damaged later").sequence()).isGreaterThan(put.sequence());
        assertThat(later.snapshot("damaged later").forgotten()).isZero();
        later.close();
        rig.close();

        longer.start();
        putLong(longer, 9 << 20);
        longer.kill();
        SnapshotRig all = longer.copy().start().check("longer than all pages");
        assertThat(all.figures.forgottenValue()).isEqualTo(number);
        all.close();
        longer.disk.flip(FileNames.STATE, inBody, 3);
        longer.start().check("damaged before");
        assertThat(longer.used).isEmpty();
        assertThat(longer.figures.forgottenValue()).isZero();
        longer.close();
    }
}
