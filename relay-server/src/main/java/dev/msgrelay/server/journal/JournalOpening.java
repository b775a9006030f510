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
 * @param epoch random number of the stream's new life; used only if the relay is in no cluster
 * @param millis now, in ms since 1970
 * @param others the lives of a cluster's stream, and the position where the cluster's log begins; null: the relay is in
 *     no cluster
 * @param progress receives the number of segments inspected so far
 */
public record JournalOpening(
        Disk disk, JournalSettings settings, long epoch, long millis, EpochTable others, RecoveryProgress progress) {
    /**
     * Takes the directory's lock, cuts off the torn tail of a crash, and begins a new life of the stream.
     *
     * @throws DiskException another process has locked the directory; or it is damaged, cannot be written to, has no
     *     room, or has another stream; or messages between its end and the beginning of the cluster's log are missing.
     *     A damaged directory is not changed
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
            // An unfinished snapshot may be what takes the room.
            Repair.deleteLeftovers(disk, found);
            checkRoom(found);
            if (others != null && found.isNew()) {
                new EpochTable(List.of(), others.forcedPosition(), others.forcedSequence()).write(disk);
                found = Recovery.inspect(disk, Recovery.Depth.START, progress);
            } else if (others != null) {
                checkGoesOn(found);
            }
            Repair.cut(disk, found);
            if (others != null) {
                // The cluster continues with the epoch of the torn tail. A spare file may contain records of that tail,
                // and these would seem valid if the file were reused at the same position.
                for (String spare : FileNames.spares(disk)) {
                    disk.delete(spare);
                }
            }
            EpochTable epochs = livesOf(found);
            // Makes room for a first segment before the life is added to the table, so failed starts add no lives.
            Journal journal = new Journal(new JournalParts(disk, settings, found), lock, epochs);
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

    /** Checks that the directory has the cluster's stream, without a gap before the cluster's log. */
    private void checkGoesOn(Recovery found) throws DiskException {
        // Directory and cluster may each know a life that the other does not know yet.
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

    /** Checks that the journal's largest size fits on the disk, because a full disk would stop the publishers. */
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
