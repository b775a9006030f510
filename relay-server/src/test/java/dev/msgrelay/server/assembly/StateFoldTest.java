package dev.msgrelay.server.assembly;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.journal.JournalSettings;
import dev.msgrelay.server.journal.SimDisk;
import dev.msgrelay.server.journal.disk.Disk;
import dev.msgrelay.server.journal.format.FileNames;
import dev.msgrelay.server.journal.format.SnapshotFile;
import dev.msgrelay.server.state.StateIndex;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The snapshot of the state: made of the journal and of the last one, and read at the start. */
class StateFoldTest {
    private static final long ALL = JournalSettings.UNLIMITED;
    private static final String FRESH = FileNames.STATE + Disk.FRESH;

    private static SnapshotRig rig(Random random) throws IOException {
        return new SnapshotRig(new SimDisk(random), ALL);
    }

    @Test
    void isTheNewestOfEachType() throws Exception {
        int made = 0;
        for (int run = 0; run < 40; run++) {
            Random random = Seeds.random("StateFoldTest run " + run);
            SnapshotRig rig = rig(random);
            rig.size = random.nextBoolean() ? 1 << 20 : (int) StateIndex.leastSize(SnapshotRig.MAX_BODY) * 2;
            int types = 1 + random.nextInt(400);
            for (int life = 0; life < 4; life++) {
                rig.start().check("run " + run);
                if (rig.size == 1 << 20) {
                    assertThat(rig.figures.forgottenValue()).as("run %d", run).isZero();
                }
                for (int i = 0; i < 6; i++) {
                    rig.publish(random, 300, types, random.nextBoolean() ? 40 : SnapshotRig.MAX_BODY / 2);
                    rig.settle();
                    if (random.nextBoolean()) {
                        rig.fold();
                        if (rig.fold.figures().sequence() > 0) {
                            rig.snapshot("run " + run);
                            made++;
                        }
                    }
                }
                if (random.nextBoolean()) {
                    rig.stop();
                } else {
                    rig.kill();
                }
            }
            rig.start().check("run " + run).close();
        }
        assertThat(made).isGreaterThan(100);
    }

    /** The start needs no more than the snapshot, and the journal behind it. */
    @Test
    void theFirstSegmentsAreNotNeeded() throws Exception {
        Random random = Seeds.random("StateFoldTest first segments");
        SnapshotRig rig = rig(random).start();
        rig.publish(random, 2000, 300, 100);
        rig.settle();
        rig.fold();
        rig.publish(random, 200, 300, 100);
        rig.settle();
        SnapshotFile made = rig.snapshot("made");
        assertThat(made.position()).isPositive();
        rig.kill();
        rig.dropFirst(made.position());
        rig.start().check("restarted");
        assertThat(rig.used).contains(made);
        assertThat(rig.figures.forgottenValue()).isZero();
        assertThat(rig.figures.forgottenTombstone()).isZero();
        // And so does the next snapshot.
        rig.publish(random, 2000, 300, 100);
        rig.settle();
        rig.fold();
        assertThat(rig.snapshot("next").forgotten()).isZero();
        assertThat(rig.fold.figures().sequence()).isGreaterThan(made.sequence());
        rig.close();
    }

    /** A short snapshot, behind which the first segments are missing. */
    private static SnapshotRig small(Random random) throws IOException {
        SnapshotRig rig = rig(random).start();
        rig.publish(random, 400, 12, 60);
        rig.settle();
        rig.fold();
        rig.publish(random, 20, 12, 60);
        rig.settle();
        SnapshotFile made = rig.snapshot("small");
        rig.kill();
        rig.dropFirst(made.position());
        return rig;
    }

    private static void assertRefused(SnapshotRig rig, String what) throws IOException {
        long first = rig.start().oldest();
        rig.check(what);
        assertThat(rig.used).as(what).isEmpty();
        assertThat(rig.figures.forgottenValue()).as(what).isEqualTo(first - 1);
        rig.close();
    }

    @Test
    void cutOrFlippedAnywhereItIsNotUsed() throws Exception {
        Random random = Seeds.random("StateFoldTest cuts");
        SnapshotRig whole = small(random);
        int length = whole.disk.bytes(FileNames.STATE).length;
        assertThat(length).isBetween(200, 2000);
        SnapshotRig sound = whole.copy().start().check("sound");
        assertThat(sound.figures.forgottenValue()).isZero();
        sound.close();
        for (int at = 0; at < length; at++) {
            SnapshotRig cut = whole.copy();
            cut.disk.cut(FileNames.STATE, at);
            assertRefused(cut, "cut at " + at);
            SnapshotRig flipped = whole.copy();
            flipped.disk.flip(FileNames.STATE, at, random.nextInt(8));
            assertRefused(flipped, "flipped at " + at);
        }
        SnapshotRig longer = whole.copy();
        longer.disk.cut(FileNames.STATE, length + 1);
        assertRefused(longer, "longer");
    }

