package dev.msgrelay.server.ingest;

import dev.msgrelay.server.core.NetworkBatchHandler;
import dev.msgrelay.server.core.RunScan;
import dev.msgrelay.server.flow.HeldSources;
import dev.msgrelay.server.log.PacketLog;
import dev.msgrelay.server.memory.ReadWindow;

/**
 * For publishers on the core's own loop: a socket is read straight to where the log ends, and what it brought stays
 * there. So the kernel alone copies the bytes between two sockets.
 */
public record InPlacePort(
        NetworkBatchHandler handler,
        PacketLog log,
        NameTable names,
        RunScan scan,
        HeldSources held,
        LoopBuffers buffers)
        implements IngestPort {
    /** With less room than this at the end of a chunk, a read goes to the loop's buffer, is short, and is copied. */
    private static final int LEAST_IN_PLACE = LoopBuffers.SHORT_READ / 2;

    @Override
    public boolean makeReady() {
        return handler.makeReady();
    }

    @Override
    public ReadWindow window(int front, int most) {
        ReadWindow inPlace = log.end(front + Math.min(most, LEAST_IN_PLACE), front + most);
        return inPlace != null ? inPlace : buffers.reads().open(0, front + Math.min(most, LoopBuffers.SHORT_READ));
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
        handler.take(span);
        if (name != null) {
            names.accepted(name, span.frames(), log.lastSequence());
        }
        return true;
    }

    @Override
    public boolean allShown() {
        return handler.allShown();
    }

    @Override
    public void readWasFull() {
        handler.readWasFull();
    }
}
