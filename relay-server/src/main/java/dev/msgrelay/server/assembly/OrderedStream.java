package dev.msgrelay.server.assembly;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.connection.ConnectionTable;
import dev.msgrelay.server.connection.Durability;
import dev.msgrelay.server.connection.EngineLoop;
import dev.msgrelay.server.connection.Session;
import dev.msgrelay.server.journal.format.EpochTable;
import dev.msgrelay.server.producers.NameTable;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.NetworkBatchHandler;
import dev.msgrelay.server.stream.Orderer;
import dev.msgrelay.server.stream.PacketLog;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;

/**
 * Adds messages to the log in the order that an {@link Orderer} has decided. Owned by the core's thread.
 *
 * @param older connections that began before the last change of the epoch, and have not ended
 */
record OrderedStream(
        EngineLoop core,
        NetworkBatchHandler handler,
        PacketLog log,
        NameTable names,
        ConnectionTable table,
        JournalLink journal,
        Consumer<Throwable> failure,
        List<Session> older)
        implements Orderer.Stream {
    private static final String ANEW = "the cluster was started anew: connect again, to its new epoch";

    @Override
    public boolean hasRoom() {
        return handler.hasRoom();
    }

    @Override
    public boolean begins(EpochTable.Epoch life) {
        // If the epoch is known, this is a further call, or the journal has the epoch from an earlier start.
        if (journal.forkOf(life.epoch()) == Durability.UNKNOWN) {
            journal.begins(life);
            // Listed only after begins, since later connections get the new epoch in WELCOME, and need not end.
            older.addAll(table.live());
            older.forEach(c -> c.execute(() -> c.close(CloseReason.SHUTDOWN, ANEW)));
        }
        older.removeIf(c -> c.state().ended());
        return older.isEmpty();
    }

    @Override
    public void append(ByteBuffer buffer, int offset, int length) {
        handler.append(buffer, offset, length);
    }

    @Override
    public void readEnd(Mark into) {
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
    public void makeRoom() {
        journal.makeRoom();
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
