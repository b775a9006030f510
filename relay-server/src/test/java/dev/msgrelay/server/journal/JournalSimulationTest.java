package dev.msgrelay.server.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.journal.format.FileNames;
import dev.msgrelay.server.journal.format.JournalName;
import dev.msgrelay.server.journal.recover.Recovery;
import dev.msgrelay.testing.ThisMachine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Journals on a disk that crashes between any two operations, and within them. After each restart everything that was
 * forced is there, whole, in order, and nothing that was never published; after the end of the process alone,
 * everything written.
 *
 * <p>{@code -Djournal.seed=N} runs one seed, {@code -Djournal.runs=10000} so many fresh ones.
 */
class JournalSimulationTest {
    private static final int SEEDS = 30;
    private static final int MANY_SEEDS = 400;
    /** As many more as it takes until all that is to be seen has been, and no more than these. */
    private static final int MOST_SEEDS = 1000;

    private static final int SHOWN = 10;

    @Test
    void nothingIsLostOrInvented() throws IOException {
        Long one = ThisMachine.number("journal.seed");
        long runs = ThisMachine.setting("journal.runs", 0);
        if (one != null) {
            new World(one).run();
        } else if (runs > 0) {
            long first = System.nanoTime();
            runAll(first, first + runs, first + runs);
        } else {
            // Otherwise it does not show what it says.
            Tally tally = runAll(0, SEEDS, MOST_SEEDS);
            assertThat(tally.sawEverything()).as(tally.text()).isTrue();
        }
    }

    @Tag("thorough")
    @Test
    void manyOfThem() {
        runAll(SEEDS, MANY_SEEDS, MANY_SEEDS);
    }

    /** Seeds from the first on, up to {@code least}, and on to {@code most} until everything has been seen. */
    private static Tally runAll(long first, long least, long most) {
        Tally tally = new Tally();
        List<String> failed = new ArrayList<>();
        long seed = first;
        for (; seed < least || seed < most && !tally.sawEverything(); seed++) {
            World world = new World(seed);
            try {
                world.run();
            } catch (AssertionError e) {
                failed.add(e.getMessage());
                if (failed.size() == 1) {
                    e.printStackTrace(System.out);
                }
            }
            tally.add(world.tally);
        }
        System.out.println("journal simulation: seeds " + first + " to " + (seed - 1) + ": " + tally.text());
        assertThat(failed.stream().limit(SHOWN))
                .as(failed.size() + " seeds failed")
                .isEmpty();
        return tally;
    }

    private enum Seen {
        MESSAGES("messages"),
        POWER_CUTS("power cuts"),
        KILLS("kills"),
        FAILURES("failed disks"),
        CRASHED_OPENINGS("crashes while opening"),
        CUTS("torn tails"),
        ROLLED_BACK("unforced messages gone"),
        RETIRED("with dropped segments"),
        RECYCLED("recycled files"),
        NAMES("names found"),
        NAME_FILES("tables of names"),
        STEPS("steps of the clock"),
        AGED("looks at what was dropped for its age");

        private final String words;

        Seen(String words) {
            this.words = words;
        }
    }

    private static final class Tally {
        private final long[] counts = new long[Seen.values().length];

        void add(Seen what, long count) {
            counts[what.ordinal()] += count;
        }

        void add(Tally other) {
            for (Seen what : Seen.values()) {
                add(what, other.counts[what.ordinal()]);
            }
        }

        boolean sawEverything() {
            return Arrays.stream(counts).allMatch(count -> count > 0);
        }

        String text() {
            return Arrays.stream(Seen.values())
                    .map(what -> counts[what.ordinal()] + " " + what.words)
                    .collect(Collectors.joining(", "));
        }
    }

    private static final class World {
        final Tally tally = new Tally();
        private final long seed;
        private final Random random;
        private final SimDisk disk;
        private final JournalRig rig;
        private final boolean keepsAll;
        // Kept by its age alone: when each message was appended.
        private final boolean byAge;
        private final long age;
        private final List<Long> appended = new ArrayList<>();
        private long lifeBegan = 1;

        // Up to here everything survives the machine, and the process.
        private long forced;
        private long written;
        private boolean open;
        private int step;

