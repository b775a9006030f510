package dev.msgrelay.cluster;

import dev.msgrelay.cluster.Batch.Kind;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.figures.ClusterStatus;
import dev.msgrelay.server.journal.format.EpochTable;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.Orderer;
import dev.msgrelay.server.stream.RunScan;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.agrona.BitUtil;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.ControlledMessageHandler;

/**
 * Connects a relay's core with the cluster: the core's runs and claims go to {@link Outgoing}, the cluster's decisions
 * come back by {@link OrderedRecords}.
 *
 * <pre>
 *   core      --runs, claims--> Outgoing --batches--> Ingress ~~~ log of the cluster
 *     ^                            ^ ordered()                          |
 *     '-- drain: append, ordered --+-- OrderedRecords <--ToCore-- RelayService, ClusterState
 * </pre>
 *
 * On the core's thread, except methods whose comment names another one.
 */
final class ClusterOrderer implements Orderer {
    private static final AtomicReferenceFieldUpdater<ClusterOrderer, Throwable> FAILURE =
            AtomicReferenceFieldUpdater.newUpdater(ClusterOrderer.class, Throwable.class, "failure");

    /** Limits of a drain: the core sends to subscribers between two of them. */
    private static final int DRAIN_BYTES = 256 << 10;

    private static final int DRAIN_RECORDS = 256;

    private final int node;
    private final long life;
    private final Outgoing outgoing;
    private final OrderedRecords records;
    private final RunScan scan;
    private final int maxBody;
    private final Runnable whenClosed;

    // Fields of the core.
    private final ControlledMessageHandler handOver = this::handOver;
    private final NamesUnderWay names;
    private boolean held;
    private int drainedBytes;
    // Bytes that the core's log has from the relay's journal, and that the cluster's log is still to repeat.
    private long known;
    private volatile long appended;
    private String lastName = "";
    private byte[] lastNameBytes = Outgoing.NOTHING;
    private volatile Stream stream;
    private volatile Throwable failure;
    private volatile ClusterStatus status;
    // Position of the last force that the service has requested.
    private long wanted;

    // Set by the service before the relay reads it.
    private EpochTable lives = EpochTable.NONE;

    /**
     * @param outgoingBytes a power of two
     * @param orderedBytes memory of the records; a power of two
     * @param longestRun in bytes
     * @param whenClosed called once the core has ended
     */
    ClusterOrderer(
            int node,
            long life,
            int outgoingBytes,
            int orderedBytes,
            int longestRun,
            int maxBody,
            Runnable whenClosed) {
        this.node = node;
        this.life = life;
        this.outgoing = new Outgoing(outgoingBytes, BitUtil.align(longestRun + Batch.MOST_BESIDE, 8));
        this.records = new OrderedRecords(orderedBytes);
        this.names = new NamesUnderWay(outgoing);
        this.maxBody = maxBody;
        this.scan = RunScan.unpacked(maxBody);
        this.whenClosed = whenClosed;
    }

    /** @param begins called when the stream has begun */
    ToCore output(Runnable begins, Runnable waitForRoom) {
        return new ToCore(node, life, records, this::wake, begins, waitForRoom);
    }

    /** Sets the lives of a stream that has begun. On the service's thread. */
    void begins(EpochTable soFar) {
        lives = soFar;
    }

    int maxBody() {
        return maxBody;
    }

    Outgoing outgoing() {
        return outgoing;
    }

    void setStatus(ClusterStatus now) {
        status = now;
    }

    @Override
    public ClusterStatus status() {
        return status;
    }

    /** End of the relay's stream. Any thread. */
    long appended() {
        return appended;
    }

    /** Whether the core is ready for decisions. Any thread. */
    boolean hasCore() {
        return stream != null;
    }

    /**
     * Whether the stream up to a position is on the disk; also true without a journal. If false, a force is requested.
     * On the service's thread.
     */
    boolean isForced(long upTo) {
        Stream core = stream;
        if (core == null || core.forced() >= upTo) {
            return core != null;
        }
        if (wanted != upTo) {
            wanted = upTo;
            core.force(upTo);
        }
        return false;
    }

    /** Position up to which the journal is on the disk; MAX_VALUE: there is no journal, or no core. Any thread. */
    long forced() {
        Stream core = stream;
        return core == null ? Long.MAX_VALUE : core.forced();
    }

    /** Asks the journal for a force up to a position, and for the room that it needs. Any thread. */
    void hurry(long upTo) {
        Stream core = stream;
        if (core != null) {
            core.makeRoom();
            core.force(upTo);
        }
    }

    /** Wakes the core, to read records. Any thread. */
    void wake() {
        Stream core = stream;
        if (core != null) {
            core.wake();
        }
    }

