package dev.msgrelay.cluster;

import dev.msgrelay.cluster.Batch.Kind;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.core.ClusterStatus;
import dev.msgrelay.server.core.Orderer;
import dev.msgrelay.server.core.Run;
import dev.msgrelay.server.core.RunScan;
import dev.msgrelay.server.log.Mark;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.ControlledMessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/**
 * Between a relay's core and the cluster: what producers bring goes to {@link Outgoing}, what the cluster has put in order
 * comes back through a second ring.
 *
 * <pre>
 *   core      --runs, claims--> Outgoing --batches--> Ingress ~~~ log of the cluster
 *     ^                            ^ ordered()                          |
 *     '-- drain: append, ordered --+---- ring <--records-- RelayService, ClusterState.Output
 * </pre>
 *
 * The ring's producer is the service's thread, all else is the core's.
 */
final class ClusterOrderer implements Orderer {
    private static final byte[] NOTHING = {};

    private static final AtomicReferenceFieldUpdater<ClusterOrderer, Throwable> FAILURE =
            AtomicReferenceFieldUpdater.newUpdater(ClusterOrderer.class, Throwable.class, "failure");

    /** Bytes that are handed over before readers have their turn. */
    private static final int DRAIN_BYTES = 256 << 10;

    private static final int DRAIN_RECORDS = 256;

    // Kinds of records of the ring.
    private static final int RUN = 1;
    private static final int CLAIMED = 2;
    private static final int TAKEN = 3;
    private static final int NEW_TERM = 4;

    // Of a RUN: entry, number, sequence, frames.
    private static final int NUMBER_OFFSET = 8;
    private static final int SEQUENCE_OFFSET = 16;
    private static final int FRAMES_OFFSET = 24;
    // Of CLAIMED: entry, accepted, sequence, code of the refusal, text.
    private static final int CODE_OFFSET = 24;
    private static final int TEXT_OFFSET = 28;

    /** A name and whose it is. */
    private record Named(String name, ProducerId producer) {}

    private final int node;
    private final long life;
    private final Outgoing outgoing;
    private final RunScan scan;
    private final OneToOneRingBuffer ring;
    private final ByteBuffer ringBytes;
    private final int maxBody;
    private final Runnable whenClosed;

    // Of the core.
    private final ControlledMessageHandler drained = this::take;
    private final ArrayDeque<Named> leaves = new ArrayDeque<>();
    // That are not in order yet, in the order in which they will be.
    private final ArrayDeque<Named> claims = new ArrayDeque<>();
    // That wait for what becomes of the claim of a newer connection.
    private final Set<Named> laterLeaves = new HashSet<>();
    private boolean held;
    private int drainedBytes;
    // So many bytes come first that the log has from the relay's journal.
    private long known;
    private volatile long appended;
    private String lastName = "";
    private byte[] lastNameBytes = NOTHING;
    private volatile Stream stream;
    private volatile Throwable failure;
    private volatile ClusterStatus status;
    // Of the service: it has asked that so much be forced.
    private long wanted;

    // Set before anybody asks.
    private long epoch;
    private long position;
    private long sequence;

    /**
     * @param outgoingBytes a power of two
     * @param orderedBytes of the second ring; a power of two
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
        this.maxBody = maxBody;
        this.scan = new RunScan(Integer.MAX_VALUE, maxBody);
        ByteBuffer memory = ByteBuffer.allocateDirect(orderedBytes + RingBufferDescriptor.TRAILER_LENGTH);
        this.ringBytes = memory.duplicate().order(ByteOrder.nativeOrder());
        this.ring = new OneToOneRingBuffer(new UnsafeBuffer(memory));
        this.whenClosed = whenClosed;
    }

    /** The cluster's stream has begun: what the engine is told of it. */
    void begins(long itsEpoch, long itsPosition, long itsSequence) {
        epoch = itsEpoch;
        position = itsPosition;
        sequence = itsSequence;
    }

    /** Longest body of a message that the relay takes. */
    int maxBody() {
        return maxBody;
    }

    Outgoing outgoing() {
        return outgoing;
    }

    /** How the node stands from now on. */
    void stands(ClusterStatus now) {
        status = now;
    }

    @Override
    public ClusterStatus status() {
        return status;
    }

    /** Up to where the relay has the stream. Any thread. */
    long appended() {
        return appended;
    }

    /** Whether there is a core that takes what is in order. */
    boolean isFed() {
        return stream != null;
    }

    /** Whether the stream up to a position is on the relay's disk, where it keeps it there; sees to it that it will be. The service's. */
    boolean isForced(long upTo) {
        Stream whom = stream;
        if (whom == null || whom.forced() >= upTo) {
            return whom != null;
        }
        if (wanted != upTo) {
            wanted = upTo;
            whom.force(upTo);
        }
        return false;
    }