        World(long seed) {
            this.seed = seed;
            random = new Random(seed);
            disk = new SimDisk(random);
            long segment = 8192L << random.nextInt(3);
            keepsAll = random.nextInt(3) == 0;
            byAge = !keepsAll && random.nextInt(3) == 0;
            long keep = keepsAll || byAge ? 1L << 40 : segment * (3 + random.nextInt(4));
            age = keepsAll || !byAge && random.nextBoolean() ? 1L << 40 : 500 + random.nextInt(10_000);
            long every = TimeUnit.MILLISECONDS.toNanos(1 + random.nextInt(2000));
            rig = new JournalRig(disk, new JournalSettings(segment, keep, age, every), random);
            rig.shared = seed % 3 == 0;
        }

        void run() {
            try {
                int lives = 2 + random.nextInt(6);
                for (int life = 0; life < lives; life++) {
                    live();
                    end();
                }
                // At last nobody disturbs it.
                opens();
                rig.append(10);
                rig.close();
                check(rig.end(), "after a quiet end");
                assertThat(JournalRig.inspect(disk).cut()).isEmpty();
                assertThat(rig.allocator.metric().usedDirectMemory())
                        .as("direct memory at the end")
                        .isZero();
            } catch (IOException | RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + " step " + step + ": " + e, e);
            }
        }

        private void live() throws IOException {
            if (random.nextInt(3) > 0) {
                disk.crashIn(1 + random.nextInt(random.nextBoolean() ? 30 : 400));
            }
            try {
                opens();
                disk.duringForce(this::meanwhile);
                int steps = random.nextInt(1500);
                for (int i = 0; i < steps && rig.journal.failure().isEmpty(); i++) {
                    act();
                    observe();
                }
                if (rig.journal.failure().isPresent()) {
                    afterFailure();
                }
                if (random.nextInt(4) == 0) {
                    quietEnd();
                }
            } catch (SimDisk.Crash crash) {
                if (open) {
                    observe();
                } else {
                    tally.add(Seen.CRASHED_OPENINGS, 1);
                }
            }
        }

        private void opens() throws IOException {
            open = false;
            rig.open();
            open = true;
            long end = rig.journal.goesOnAt().position();
            tally.add(Seen.CUTS, rig.journal.recovered().cut().isPresent() ? 1 : 0);
            assertThat(end).as("end after opening").isGreaterThanOrEqualTo(written);
            assertThat(rig.end()).as("end of what was published").isEqualTo(end);
            lifeBegan = rig.stream.size() + 1L;
            appended.subList(Math.min(appended.size(), rig.stream.size()), appended.size())
                    .clear();
            forced = end;
            written = end;
        }

        private void act() {
            step++;
            switch (random.nextInt(40)) {
                case 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 -> append();
                case 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25 -> rig.journal.write(rig.nanos, rig.millis);
                case 26, 27, 28, 29, 30, 31, 32 -> rig.journal.force(rig.nanos, rig.millis);
                case 33, 34 -> rig.journal.wantForced(rig.end() - random.nextInt(1000));
                case 35, 36 -> pass(random.nextInt(50));
                case 37 -> {
                    pass(random.nextInt(3000));
                    check();
                }
                case 38 -> disk.full(random.nextInt(3) == 0);
                default -> {
                    if (random.nextInt(30) == 0) {
                        disk.failIn(1 + random.nextInt(20));
                    }
                }
            }
        }

        /** As an operator does beside the relay, whose threads go on at each read. */
        private void check() {
            disk.duringRead(() -> {
                rig.journal.write(rig.nanos, rig.millis);
                return false;
            });
            try {
                Recovery found = JournalRig.inspect(disk);
                assertThat(found.sound()).as("damage: %s", found.damage()).isTrue();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } finally {
                disk.duringRead(() -> false);
            }
        }

        private void append() {
            int most = random.nextInt(20) == 0 ? 3000 : random.nextInt(4) == 0 ? 600 : 60;
            for (int n = random.nextInt(12); n >= 0; n--) {
                int run = 1 + random.nextInt(random.nextBoolean() ? 1 : 6);
                tally.add(Seen.MESSAGES, rig.append(run, random.nextInt(most + 1)));
            }
        }

        private void pass(int millis) {
            rig.millis += random.nextInt(20) == 0 ? -millis : millis;
            rig.nanos += TimeUnit.MILLISECONDS.toNanos(millis);
            if (random.nextInt(100) == 0) {
                // Somebody sets the clock: a little, by days, or by years; forth or back.
                long most = 1000L << random.nextInt(30);
                rig.millis += random.nextLong(-most, most + 1);
                tally.add(Seen.STEPS, 1);
            }
            if (byAge && random.nextInt(40) == 0) {
                rig.nanos += JournalForcer.WAIT_NANOS;
                rig.millis += TimeUnit.NANOSECONDS.toMillis(JournalForcer.WAIT_NANOS);
            }
        }

