package dev.msgrelay.simulation;

import dev.msgrelay.protocol.Level;
import dev.msgrelay.server.journal.Journal;
import dev.msgrelay.server.journal.JournalOpening;
import dev.msgrelay.server.journal.JournalSettings;
import dev.msgrelay.server.journal.JournalSteps;
import dev.msgrelay.server.journal.SimDisk;
import dev.msgrelay.server.journal.format.IndexRecord.Loss;
import dev.msgrelay.server.journal.format.JournalName;
import dev.msgrelay.server.journal.read.JournalReader;
import dev.msgrelay.server.journal.recover.Recovery;
import dev.msgrelay.server.journal.recover.RecoveryProgress;
import dev.msgrelay.server.stream.Mark;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The relay's journal on a disk in memory, and all that happens to it: its two threads do a step when the run's one
 * thread gets to it; while one of them waits for the disk, everybody else goes on; the process ends, or the machine
 * does, between two operations or within one.
 *
 * <pre>
 *   step:  writer  --write-->  SimDisk  --meanwhile-->  a step of anybody else
 *          forcer  --force-->     |
 *                                 '--Crash: killed, or power lost--> open --> what is there is compared with the model
 * </pre>
 */
final class SimJournal {
    private static final long BEGAN_MILLIS = 1_700_000_000_000L;
    /** Steps of others while one of its threads waits for the disk. */
    private static final int MEANWHILE = 6;

    private static final int STEPS_TO_SETTLE = 10_000;

    private static final int READS_PER_WRONG_ONE = 40;
    private final World world;
    private final JournalSettings settings;
    private final Runnable others;
    final SimDisk disk;
    private Journal journal;
    // Which of its threads wait for the disk.
    private final Set<String> busy = new HashSet<>();
    // While the relay reads from it for subscribers: whether its threads are at work meanwhile, and what came of that.
    private boolean read;
    private boolean meanwhile;
    private SimDisk.Crash crash;
    // Nobody else damages anything.
    int wrongReads;
    private boolean powerLost;
    private long clockMillis;
    private final Mark mark = new Mark();

    /** @param others one step of something else */
    SimJournal(World world, JournalSettings settings, Runnable others) {
        this.world = world;
        this.settings = settings;
        this.others = others;
        disk = new SimDisk(new Random(world.nextLong()));
    }

    /** Opens it, however often that is interrupted. */
    Journal open(long epoch) {
        journal = null;
        busy.clear();
        read = false;
        meanwhile = false;
        crash = null;
        while (true) {
            if (!world.calm) {
                if (world.onceIn(3)) {
                    disk.crashIn(1 + world.below(40));
                } else if (world.onceIn(8)) {
                    disk.failIn(1 + world.below(10));
                } else if (world.onceIn(8)) {
                    disk.full(true);
                }
            }
            try {
                journal = new JournalOpening(disk, settings, epoch, millis(), null, RecoveryProgress.NOBODY).open();
                world.saw("torn tails", journal.recovered().cut().isPresent() ? 1 : 0);
                // What has not come yet is not of this life.
                disk.heal();
                disk.duringForce(this::meanwhile);
                disk.duringWrite(this::meanwhile);
                disk.duringRead(this::whileRead);
                if (world.lives.count() > 0) {
                    check();
                }
                powerLost = false;
                return journal;
            } catch (SimDisk.Crash crash) {
                world.saw("openings interrupted", 1);
                ends(world.onceIn(2));
            } catch (IOException e) {
                world.check(!e.getMessage().contains("damaged"), "a journal is refused: " + e.getMessage());
                world.throwIfFailed();
                ends(false);
            }
        }
    }

    private long millis() {
        return BEGAN_MILLIS + clockMillis + TimeUnit.NANOSECONDS.toMillis(world.now());
    }

    /** A time that somebody may ask for: of this run, or not much off. */
    long someTime() {
        return BEGAN_MILLIS + world.skewed((int) Math.max(1, millis() - BEGAN_MILLIS + 1000));
    }

    /** Something may happen to the disk, or to the clock on the wall. */
    void disturb() {
        switch (world.below(1500)) {
            case 0, 1 -> disk.crashIn(1 + world.below(60));
            case 2 -> disk.failIn(1 + world.below(20));
            case 3, 4, 5, 6 -> disk.full(true);
            case 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 -> disk.full(false);
            case 17 -> clockMillis -= world.below(10_000);
            default -> {}
        }
    }

    void step() {
        if (world.onceIn(200)) {
            readAgain();
        } else if (world.onceIn(2)) {
            write();
        } else {
            force();
        }
    }

    /** Steps of both until neither finds anything to do; answers whether anything was done. */
    boolean settle() {
        boolean any = false;
        boolean more = true;
        for (int i = 0; more; i++) {
            more = write() | force();
            any |= more;
            if (i > STEPS_TO_SETTLE) {
                world.fail("the journal does not come to rest");
                world.throwIfFailed();
            }
        }
        return any;
    }

    private boolean write() {
        return step("writer", () -> JournalSteps.write(journal, world.now(), millis()));
    }

    private boolean force() {
        return step("forcer", () -> JournalSteps.force(journal, world.now(), millis()));
    }

    private boolean step(String thread, BooleanSupplier doing) {
        if (!busy.add(thread)) {
            return false;
        }
        boolean done = doing.getAsBoolean();
        busy.remove(thread);
        world.check(!failed() || disk.hasFailed(), "the journal fails, and the disk has not: " + journal.failure());
        return done;
    }

