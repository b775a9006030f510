package dev.msgrelay.cluster;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.journal.format.EpochTable;
import dev.msgrelay.server.stream.Orderer;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Hands the cluster's decisions to the core, by {@link OrderedRecords}. On the service's thread. */
final class ToCore implements ClusterState.Output {
    private static final DirectBuffer NO_FRAMES = new UnsafeBuffer(0, 0);

    private final int node;
    private final long life;
    private final OrderedRecords records;
    private final Runnable wake;
    private final Runnable begins;
    private final Runnable waitForRoom;

    /**
     * @param node number of this node
     * @param wake wakes the core, to read records
     * @param begins called when the stream has begun
     * @param waitForRoom waits a moment for a core that lags; throws if it has lagged for too long
     */
    ToCore(int node, long life, OrderedRecords records, Runnable wake, Runnable begins, Runnable waitForRoom) {
        this.node = node;
        this.life = life;
        this.records = records;
        this.wake = wake;
        this.begins = begins;
        this.waitForRoom = waitForRoom;
    }

    @Override
    public void begins() {
        begins.run();
    }

    @Override
    public void goesOn(EpochTable.Epoch life) {
        records.putLife(claimRoom(OrderedRecords.LIFE, OrderedRecords.LIFE_LENGTH), life);
    }

    /** Number of an entry of this node's life; 0: the entry is of another node or life. */
    private long ownNumber(ClusterState.Entry entry) {
        return entry.node() == node && entry.life() == life ? entry.number() : 0;
    }

    @Override
    public void run(ClusterState.Entry entry, long number, long sequence, DirectBuffer frames, int offset, int length) {
        long own = ownNumber(entry);
        if (own == 0 && length == 0) {
            return;
        }
        int at = claimRoom(OrderedRecords.RUN, OrderedRecords.runLength(length));
        records.putRun(at, own, number, sequence, frames, offset, length);
    }

    @Override
    public void claimed(
            ClusterState.Entry entry, String name, CloseReason refusal, String text, long accepted, long sequence) {
        long own = ownNumber(entry);
        if (own > 0) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            int at = claimRoom(OrderedRecords.CLAIMED, OrderedRecords.claimedLength(bytes));
            records.putClaimed(at, own, accepted, sequence, refusal, bytes);
        }
    }

    @Override
    public void takenFromOthers(ClusterState.Entry entry, String name) {
        if (ownNumber(entry) == 0) {
            byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
            records.putTaken(claimRoom(OrderedRecords.TAKEN, bytes.length), bytes);
        }
    }

    @Override
    public void withoutEffect(ClusterState.Entry entry) {
        run(entry, Orderer.NONE, 0, NO_FRAMES, 0, 0);
    }

    /** Announces a term that this node did not know. */
    void newTerm() {
        records.putNewTerm(claimRoom(OrderedRecords.NEW_TERM, 0));
    }

    /** Claims room for a record. While it waits for room, the node reads no more of the cluster's log. */
    private int claimRoom(int kind, int length) {
        int at = records.tryClaim(kind, length);
        while (at < 0) {
            wake.run();
            waitForRoom.run();
            at = records.tryClaim(kind, length);
        }
        return at;
    }
}