        /** Nothing that this life has written is dropped before its time, whatever the clock on the wall does. */
        private void checkAges() {
            if (!byAge) {
                return;
            }
            while (appended.size() < rig.stream.size()) {
                appended.add(rig.nanos);
            }
            long oldest = rig.oldest().sequence();
            if (oldest > lifeBegan) {
                long nanos = rig.nanos - appended.get((int) oldest - 2);
                assertThat(TimeUnit.NANOSECONDS.toMillis(nanos))
                        .as("age of the newest message that was dropped")
                        .isGreaterThan(age);
                tally.add(Seen.AGED, 1);
            }
        }

        private void meanwhile() {
            for (int n = random.nextInt(6); n > 0; n--) {
                append();
                rig.journal.write(rig.nanos, rig.millis);
            }
        }

        private void observe() {
            checkAges();
            long f = rig.journal.forced().position();
            long w = rig.journal.written().position();
            assertThat(f).isGreaterThanOrEqualTo(forced).isLessThanOrEqualTo(w);
            assertThat(w).isGreaterThanOrEqualTo(written).isLessThanOrEqualTo(rig.end());
            forced = f;
            written = w;
        }

        private void afterFailure() {
            tally.add(Seen.FAILURES, 1);
            observe();
            long operations = disk.operations();
            for (int i = 0; i < 20; i++) {
                rig.journal.wantForced(rig.end());
                pass(1000);
                rig.journal.write(rig.nanos, rig.millis);
                rig.journal.force(rig.nanos, rig.millis);
            }
            assertThat(disk.operations()).as("operations after a failure").isEqualTo(operations);
        }

        private void quietEnd() throws IOException {
            disk.full(false);
            // Nobody writes to the log any more.
            disk.duringForce(() -> {});
            boolean failed = rig.journal.failure().isPresent();
            try {
                rig.journal.close();
                assertThat(failed).as("closing says that it failed").isFalse();
                forced = rig.end();
                written = rig.end();
            } catch (IOException e) {
                assertThat(failed || disk.hasFailed())
                        .as("closing failed: " + e)
                        .isTrue();
                observe();
            }
        }

        private void end() throws IOException {
            if (open) {
                countSegments();
                rig.gone();
            }
            if (random.nextBoolean()) {
                tally.add(Seen.POWER_CUTS, 1);
                disk.powerCut();
                tally.add(
                        Seen.ROLLED_BACK,
                        rig.stream.stream().filter(m -> m.end() > forced).count());
                written = forced;
            } else {
                tally.add(Seen.KILLS, 1);
                disk.killed();
            }
            check(written, "after a crash");
        }

        private void countSegments() {
            Recovery found = rig.journal.recovered();
            tally.add(Seen.RETIRED, found.startPosition() > 0 ? 1 : 0);
            tally.add(
                    Seen.RECYCLED,
                    disk.names().stream()
                            .filter(name -> name.endsWith(FileNames.SPARE) && !name.startsWith("made"))
                            .count());
        }

        /** What is on the disk is part of the stream, up to here at least. */
        private void check(long atLeast, String when) throws IOException {
            Recovery all = JournalRig.inspect(disk);
            assertThat(all.damage()).as(when + ": damage").isEmpty();
            assertThat(all.asideFiles()).as(when + ": useless files").isEmpty();
            assertThat(all.sound()).as(when + ": sound").isTrue();
            assertThat(all.endPosition()).as(when + ": end").isGreaterThanOrEqualTo(atLeast);
            Recovery start = Recovery.inspect(disk, Recovery.Depth.START);
            assertThat(start.endPosition()).isEqualTo(all.endPosition());
            assertThat(start.endSequence()).isEqualTo(all.endSequence());
            Map<String, JournalName.State> names = rig.states((int) all.endSequence() - 1);
            assertThat(JournalRig.states(all)).as(when + ": names").isEqualTo(names);
            assertThat(JournalRig.states(start)).as(when + ": names at a start").isEqualTo(names);
            tally.add(Seen.NAMES, names.size());
            tally.add(Seen.NAME_FILES, disk.names().contains(FileNames.NAMES) ? 1 : 0);
            if (keepsAll) {
                assertThat(all.startPosition()).as(when + ": start").isZero();
            }
            assertThat(rig.read(all, when)).isEmpty();
        }
    }
}
