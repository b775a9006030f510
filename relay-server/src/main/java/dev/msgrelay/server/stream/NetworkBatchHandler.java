package dev.msgrelay.server.stream;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts all publishers' messages into one order, and into batches. A read on the core's own thread appends its whole
 * frames, a span, to the log. After these reads the runs of other threads follow, from the ring and from stages.
 *
 * <p>A batch is all that one cycle of the core brings. Only {@link #endOfBatch}, which only {@link #drain} calls, moves
 * the head of the log, so that subscribers are handed the whole batch at once. A packet ends before the frame that
 * would make it longer than the payload of one MTU. A frame longer than this payload is a packet of its own.
 *
 * <pre>
 *   ring, stages:            drain -> onEvent(run) --walk--.
 *   other relays:            drain -> append(bytes) -walk--+-> pack(span) -> packets, PacketLog.append ... endOfBatch
 *   sockets of this thread:  append(span), walked before --'
 * </pre>
 *
 * <p>Owned by the core's thread, the log's only writer, unless a method says otherwise.
 */
public final class NetworkBatchHandler implements FrameRing.Handler {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private static final int BATCHES_PER_LOOK = 256;
    private static final int LOOKS_AT_BUSY_STAGES = 32;

    private final FrameRing ring;
    private final PacketLog log;
    private final WindowGate gate;
    // The receiver of runs: this handler, or in a cluster the orderer.
    private FrameRing.Handler runs = this;
    private Optional<Orderer> orderer = Optional.empty();
    private final RunScan scan;
    private final LongSupplier clock;
    private final LongConsumer times;

    private volatile RunStage[] stages = {};
    private int batches;
    private boolean timing;
    private long batchNanos;
    private boolean readIsFull;
    // The failure that interrupted an append, so that the log may have only a part of the span; null without one.
    private Throwable inDoubt;

    /**
     * @param scan made for the longest body, and for a packet's payload: the MTU less the IP and TCP headers
     * @param clock in ns, read at the start and the end of a batch only
     * @param times gets the time that each batch took, in ns
     */
    public NetworkBatchHandler(
            FrameRing ring, PacketLog log, WindowGate gate, RunScan scan, LongSupplier clock, LongConsumer times) {
        this.ring = ring;
        this.log = log;
        this.gate = gate;
        this.scan = scan;
        this.clock = clock;
        this.times = times;
    }

    /** Sets an orderer, which decides the order of several relays. Called before the first batch, or never. */
    public void decidedBy(Orderer ofSeveral) {
        runs = ofSeveral;
        orderer = Optional.of(ofSeveral);
    }

    @Override
    public boolean hasRoom() {
        return inDoubt == null && log.hasRoom();
    }

    /** Appends the whole frames of a span that a socket of this thread has brought. Requires {@link #hasRoom}. */
    public void append(RunScan span) {
        try {
            pack(span);
        } catch (Throwable e) {
            // The caller catches this, and ends only this publisher. The next drain also throws, which ends the relay.
            inDoubt = e;
            throw e;
        }
    }

    /**
     * Takes runs from the ring, and from stages if the ring is empty. Then ends the batch of this cycle, which moves
     * the head, even if the gate refuses a run. Otherwise readers would get no more, and the gate would never open.
     *
     * @return whether the ring has another run, or a read is likely to bring more
     */
    public boolean drain() {
        if (inDoubt != null) {
            throw new IllegalStateException("the order is in doubt", inDoubt);
        }
        boolean got = ring.poll(runs);
        // A look at a stage takes its cache lines from the producer's processor. So while other producers fill the
        // ring, stages are looked at only now and then.
        if (!got || ++batches % BATCHES_PER_LOOK == 0) {
            for (RunStage stage : stages) {
                got |= stage.drainTo(runs);
                if (stage.isClosed() && stage.isDone(clock.getAsLong())) {
                    forget(stage);
                }
            }
        }
        boolean more = readIsFull;
        readIsFull = false;
        if (orderer.isPresent()) {
            more |= orderer.get().drain();
        }
        if (!allShown()) {
            endOfBatch();
        }
        return more || got && !ring.refused() && ring.hasNext();
    }

    @Override
    public void onEvent(ByteBuffer buffer, int offset, int length, int frameLength) {
        // A run is walked here, and not by its producer, because the ends of its packets depend on the runs before it.
        int open = log.openPacketBytes();
        RunScan walked = frameLength > 0
                ? scan.splitEqualFrames(buffer, offset, length, frameLength, open)
                : scan.scan(buffer, offset, length, open);
        if (walked.wholeBytes() != length) {
            // Producers check their runs, so this is a fault of the relay. The bytes after the whole frames must not
            // reach a subscriber, and must not stop the ring.
            LOG.error(
                    "a run in the ring is not whole frames, which is a fault of the relay:"
                            + " {} of its {} bytes are dropped ({})",
                    walked.rest(),
                    length,
                    walked.problemText());
        }
        pack(walked);
    }

    /**
     * Packs a run of whole frames that an orderer has put in order. Requires {@link #hasRoom}.
     *
     * @throws IllegalStateException the run is not whole frames; this relay's stream would differ from those of the
     *     other relays
     */
    public void append(ByteBuffer buffer, int offset, int length) {
        RunScan walked = scan.scan(buffer, offset, length, log.openPacketBytes());
        if (walked.wholeBytes() != length) {
            throw new IllegalStateException("a run that the others have put in order is not whole frames: "
                    + walked.rest() + " of its " + length + " bytes are none (" + walked.problemText() + ")");
        }
        pack(walked);
    }

    /** Packs the whole frames of a span. The walk over them began with the bytes of the log's open packet. */
    private void pack(RunScan span) {
        if (!timing) {
            timing = true;
            batchNanos = clock.getAsLong();
        }
        for (int k = 0; k < span.packets(); k++) {
            log.packetStartsAt(span.packetEnd(k), span.framesBefore(k));
        }
        log.announce(span);
        log.append(span.buffer(), span.offset(), span.wholeBytes(), span.frames());
    }

    void endOfBatch() {
        log.publish();
    }

    /** Ends the timing of a batch, when subscribers have been handed the messages that {@link #drain} made visible. */
    public void handedOver() {
        if (timing) {
            timing = false;
            times.accept(clock.getAsLong() - batchNanos);
        }
    }

    /** Notes that a read of this cycle filled its memory, so that more is likely to come. */
    public void readWasFull() {
        readIsFull = true;
    }

    /** Returns whether readers see all that is in the log; false in the middle of a batch. */
    public boolean allShown() {
        return log.endPosition() == log.head().position();
    }

    /** Returns whether a run waits that the last {@link #drain} did not find. The core calls this before it sleeps. */
    public boolean pending() {
        // The core may sleep although runs wait in the ring. Readers that hold the writer back wake it when they have
        // read more. An orderer without room wakes it when runs are ordered.
        boolean waits = orderer.isEmpty()
                ? runReadySoon()
                : orderer.get().hasOrdered() || orderer.get().hasRoom() && runReadySoon();
        return waits && !gate.stillRefuses() && !log.starved();
    }

    /**
     * Returns the longest time that the core may sleep, in ns; 0: no limit. A moment, if a producer may have found the
     * core awake just before the core fell asleep, and then does not wake it.
     */
    public long sleepNanos() {
        long now = stages.length == 0 ? 0 : clock.getAsLong();
        boolean looksAgain = anyStage(stage -> !stage.isSettled(now) || stage.waiting());
        return looksAgain && !gate.stillRefuses() ? RunStage.MOMENT_NANOS : 0;
    }

    /** Adds the stage of a producer. Any thread. */
    public synchronized void add(RunStage stage) {
        RunStage[] next = Arrays.copyOf(stages, stages.length + 1);
        next[next.length - 1] = stage;
        stages = next;
    }

    /** Returns whether no run waits in a stage, in the ring or for an orderer. */
    public boolean isEmpty() {
        // A run moves on in this order, so none is missed if it moves between two checks.
        return !anyStage(stage -> stage.isClosed() && stage.isClosing(clock.getAsLong()) || stage.waiting())
                && ring.isEmpty()
                && orderer.map(Orderer::isEmpty).orElse(true);
    }

    public boolean hasPlentyOfRoom() {
        return ring.remainingCells() >= ring.cells() / 2
                && orderer.map(Orderer::hasPlentyOfRoom).orElse(true);
    }

    /** Returns the stages of producers that have not ended. Any thread. */
    public List<RunStage> stages() {
        return List.of(stages);
    }

    private synchronized void forget(RunStage stage) {
        stages = Arrays.stream(stages).filter(s -> s != stage).toArray(RunStage[]::new);
    }

    private boolean anyStage(Predicate<RunStage> is) {
        for (RunStage stage : stages) {
            if (is.test(stage)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether the ring or a stage has a run. If a producer is at its stage, spins for a moment, which is
     * cheaper than to sleep and be woken. A longer spin could keep the producer from its processor.
     */
    private boolean runReadySoon() {
        int looks = 0;
        while (!ring.hasNext() && !anyStage(RunStage::ready)) {
            if (++looks > LOOKS_AT_BUSY_STAGES || !anyStage(RunStage::waiting)) {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }
}