    /** Ends the relay with the first cause that was given. Any thread. */
    void failed(Throwable cause) {
        FAILURE.compareAndSet(this, null, cause);
        Stream core = stream;
        if (core != null) {
            core.failed(failure);
        }
    }

    @Override
    public EpochTable lives() {
        return lives;
    }

    @Override
    public void setStream(Stream core) {
        Mark end = new Mark();
        core.readEnd(end);
        known = end.position() - lives.forcedPosition();
        appended = end.position();
        stream = core;
        // The node may have failed while the relay read its journal.
        Throwable before = failure;
        if (before != null) {
            core.failed(before);
        }
    }

    @Override
    public boolean hasRoom() {
        return outgoing.hasRoom();
    }

    @Override
    public void onEvent(ByteBuffer buffer, int offset, int length, int frameLength) {
        int messages = frameLength > 0
                ? length / frameLength
                : scan.scan(buffer, offset, length, 0).frames();
        if (!outgoing.add(messages, buffer, offset, length)) {
            throw new IllegalStateException("run of " + length + " bytes, and there is no room");
        }
    }

    @Override
    public boolean submit(RunScan span) {
        return outgoing.add(span.frames(), span.buffer(), span.offset(), span.wholeBytes());
    }

    @Override
    public boolean submit(RunScan span, String name, ProducerId producer, long first, Numbered whose) {
        return outgoing.add(
                Kind.RUN,
                span.frames(),
                span.buffer(),
                span.offset(),
                span.wholeBytes(),
                first,
                producer,
                nameBytes(name),
                Outgoing.NOTHING,
                whose);
    }

    /** The name's bytes, encoded once for consecutive runs of a publisher. */
    private byte[] nameBytes(String name) {
        if (!name.equals(lastName)) {
            lastName = name;
            lastNameBytes = NamesUnderWay.utf8(name);
        }
        return lastNameBytes;
    }

    @Override
    public boolean claim(String name, ProducerId producer, String owner, Claimant who) {
        return names.claim(name, producer, owner, who);
    }

    @Override
    public void releaseName(String name, ProducerId producer) {
        names.sendLeave(name, producer);
    }

    @Override
    public boolean hasPlentyOfRoom() {
        return outgoing.isHalfEmpty();
    }

    @Override
    public boolean isEmpty() {
        return outgoing.isEmpty() && records.isEmpty();
    }

    @Override
    public boolean drain() {
        held = false;
        drainedBytes = 0;
        records.read(handOver, DRAIN_RECORDS);
        names.sendLeaves();
        return !held && !records.isEmpty();
    }

    @Override
    public boolean hasOrdered() {
        return !records.isEmpty();
    }

    private ControlledMessageHandler.Action handOver(int kind, MutableDirectBuffer buffer, int at, int length) {
        switch (kind) {
            case OrderedRecords.RUN -> held = !appendRun(at, length);
            case OrderedRecords.LIFE -> held = !stream.begins(records.life(at));
            case OrderedRecords.CLAIMED -> answerClaim(at, length);
            case OrderedRecords.TAKEN -> stream.takenElsewhere(records.takenName(at, length));
            default -> checkKnown();
        }
        if (held) {
            return ControlledMessageHandler.Action.ABORT;
        }
        drainedBytes += length;
        return drainedBytes < DRAIN_BYTES
                ? ControlledMessageHandler.Action.CONTINUE
                : ControlledMessageHandler.Action.BREAK;
    }

    /** Appends the new frames of a RUN to the core's log; returns false if the log has no room. */
    private boolean appendRun(int at, int length) {
        int frameBytes = records.frameBytes(length);
        int old = (int) Math.min(known, frameBytes);
        int fresh = frameBytes - old;
        if (fresh > 0 && !stream.hasRoom()) {
            return false;
        }
        if (fresh > 0) {
            stream.append(records.bytes(), records.framesAt(at) + old, fresh);
            appended += fresh;
        }
        known -= old;
        long entry = records.entry(at);
        if (entry > 0) {
            Numbered whose = outgoing.ordered(entry);
            long number = records.number(at);
            if (number != NONE) {
                whose.ordered(number, records.sequence(at));
            }
        }
        return true;
    }

    private void answerClaim(int at, int length) {
        outgoing.ordered(records.entry(at));
        CloseReason refusal = records.refusal(at);
        names.decided(refusal != null)
                .claimed(refusal, records.refusalText(at, length), records.number(at), records.sequence(at));
    }

    /** Checks, at a term that this node did not know, that the cluster's log has repeated the whole journal. */
    private void checkKnown() {
        if (known > 0) {
            throw new IllegalStateException(
                    "the journal has " + known + " bytes more than the cluster, a majority of which has"
                            + " lost what was acknowledged: give this node an empty directory for its journal");
        }
    }

    @Override
    public void close() {
        whenClosed.run();
    }
}