    private static void change(SnapshotRig rig, Consumer<ByteBuffer> change) throws IOException {
        byte[] bytes = rig.disk.bytes(FileNames.STATE);
        ByteBuffer file = ByteBuffer.wrap(bytes);
        change.accept(file);
        rig.disk.replace(FileNames.STATE, file.rewind());
    }

    @Test
    void missingOrOfAnotherFormatItIsNotUsed() throws Exception {
        Random random = Seeds.random("StateFoldTest formats");
        SnapshotRig rig = small(random);
        SnapshotRig missing = rig.copy();
        missing.disk.delete(FileNames.STATE);
        assertRefused(missing, "missing");
        for (int version : List.of(0, 2)) {
            SnapshotRig other = rig.copy();
            change(other, file -> file.putInt(8, version));
            assertRefused(other, "version " + version);
        }
    }

    @Test
    void ofAnotherJournalOrLifeItIsNotUsed() throws Exception {
        Random random = Seeds.random("StateFoldTest foreign");
        SnapshotRig rig = small(random);
        byte[] foreign = rig.disk.bytes(FileNames.STATE);

        SnapshotRig other = rig(random).start();
        other.publish(random, 900, 12, 60);
        other.settle();
        other.kill();
        other.disk.replace(FileNames.STATE, ByteBuffer.wrap(foreign));
        other.start().check("another journal");
        assertThat(other.used).isEmpty();
        assertThat(other.figures.forgottenValue()).isZero();
        // The next one takes its place.
        other.publish(random, 900, 12, 60);
        other.settle();
        other.fold();
        other.snapshot("in the place of a foreign one");
        other.close();
    }

    /**
     * An older copy of the journal was put back, and the snapshot was left where it was. The next life of a cluster's
     * stream begins on the way, not with the start.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void behindAForkItIsNotUsed(boolean cluster) throws Exception {
        Random random = Seeds.random("StateFoldTest fork");
        SnapshotRig rig = rig(random);
        if (cluster) {
            rig.joinsCluster();
        }
        rig.start();
        rig.publish(random, 300, 12, 60);
        rig.settle();
        SnapshotRig older = rig.copy();
        rig.publish(random, 1200, 12, 60);
        rig.settle();
        rig.fold();
        byte[] later = rig.disk.bytes(FileNames.STATE);
        rig.close();

        older.disk.replace(FileNames.STATE, ByteBuffer.wrap(later));
        older.start().check("beyond the end");
        assertThat(older.used).isEmpty();
        if (cluster) {
            older.goesOnInAnotherLife();
        }
        older.publish(random, 2000, 12, 60);
        older.settle();
        older.kill();
        older.start().check("behind a fork");
        assertThat(older.used).isEmpty();
        older.close();
    }

    @Test
    void anUnfinishedOneIsRemovedAtTheStart() throws Exception {
        Random random = Seeds.random("StateFoldTest unfinished");
        SnapshotRig whole = rig(random).start();
        whole.publish(random, 900, 50, 60);
        whole.settle();
        whole.fold();
        SnapshotFile first = whole.snapshot("first");
        whole.publish(random, 900, 50, 60);
        whole.settle();
        whole.kill();
        boolean finished = false;
        for (int operation = 1; !finished; operation++) {
            SnapshotRig rig = whole.copy().start();
            rig.disk.crashIn(operation);
            try {
                rig.fold();
                finished = true;
            } catch (SimDisk.Crash e) {
                rig.kill();
                if (random.nextBoolean()) {
                    rig.disk.powerCut();
                }
            }
            if (!finished) {
                rig.start().check("crashed at " + operation);
                assertThat(rig.disk.names()).doesNotContain(FRESH);
                assertThat(rig.used).isPresent();
                assertThat(rig.figures.forgottenValue()).isZero();
            }
            assertThat(rig.snapshot("crashed at " + operation).sequence()).isGreaterThanOrEqualTo(first.sequence());
            rig.close();
        }
    }

    @Test
    void otherTypesAndAnotherSize() throws Exception {
        Random random = Seeds.random("StateFoldTest types");
        SnapshotRig rig = rig(random);
        rig.kept = TypeRanges.of(0, 5, 10, 19);
        rig.start();
        rig.publish(random, 900, 40, 60);
        rig.settle();
        rig.fold();
        SnapshotFile made = rig.snapshot("some types");
        assertThat(made.messages()).isEqualTo(16);
        rig.kill();
        SnapshotRig narrower = rig.copy();
        narrower.dropFirst(made.position());
        narrower.kept = TypeRanges.of(2, 3, 12, 12);
        narrower.start().check("narrower");
        assertThat(narrower.used).isPresent();
        assertThat(narrower.figures.forgottenValue()).isZero();
        narrower.publish(random, 900, 40, 60);
        narrower.settle();
        narrower.fold();
        assertThat(narrower.snapshot("narrower").messages()).isEqualTo(3);
        narrower.close();
        // What it lacks is looked for in the journal.
        SnapshotRig wider = rig.copy();
        wider.kept = TypeRanges.of(0, 19);
        wider.start().check("wider");
        assertThat(wider.used).isEmpty();
        assertThat(wider.figures.forgottenValue()).isZero();
        wider.close();
        SnapshotRig widerBehind = rig.copy();
        widerBehind.dropFirst(made.position());
        widerBehind.kept = TypeRanges.ALL;
        widerBehind.start().check("wider, without the first segments");
        assertThat(widerBehind.figures.forgottenValue()).isPositive();
        widerBehind.close();
    }

    /** A larger state finds in the journal what a smaller one has forgotten. */
    @Test
    void aLargerStateIsReadFromTheJournal() throws Exception {
        Random random = Seeds.random("StateFoldTest larger");
        SnapshotRig rig = rig(random);
        rig.size = (int) StateIndex.leastSize(SnapshotRig.MAX_BODY);
        rig.start();
        rig.publish(random, 2000, 300, 100);
        rig.settle();
        rig.fold();
        SnapshotFile made = rig.snapshot("small");
        assertThat(made.forgotten()).isPositive();
        rig.kill();
        rig.start().check("as small");
        assertThat(rig.used).contains(made);
        rig.kill();
        SnapshotRig larger = rig.copy();
        larger.size = 1 << 20;
        larger.start().check("larger");
        assertThat(larger.figures.forgottenValue()).isZero();
        larger.close();
        // What the journal has no more, it cannot have.
        SnapshotRig behind = rig.copy();
        behind.dropFirst(made.position());
        behind.size = 1 << 20;
        behind.start().check("larger, without the first segments");
        assertThat(behind.used).contains(made);
        behind.close();
    }