    /** {@code relay-server journal check}, beside the relay. No bit of it comes out wrong. */
    private void readAgain() {
        boolean nested = meanwhile;
        meanwhile = true;
        try {
            Recovery found = Recovery.inspect(disk, Recovery.Depth.ALL);
            world.check(found.sound(), "a check finds damage that nobody has done: " + found.damage());
        } catch (IOException e) {
            world.fail("a check cannot read the journal: " + e);
        } finally {
            meanwhile = nested;
        }
    }

    private void meanwhile() {
        if (!world.calm && world.onceIn(2)) {
            for (int n = world.skewed(MEANWHILE); n > 0; n--) {
                if (read) {
                    step();
                } else {
                    others.run();
                }
            }
        }
    }

    /** A task of the loop that reads it was at the disk then, for the snapshot of the state: see {@link #readBy}. */
    void crashes(SimDisk.Crash now) {
        crash = now;
    }

    /**
     * A loop's cycle that may read it, for subscribers or for the snapshot of the state: its threads do steps
     * meanwhile, and now and then a bit comes out wrong.
     */
    boolean readBy(BooleanSupplier loop) {
        read = true;
        boolean did = loop.getAsBoolean();
        read = false;
        throwIfCrashed();
        return did;
    }

    /** Ends the step if somebody was at the disk when the relay, or the machine, ended, and was walled off from it. */
    void throwIfCrashed() {
        if (crash != null) {
            SimDisk.Crash now = crash;
            crash = null;
            throw now;
        }
    }

    private boolean whileRead() {
        if (!read || meanwhile || world.calm) {
            return false;
        }
        meanwhile = true;
        for (int n = world.onceIn(2) ? world.skewed(MEANWHILE) : 0; n > 0; n--) {
            try {
                step();
            } catch (SimDisk.Crash e) {
                // Who reads is walled off from it.
                crash = e;
            }
        }
        meanwhile = false;
        boolean wrong = world.onceIn(READS_PER_WRONG_ONE);
        wrongReads += wrong ? 1 : 0;
        return wrong;
    }

    /** The number of the oldest message that is held; where there is none, of the next one that will be written. */
    int oldest() {
        journal.newBlockReader(ByteBuffer.allocate(0)).oldest(mark);
        return (int) mark.sequence();
    }

    void ends(boolean power) {
        if (power) {
            disk.powerCut();
            powerLost = true;
        } else {
            disk.killed();
        }
    }

    /** Of a process that has ended: lets go of its log. */
    void letGo() {
        JournalSteps.releaseLog(journal);
    }

    void abandon() {
        try {
            journal.abandon();
        } catch (IOException e) {
            world.fail("a journal that has failed is not let go of: " + e);
        }
    }

    /** With the relay, in order: all of it is there then. */
    void close() {
        boolean failed = failed();
        try {
            journal.close();
            world.check(!failed, "a journal that has failed ends in order");
        } catch (IOException e) {
            world.check(failed, "the journal does not end in order: " + e);
        }
    }

    boolean failed() {
        return journal.failure().isPresent();
    }

    /** Compares all that is on the disk with what went before the end, and what was promised. */
    private void check() {
        int kept = (int) journal.goesOnAt().sequence() - 1;
        Level survivor = powerLost ? Level.FORCED : Level.WRITTEN;
        int promised = world.lives.promised.get(survivor);
        world.check(
                kept >= promised,
                kept + " messages are there, and " + survivor.flag() + " were told to be " + promised);
        world.check(
                kept <= world.model.count && journal.goesOnAt().position() == world.model.start(kept + 1),
                "the journal goes on at " + journal.goesOnAt().position() + " behind " + kept + " messages of "
                        + world.model.count);
        world.throwIfFailed();
        checkMessages(kept);
        checkNames(kept);
        world.throwIfFailed();
    }

    /** Behind an end in order nothing is torn. */
    void checkEnd() {
        disk.killed();
        open(world.nextLong() | 1);
        world.check(
                journal.recovered().cut().isEmpty() && journal.goesOnAt().sequence() == world.model.count + 1,
                "behind an end in order " + journal.recovered().cut() + " is cut");
        world.throwIfFailed();
    }

    private void checkMessages(int kept) {
        try {
            Recovery found = Recovery.inspect(disk, Recovery.Depth.ALL);
            world.check(found.sound(), "the journal is damaged: " + found.damage());
            world.check(found.endSequence() == kept + 1, "looked at again, it ends at " + found.endSequence());
            int[] next = {(int) found.startSequence()};
            JournalReader.read(disk, found, 1, new JournalReader.Sink() {
                @Override
                public boolean message(long sequence, int type, ByteBuffer body) {
                    world.check(
                            sequence == next[0] && world.model.is(next[0], type, body),
                            "message " + sequence + " in the journal is not the one of the stream, " + next[0]);
                    next[0]++;
                    return !world.failed();
                }

                @Override
                public void lost(Loss loss) {
                    world.fail("the journal has lost something: " + loss.description());
                }
            });
            world.check(next[0] == kept + 1, "the journal's messages end before " + next[0]);
        } catch (IOException e) {
            world.fail("the journal cannot be read: " + e);
        }
    }

    private void checkNames(int kept) {
        Map<String, JournalName.State> states = new HashMap<>();
        journal.recovered().states().forEach(state -> states.put(state.name().name(), state));
        for (Producer producer : world.producers) {
            if (!producer.contested) {
                JournalName.State state = states.get(producer.name);
                int number = producer.source.lastUpTo(kept);
                boolean known = state != null
                        && state.name().producer().equals(producer.id)
                        && producer.number(state.number()) == number
                        && state.sequence() == producer.source.sequence(number);
                world.check(
                        number == 0 ? state == null : known,
                        "the journal says of " + producer.name + " " + state + ", and message " + number
                                + " is its last one there");
            }
        }
    }
}