    /** Up to where the stream is on the relay's disk; all of it, where it keeps none there, or is not there yet. Any thread. */
    long forced() {
        Stream whom = stream;
        return whom == null ? Long.MAX_VALUE : whom.forced();
    }

    /** Has the stream forced up to a position. Any thread. */
    void force(long upTo) {
        Stream whom = stream;
        if (whom != null) {
            whom.force(upTo);
        }
    }

    /** The order is over. Any thread; the first one that says so knows why. */
    void failed(Throwable cause) {
        FAILURE.compareAndSet(this, null, cause);
        Stream whom = stream;
        if (whom != null) {
            whom.failed(failure);
        }
    }

    // ---- to the cluster ------------------------------------------------------------------------------------------

    @Override
    public long epoch() {
        return epoch;
    }

    @Override
    public void beginning(Mark into) {
        into.set(position, sequence);
    }

    @Override
    public void feed(Stream whom) {
        Mark end = new Mark();
        whom.end(end);
        known = end.position() - position;
        appended = end.position();
        stream = whom;
        // Also what it was while the relay looked through its journal.
        Throwable before = failure;
        if (before != null) {
            whom.failed(before);
        }
    }

    @Override
    public boolean makeReady() {
        return outgoing.hasRoom();
    }

    @Override
    public void onEvent(Run run) {
        int messages = run.frameLength() > 0
                ? run.length() / run.frameLength()
                : scan.scan(run.buffer(), run.offset(), run.length(), 0).frames();
        if (!outgoing.add(messages, run.buffer(), run.offset(), run.length())) {
            throw new IllegalStateException("run of " + run.length() + " bytes, and there is no room");
        }
    }

    @Override
    public boolean take(RunScan span) {
        return outgoing.add(span.frames(), span.buffer(), span.offset(), span.end());
    }

    @Override
    public boolean take(RunScan span, String name, ProducerId producer, long first, Numbered whose) {
        return outgoing.add(
                Kind.RUN,
                span.frames(),
                span.buffer(),
                span.offset(),
                span.end(),
                first,
                producer,
                bytes(name),
                NOTHING,
                whose);
    }

    private byte[] bytes(String name) {
        if (!name.equals(lastName)) {
            lastName = name;
            lastNameBytes = text(name);
        }
        return lastNameBytes;
    }