    /** A message that is longer than any that can be sent counts as forgotten, with all before it. */
    @Test
    void aShorterLongestBody() throws Exception {
        Random random = Seeds.random("StateFoldTest body");
        SnapshotRig rig = rig(random).start();
        rig.publish(random, 300, 12, 60);
        rig.publish(5, 2500);
        long number = rig.stream.size();
        rig.publish(random, 300, 5, 60);
        rig.settle();
        rig.fold();
        assertThat(rig.snapshot("long").forgotten()).isZero();
        rig.kill();
        rig.maxBody = 1000;
        rig.start().check("shorter");
        assertThat(rig.figures.forgottenValue()).isEqualTo(number);
        rig.publish(random, 900, 5, 60);
        rig.settle();
        rig.fold();
        assertThat(rig.snapshot("shorter").forgotten()).isEqualTo(number);
        rig.close();
    }

    /** Only tombstones are forgotten: no value is missing. */
    @Test
    void tombstonesAreForgottenAlone() throws Exception {
        Random random = Seeds.random("StateFoldTest tombstones");
        SnapshotRig rig = rig(random);
        rig.size = (int) StateIndex.leastSize(SnapshotRig.MAX_BODY);
        rig.start();
        for (int type = 100; type < 170; type++) {
            rig.publish(type, 20);
            rig.publish(type, 0);
        }
        for (int i = 0; i < 300; i++) {
            rig.publish(i % 20, 20);
            if (i % 60 == 0) {
                rig.settle();
            }
        }
        rig.settle();
        rig.fold();
        SnapshotFile made = rig.snapshot("tombstones");
        assertThat(made.forgottenValue()).isZero();
        assertThat(made.forgottenTombstone()).isPositive();
        rig.kill();
        rig.start().check("tombstones");
        assertThat(rig.figures.forgottenValue()).isZero();
        rig.close();
    }

