package dev.msgrelay.server.journal;

import dev.msgrelay.protocol.text.TextFile;
import dev.msgrelay.server.journal.disk.Disk;
import dev.msgrelay.server.journal.disk.DiskException;
import dev.msgrelay.server.journal.format.EpochTable;
import dev.msgrelay.server.journal.format.FileNames;
import dev.msgrelay.server.journal.format.IndexRecord.Loss;
import dev.msgrelay.server.journal.recover.Recovery;
import dev.msgrelay.server.journal.recover.RecoveryProgress;
import dev.msgrelay.server.journal.recover.Repair;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/**
 * A request to open the journal of a directory.
 *
 * @param epoch of the stream from here on
 * @param millis the time, since 1970
 * @param others the lives of the stream that other relays have as well, and where it begins there; null: no other relay
 *     has it, and the epoch is a new one
 * @param progress gets how far the look at the directory is
 */
public record JournalOpening(
        Disk disk, JournalSettings settings, long epoch, long millis, EpochTable others, RecoveryProgress progress) {
    /**
     * Takes the directory's lock, cuts a torn tail, and begins an epoch.
     *
     * @throws DiskException another process has the directory; or it is damaged, cannot be written to, has no room, or
     *     is of another stream; or messages are missing between it and what other relays have. A damaged directory is
     *     not changed
     */
    public Journal open() throws IOException {
        try {
            return locked();
        } catch (DiskException.Full e) {
            throw new DiskException(
                    journal() + ": " + disk.shortage() + ": it cannot be opened (the system says: " + e.words() + ")",
                    e);
        } catch (DiskException e) {
            throw e;
        } catch (IOException e) {
            throw new DiskException(journal() + " cannot be used: " + TextFile.fault(e), e);
        }
    }

    private String journal() {
        return "journal " + disk.place();
    }

    private Journal locked() throws IOException {
        Closeable lock = disk.lock(true);
        Closeable held = lock;
        boolean open = false;
        try {
            Recovery found = Recovery.inspect(disk, Recovery.Depth.START, progress);
            checkSound(found);
            checkRoom(found);
            if (others != null && found.isNew()) {
                new EpochTable(List.of(), others.forcedPosition(), others.forcedSequence()).write(disk);
                found = Recovery.inspect(disk, Recovery.Depth.START, progress);
            } else if (others != null) {
                checkGoesOn(found);
            }
            Repair.cut(disk, found);
            if (others != null) {
                // The torn tail was sealed for an epoch that goes on: its records would pass in a file that is used
                // again for the same place.
                for (String spare : FileNames.spares(disk)) {
                    disk.delete(spare);
                }
            }
            EpochTable epochs = livesOf(found);
            // The table gets a life only with room for its first segment: a relay that tries again and again adds none.
            Journal journal = new Journal(disk, settings, lock, found, epochs);
            held = journal;
            epochs.write(disk);
            open = true;
            return journal;
        } finally {
            if (!open) {
                held.close();
            }
        }
    }

    private EpochTable livesOf(Recovery found) {
        if (others != null) {
            return found.epochs().joined(others, found.endPosition(), found.endSequence(), found.startPosition());
        }
        EpochTable.Epoch life = new EpochTable.Epoch(epoch, found.endPosition(), found.endSequence(), millis);
        return found.epochs().with(life, found.startPosition());
    }

    private void checkSound(Recovery found) throws DiskException {
        if (found.sound()) {
            return;
        }
        List<Loss> damage = found.damage();
        String first = damage.isEmpty()
                ? "the table of " + (found.epochsDamaged() ? "epochs" : "names") + " is missing or damaged"
                : damage.get(0).description();
        String more = damage.size() > 1 ? ", and " + (damage.size() - 1) + " more" : "";
        throw new DiskException(journal() + " is damaged: " + first + more
                + ". 'relay-server journal check' tells all; 'relay-server journal repair' writes off what is lost");
    }

    /** Checks that the directory has the cluster's stream, up to where the cluster's log begins. */
    private void checkGoesOn(Recovery found) throws DiskException {
        // The journal may know of a later life, which comes in order yet; or it ended before that was begun.
        if (!found.epochs().has(others.last().epoch())
                && !others.has(found.epochs().last().epoch())) {
            throw new DiskException(journal() + " is of another stream than the cluster's: give each"
                    + " cluster, and each relay that is alone, a directory of its own");
        }
        if (found.endPosition() < others.forcedPosition()) {
            throw new DiskException(journal() + " ends before message " + found.endSequence()
                    + ", and the cluster's log on this node begins at message " + others.forcedSequence()
                    + ": what lies between is at other nodes only. Put the journal of one of them there while that one"
                    + " is stopped, or begin with an empty directory");
        }
    }

    /** Checks that the journal's largest size fits on the disk: otherwise publishers would wait for ever, some day. */
    private void checkRoom(Recovery found) throws IOException {
        if (settings.keepBytes() == JournalSettings.UNLIMITED) {
            return;
        }
        long has = found.length();
        for (String spare : FileNames.spares(disk)) {
            has += disk.length(spare);
        }
        long most = settings.mostBytes();
        long free = disk.free();
        if (most - has > free) {
            throw new DiskException("journal keep " + settings.keepBytes()
                    + " is more than there is room for: the disk of " + disk.place() + " has " + free
                    + " bytes free, and the journal has " + has + " so far and takes " + most
                    + " with three segments more");
        }
    }
}
