package dev.msgrelay.server.engine;

import dev.msgrelay.server.core.EngineLoop;
import dev.msgrelay.server.core.NetworkBatchHandler;
import dev.msgrelay.server.core.Orderer;
import dev.msgrelay.server.ingest.NameTable;
import dev.msgrelay.server.log.Mark;
import dev.msgrelay.server.log.PacketLog;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** The way into the log for runs that an {@link Orderer} has put in order. */
record OrderedStream(
        EngineLoop core,
        NetworkBatchHandler handler,
        PacketLog log,
        NameTable names,
        JournalLink journal,
        Consumer<Throwable> failure)
        implements Orderer.Stream {
    @Override
    public boolean makeReady() {
        return handler.makeReady();
    }

    @Override
    public void append(ByteBuffer buffer, int offset, int length) {
        handler.append(buffer, offset, length);
    }

    @Override
    public void end(Mark into) {
        into.set(log.endPosition(), log.lastSequence() + 1);
    }

    @Override
    public void takenElsewhere(String name) {
        names.takenElsewhere(name);
    }

    @Override
    public long forced() {
        return journal.forcedPosition();
    }

    @Override
    public void force(long position) {
        if (position > journal.forcedPosition()) {
            core.io().execute(() -> journal.wantForced(position));
        }
    }

    @Override
    public void wake() {
        VarHandle.fullFence();
        core.signal();
    }

    @Override
    public void failed(Throwable cause) {
        failure.accept(cause);
    }
}