    /** An unfinished snapshot is removed before the room is looked at that the journal needs. */
    @Test
    void aStartNeedsTheRoomOfALeftover() throws Exception {
        Random random = Seeds.random("StateFoldTest leftover");
        SnapshotRig rig = keeping(random).start();
        rig.publish(random, 100, 12, 60);
        rig.settle();
        rig.kill();
        rig.disk.open(FRESH).write(0, ByteBuffer.allocate(1 << 20));
        rig.disk.capacity(rig.disk.used());
        rig.start().check("leftover");
        assertThat(rig.disk.has(FRESH)).isFalse();
        rig.close();
    }

    /** The loop that makes it hangs while the relay ends: the directory may have another owner then. */
    @Test
    void aClosedJournalGetsNoSnapshot() throws Exception {
        Random random = Seeds.random("StateFoldTest closed");
        SnapshotRig rig = rig(random).start();
        rig.publish(random, 900, 12, 60);
        rig.settle();
        assertThat(rig.fold.step(rig.nanos)).as("it has begun").isTrue();
        rig.journal.close();
        rig.fold();
        assertThat(rig.disk.has(FileNames.STATE)).isFalse();
        rig.nanos += 10_000_000_000L;
        rig.disk.delete(FRESH);
        rig.fold();
        assertThat(rig.disk.has(FRESH)).isFalse();
        rig.fold.close();
    }

    // ---- the retention -----------------------------------------------------------------------------------------

    private static final long KEEP = 4 * SnapshotRig.SEGMENT;

    private static SnapshotRig keeping(Random random) throws IOException {
        return new SnapshotRig(new SimDisk(random), KEEP);
    }

    /** Publishes until the journal has so many bytes, which it keeps for the snapshot's sake. */
    private static void grow(SnapshotRig rig, Random random, long bytes) throws IOException {
        for (int i = 0; rig.journal.stats().fileBytes() < bytes; i++) {
            assertThat(i).as("tens of messages").isLessThan(1000);
            rig.publish(random, 10, 300, 100);
            rig.settle();
        }
    }

    /** Publishes until publishers wait. */
    private static void fill(SnapshotRig rig, Random random) throws IOException {
        for (int i = 0; rig.hasRoom(); i++) {
            assertThat(i).as("messages").isLessThan(10_000);
            rig.publish(random, 1, 300, 100);
            assertThat(rig.journal.stats().fileBytes()).isLessThan(2 * KEEP + 2 * SnapshotRig.SEGMENT);
        }
    }

    private static long unheld(SnapshotRig rig) {
        return rig.journal.stats().unheld();
    }

    @Test
    void theRetentionWaits() throws Exception {
        Random random = Seeds.random("StateFoldTest retention");
        SnapshotRig rig = keeping(random).start();
        grow(rig, random, 7 * SnapshotRig.SEGMENT);
        assertThat(rig.oldest()).isEqualTo(1);
        rig.fold();
        rig.settle();
        assertThat(rig.oldest())
                .isGreaterThan(1)
                .isLessThanOrEqualTo(rig.fold.figures().sequence() + 1);
        assertThat(rig.journal.stats().fileBytes()).isLessThanOrEqualTo(KEEP);
        // Now nothing is dropped that the snapshot lacks, for as long as there are messages.
        for (int i = 0; i < 300; i++) {
            rig.publish(random, 30, 300, 100);
            rig.settle();
            rig.fold();
        }
        assertThat(rig.oldest()).isGreaterThan(3000);
        assertThat(unheld(rig)).isZero();
        rig.kill();
        rig.start().check("restarted");
        assertThat(rig.figures.forgottenValue()).isZero();
        // A start holds what the snapshot lacks, too.
        grow(rig, random, 7 * SnapshotRig.SEGMENT);
        assertThat(rig.oldest()).isLessThanOrEqualTo(rig.fold.figures().sequence() + 1);
        rig.close();
    }

    private static void assertForgets(SnapshotRig rig, Random random, String what) throws IOException {
        assertThat(unheld(rig)).as(what).isPositive();
        long oldest = rig.oldest();
        assertThat(oldest).as(what).isGreaterThan(1);
        rig.nanos += 10_000_000_000L;
        rig.fold();
        assertThat(rig.snapshot(what).forgotten()).as(what).isGreaterThanOrEqualTo(oldest - 1);
        rig.kill();
        rig.start().check(what);
        assertThat(rig.figures.forgottenValue()).as(what).isGreaterThanOrEqualTo(oldest - 1);
        // It goes on: from here on nothing is lost.
        long forgotten = rig.figures.forgottenValue();
        rig.publish(random, 900, 300, 100);
        rig.settle();
        rig.fold();
        assertThat(rig.snapshot(what).forgotten()).as(what).isEqualTo(forgotten);
        rig.close();
    }