    private static byte[] text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > Batch.MOST_TEXT) {
            throw new IllegalArgumentException("'" + text + "' has " + bytes.length + " bytes, a cluster's names have "
                    + Batch.MOST_TEXT + " at most");
        }
        return bytes;
    }

    @Override
    public boolean claim(String name, ProducerId producer, String owner, Claimant who) {
        sendLeaves();
        if (!leaves.isEmpty() || !outgoing.add(Kind.CLAIM, 0, null, 0, 0, 0, producer, text(name), text(owner), who)) {
            return false;
        }
        claims.add(new Named(name, producer));
        return true;
    }

    @Override
    public void leave(String name, ProducerId producer) {
        Named named = new Named(name, producer);
        if (claims.contains(named)) {
            // Of a newer connection, whose name this would give up.
            laterLeaves.add(named);
        } else {
            leaves.add(named);
            sendLeaves();
        }
    }

    private void sendLeaves() {
        while (!leaves.isEmpty()) {
            Named first = leaves.peek();
            if (!outgoing.add(Kind.LEAVE, 0, null, 0, 0, 0, first.producer, text(first.name), NOTHING, null)) {
                return;
            }
            leaves.poll();
        }
    }

    @Override
    public boolean hasPlentyOfRoom() {
        return outgoing.isHalfEmpty();
    }

    @Override
    public boolean isEmpty() {
        return outgoing.isEmpty() && ring.size() == 0;
    }

    // ---- from the cluster, on the core's thread ------------------------------------------------------------------

    @Override
    public boolean drain() {
        held = false;
        drainedBytes = 0;
        ring.controlledRead(drained, DRAIN_RECORDS);
        if (!leaves.isEmpty()) {
            sendLeaves();
        }
        return !held && ring.size() > 0;
    }

    @Override
    public boolean hasOrdered() {
        return ring.size() > 0;
    }

    private ControlledMessageHandler.Action take(int kind, MutableDirectBuffer buffer, int at, int length) {
        switch (kind) {
            case RUN -> {
                int old = (int) Math.min(known, length - FRAMES_OFFSET);
                int bytes = length - FRAMES_OFFSET - old;
                if (bytes > 0 && !stream.makeReady()) {
                    held = true;
                    return ControlledMessageHandler.Action.ABORT;
                }
                if (bytes > 0) {
                    stream.append(ringBytes, at + FRAMES_OFFSET + old, bytes);
                    appended += bytes;
                }
                known -= old;
                long entry = buffer.getLong(at);
                long number = buffer.getLong(at + NUMBER_OFFSET);
                if (entry > 0 && outgoing.ordered(entry) instanceof Numbered whose && number != NONE) {
                    whose.ordered(number, buffer.getLong(at + SEQUENCE_OFFSET));
                }
            }
            case CLAIMED -> {
                Named claim = claims.poll();
                CloseReason refusal = CloseReason.ofCode(buffer.getInt(at + CODE_OFFSET));
                if (laterLeaves.remove(claim) && refusal != null) {
                    leave(claim.name, claim.producer);
                }
                ((Claimant) outgoing.ordered(buffer.getLong(at)))
                        .claimed(
                                refusal,
                                text(buffer, at + TEXT_OFFSET, length - TEXT_OFFSET),
                                buffer.getLong(at + NUMBER_OFFSET),
                                buffer.getLong(at + SEQUENCE_OFFSET));
            }
            case TAKEN -> stream.takenElsewhere(text(buffer, at, length));
            default -> checkKnown();
        }
        drainedBytes += length;
        return drainedBytes < DRAIN_BYTES
                ? ControlledMessageHandler.Action.CONTINUE
                : ControlledMessageHandler.Action.BREAK;
    }

    /** A term has begun that this node did not know: what comes now is not in its journal. */
    private void checkKnown() {
        if (known > 0) {
            throw new IllegalStateException(
                    "the journal has " + known + " bytes more than the cluster, a majority of which has"
                            + " lost what was acknowledged: give this node an empty directory for its journal");
        }
    }

    private static String text(DirectBuffer buffer, int at, int length) {
        byte[] bytes = new byte[length];
        buffer.getBytes(at, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        whenClosed.run();
    }

    // ---- from the cluster, on the service's thread ---------------------------------------------------------------

    /** What the service waits with while the core has fallen behind. */
    interface Patience {
        /** Waits a moment; throws where it has been too long. */
        void await();
    }

    /**
     * The way to the core.
     *
     * @param begins called when the stream has begun
     */
    ToCore output(Runnable begins, Patience patience) {
        return new ToCore(begins, patience);
    }

    /** The core has something to look at. */
    void wake() {
        Stream whom = stream;
        if (whom != null) {
            whom.wake();
        }
    }

    /** What the log says, on its way to the core. */
    final class ToCore implements ClusterState.Output {
        private final Runnable begins;
        private final Patience patience;

        ToCore(Runnable begins, Patience patience) {
            this.begins = begins;
            this.patience = patience;
        }

        @Override
        public void begins() {
            begins.run();
        }

        private long own(ClusterState.Entry entry) {
            return entry.node() == node && entry.life() == life ? entry.number() : 0;
        }

        @Override
        public void run(
                ClusterState.Entry entry, long number, long itsSequence, DirectBuffer frames, int offset, int length) {
            long own = own(entry);
            if (own == 0 && length == 0) {
                return;
            }
            int at = claim(RUN, FRAMES_OFFSET + length);
            put(at, own, number, itsSequence);
            ring.buffer().putBytes(at + FRAMES_OFFSET, frames, offset, length);
            ring.commit(at);
        }

        @Override
        public void claimed(
                ClusterState.Entry entry,
                String name,
                CloseReason refusal,
                String text,
                long accepted,
                long itsSequence) {
            long own = own(entry);
            if (own > 0) {
                byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                int at = claim(CLAIMED, TEXT_OFFSET + bytes.length);
                put(at, own, accepted, itsSequence);
                ring.buffer().putInt(at + CODE_OFFSET, refusal == null ? 0 : refusal.code());
                ring.buffer().putBytes(at + TEXT_OFFSET, bytes);
                ring.commit(at);
            }
        }

        @Override
        public void taken(ClusterState.Entry entry, String name) {
            if (own(entry) == 0) {
                byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
                int at = claim(TAKEN, bytes.length);
                ring.buffer().putBytes(at, bytes);
                ring.commit(at);
            }
        }

        @Override
        public void done(ClusterState.Entry entry) {
            run(entry, NONE, 0, ring.buffer(), 0, 0);
        }

        /** A term begins here that this node did not know. */
        void newTerm() {
            ring.commit(claim(NEW_TERM, 0));
        }

        /** Back pressure is waiting here, and that is bounded. */
        private int claim(int kind, int length) {
            int at = ring.tryClaim(kind, length);
            while (at < 0) {
                wake();
                patience.await();
                at = ring.tryClaim(kind, length);
            }
            return at;
        }
    }

    /** The three numbers that records begin with. */
    private void put(int at, long entry, long number, long itsSequence) {
        ring.buffer().putLong(at, entry);
        ring.buffer().putLong(at + NUMBER_OFFSET, number);
        ring.buffer().putLong(at + SEQUENCE_OFFSET, itsSequence);
    }
}
