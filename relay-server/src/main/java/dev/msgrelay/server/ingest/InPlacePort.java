package dev.msgrelay.server.ingest;

import dev.msgrelay.server.core.Order;
import dev.msgrelay.server.core.RunScan;
import dev.msgrelay.server.flow.HeldSources;
import dev.msgrelay.server.log.PacketLog;
import dev.msgrelay.server.memory.ReadWindow;

/**
 * For publishers on the core's own loop: a socket is read straight to where the log ends, and what it brought stays
 * there. So the kernel alone copies the bytes between two sockets.
 */
public final class InPlacePort implements IngestPort {
    /** With less room than this at the end of a chunk, a read goes to the loop's buffer, is short, and is copied. */
    private static final int LEAST_IN_PLACE = LoopBuffers.SHORT_READ / 2;

    private final Order order;
    private final PacketLog log;
    private final NameTable names;
    private final RunScan scan;
    private final HeldSources held;
    private final LoopBuffers buffers;
    private boolean moreExpected;

    public InPlacePort(
            Order order, PacketLog log, NameTable names, RunScan scan, HeldSources held, LoopBuffers buffers) {
        this.order = order;
        this.log = log;
        this.names = names;
        this.scan = scan;
        this.held = held;
        this.buffers = buffers;
    }

    @Override
    public boolean makeReady() {
        return order.makeReady();
    }

    @Override
    public ReadWindow window(int front, int most) {
        ReadWindow inPlace = log.end(front + Math.min(most, LEAST_IN_PLACE), front + most);
        return inPlace != null ? inPlace : buffers.reads().open(0, front + Math.min(most, LoopBuffers.SHORT_READ));
    }

    @Override
    public RunScan scan() {
        return scan;
    }

    @Override
    public int openBytes() {
        return log.openPacketBytes();
    }

    @Override
    public boolean take(RunScan span, PublisherName name) {
        if (name != null && !names.hasRoom()) {
            return false;
        }
        order.take(span);
        if (name != null) {
            names.accepted(name, span.frames(), log.lastSequence());
        }
        return true;
    }

    @Override
    public void hold(HeldSources.Source source) {
        // The core looks at those who wait in each cycle.
        held.add(source, false);
    }

    @Override
    public boolean allShown() {
        return order.allShown();
    }

    @Override
    public void moreExpected() {
        moreExpected = true;
    }

    @Override
    public boolean takeMoreExpected() {
        boolean more = moreExpected;
        moreExpected = false;
        return more;
    }

    @Override
    public LoopBuffers buffers() {
        return buffers;
    }
}