    @Test
    void aFullDiskWaitsForNoSnapshot() throws Exception {
        Random random = Seeds.random("StateFoldTest full disk");
        SnapshotRig rig = keeping(random).start();
        grow(rig, random, 6 * SnapshotRig.SEGMENT);
        assertThat(unheld(rig)).isZero();
        rig.disk.full(true);
        rig.publish(random, 10, 300, 100);
        for (int i = 0; i < 100 && unheld(rig) == 0; i++) {
            rig.nanos += 100_000_000;
            rig.settle();
        }
        rig.disk.full(false);
        rig.settle();
        assertForgets(rig, random, "a full disk");
    }

    /** Too many open files are no full disk: what the snapshot lacks is not dropped for them. */
    @Test
    void tooManyOpenFilesWaitForTheSnapshot() throws Exception {
        Random random = Seeds.random("StateFoldTest open files");
        SnapshotRig rig = keeping(random).start();
        grow(rig, random, 6 * SnapshotRig.SEGMENT);
        rig.disk.noHandles(true);
        for (int i = 0; i < 1000 && rig.hasRoom(); i++) {
            rig.publish(random, 1, 300, 100);
            rig.nanos += 100_000_000;
        }
        assertThat(rig.hasRoom()).isFalse();
        assertThat(unheld(rig)).isZero();
        rig.disk.noHandles(false);
        rig.nanos += 100_000_000;
        for (int i = 0; i < 20; i++) {
            rig.fold();
            rig.settle();
            rig.publish(random, 30, 300, 100);
        }
        assertThat(rig.oldest()).isGreaterThan(1);
        assertThat(unheld(rig)).isZero();
        rig.close();
    }

    @Test
    void withTwiceTheBytesPublishersWait() throws Exception {
        Random random = Seeds.random("StateFoldTest twice");
        SnapshotRig rig = keeping(random).start();
        for (int i = 0; i < 20; i++) {
            fill(rig, random);
            rig.fold();
            rig.settle();
        }
        assertThat(rig.oldest()).isGreaterThan(1);
        assertThat(unheld(rig)).isZero();
        rig.kill();
        rig.start().check("twice");
        assertThat(rig.figures.forgottenValue()).isZero();
        rig.close();
    }

    /** What publishers have sent before is in the log's memory, and no snapshot is made any more. */
    @Test
    void theEndDoesNotWaitForTheSnapshot() throws Exception {
        Random random = Seeds.random("StateFoldTest end");
        SnapshotRig rig = keeping(random).start();
        fill(rig, random);
        assertThat(rig.log.head().position())
                .isGreaterThan(rig.journal.written().position());
        rig.stop();
        rig.start().check("behind an end in order");
        assertThat(rig.figures.forgottenTombstone()).isZero();
        assertThat(rig.oldest()).isEqualTo(1);
        rig.fold();
        rig.settle();
        assertThat(rig.oldest()).isGreaterThan(1);
        assertThat(unheld(rig)).isZero();
        rig.close();
    }

    @Test
    void publishersDoNotWaitForWhatCannotBeMade() throws Exception {
        Random random = Seeds.random("StateFoldTest cannot be made");
        SnapshotRig rig = keeping(random).start();
        fill(rig, random);
        rig.disk.duringRead(() -> true);
        rig.fold();
        rig.disk.duringRead(() -> false);
        assertThat(unheld(rig)).isZero();
        for (int i = 0; i < 100; i++) {
            rig.publish(random, 10, 300, 100);
            rig.settle();
            assertThat(rig.journal.stats().fileBytes()).isLessThan(2 * KEEP + 2 * SnapshotRig.SEGMENT);
        }
        assertForgets(rig, random, "cannot be made");
    }

    /** The one segment that is there has more than twice the bytes to keep. */
    @Test
    void shorterSegmentsThanBefore() throws Exception {
        Random random = Seeds.random("StateFoldTest shorter segments");
        SnapshotRig rig = keeping(random);
        rig.keep(1 << 20, ALL);
        rig.start();
        rig.publish(random, 2000, 300, 200);
        rig.settle();
        assertThat(rig.journal.written().position()).isGreaterThan(3 * KEEP);
        rig.stop();
        rig.keep(SnapshotRig.SEGMENT, KEEP);
        rig.start();
        for (int i = 0; i < 100; i++) {
            rig.publish(random, 30, 300, 100);
            rig.settle();
            rig.fold();
        }
        rig.settle();
        assertThat(rig.oldest()).isGreaterThan(2000);
        assertThat(unheld(rig)).isZero();
        rig.kill();
        rig.start().check("shorter segments");
        assertThat(rig.figures.forgottenValue()).isZero();
        rig.close();
    }
}
