package dev.msgrelay.server.ingest;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.flow.HeldSources;
import dev.msgrelay.server.memory.MemoryLine;
import dev.msgrelay.server.memory.ReadWindow;
import dev.msgrelay.server.net.ReadSwitch;
import dev.msgrelay.server.net.SegmentSize;
import dev.msgrelay.server.net.SocketReads;
import dev.msgrelay.server.ops.Counter;
import dev.msgrelay.server.ops.Counters;
import dev.msgrelay.server.session.Session;
import dev.msgrelay.server.session.SessionState;
import io.netty.buffer.ByteBuf;
import java.util.function.IntUnaryOperator;

/**
 * The bytes of one publisher's socket: where a read goes, and why the socket is not read.
 *
 * <pre>
 *   whereToRead --> the kernel reads --> came --> FrameIntake: runs, control frames --> what is left waits in FrameAssembler
 *     room?                                          room for one more?
 * </pre>
 *
 * The gate is asked twice a read: before it, since others may have filled the log, and once all of it is taken, so that a
 * publisher that fills the log is not read in vain. Owned by the connection's thread.
 */
final class SocketIntake implements SocketReads.Reader, HeldSources.Source, MemoryLine.Waiter {
    enum Wait {
        NOTHING,
        /** The log may not grow, or the ring is full. */
        ROOM,
        /** The rest of a long frame has no memory yet: the publisher stands in the line. */
        MEMORY,
        /** The identity has published more than it may for now. */
        RATE,
        /** The publisher has asked for a name, which others have to give. */
        NAME,
        /** The connection is on its way to another loop. */
        MOVE,
        /** The relay drains, and what was read waits for room. */
        DRAINING,
        /** The relay drains, and all that was read is handed in: nothing is read any more. */
        DRAINED
    }

    /** A HELLO of a publisher is shorter. */
    private static final int HELLO_BYTES = 1 << 10;

    private final Session session;
    private final Counters counters;
    private final MemoryLine line;
    private final FrameAssembler assembler;
    private final FrameIntake frames;
    private final NamedProducer producer;
    private IngestPort port;
    private SegmentSize segment;
    private ReadSwitch reads;
    private volatile Wait wait = Wait.NOTHING;
    // Bytes that were asked for in the line.
    private int asked;
    private long bytesRead;

    SocketIntake(
            Session session,
            Counters counters,
            MemoryLine line,
            FrameAssembler assembler,
            FrameIntake frames,
            NamedProducer producer,
            IngestPort port) {
        this.session = session;
        this.counters = counters;
        this.line = line;
        this.assembler = assembler;
        this.frames = frames;
        this.producer = producer;
        this.port = port;
    }

    void opened() {
        segment = new SegmentSize(session.channel(), IntUnaryOperator.identity());
        reads = new ReadSwitch(session.channel(), session::gone);
    }

    private void become(Wait next) {
        wait = next;
        if (next != Wait.NOTHING && next != Wait.MOVE) {
            // Bytes that wait in the socket's own buffer cost nothing.
            reads.off();
        }
    }

    /** Whether readers see all that was handed in, so that it may be acknowledged. */
    boolean allShown() {
        return port.allShown();
    }

    /** Any thread. */
    Wait waitsFor() {
        return wait;
    }

    long bytesRead() {
        return bytesRead;
    }

    // ---- reading ----------------------------------------------------------------------------------------------

    @Override
    public boolean mayRead() {
        return wait == Wait.NOTHING || isDeaf();
    }

    @Override
    public boolean isDeaf() {
        return wait == Wait.DRAINED || session.state().ended();
    }

    @Override
    public ByteBuf whereToRead() {
        if (wait == Wait.NOTHING && !isDeaf() && assembler.wants() > 0) {
            // The shared buffers were used up since the last read.
            askForMemory();
        }
        if (isDeaf()) {
            return port.buffers().scratch();
        }
        if (wait != Wait.NOTHING) {
            return null;
        }
        if (assembler.isLong()) {
            return assembler.restOfLong().retain();
        }
        int most = assembler.mostPerRead(segment.wholeUpTo(IngestPort.READ_BYTES));
        if (port.makeReady()) {
            ReadWindow window = port.window(assembler.bytes(), most);
            assembler.putInFront(window);
            return window.retain();
        }
        if (session.state() == SessionState.CONNECTED) {
            // The client has said nothing yet: its HELLO is answered, whatever holds publishers back.
            return assembler.behind(Math.min(most, HELLO_BYTES)).retain();
        }
        waitForRoom(Wait.ROOM);
        return null;
    }

    @Override
    public void refused() {
        reads.refused();
    }

    @Override
    public void readWasFull() {
        if (wait == Wait.NOTHING && !session.state().ended()) {
            port.readWasFull();
        }
    }

    @Override
    public boolean mayEnd() {
        return session.mayEnd();
    }

    void came(ByteBuf from) {
        ReadWindow read = from instanceof ReadWindow window && !session.state().ended() ? window : null;
        boolean own = false;
        try {
            if (read != null && assembler.owns(read)) {
                own = true;
                bytesRead += read.readableBytes();
                assembler.filled(read.readableBytes());
            }
        } finally {
            // The memory is the log's, the loop's or the connection's own, and stays: nobody counts it any more.
            from.release();
        }
        if (read == null) {
            return;
        }
        segment.written();
        session.dialogue().heard();
        if (own) {
            follow(takeOwn());
        } else {
            bytesRead += read.readableBytes() - assembler.bytes();
            // The port has given the window, so it has room.
            follow(frames.take(port, read.view(), read.readerIndex(), read.readableBytes(), true));
        }
    }

    /** Takes the bytes that wait in the connection's own memory. */
    private FrameIntake.Taken takeOwn() {
        boolean some = assembler.bytes() > 0 && (!assembler.isLong() || assembler.bytes() >= assembler.frame());
        return some ? frames.take(port, assembler.view(), 0, assembler.bytes(), false) : FrameIntake.Taken.ALL;
    }

    /** Goes on as what was taken says; where all is, looks whether the next read may come. */
    private void follow(FrameIntake.Taken taken) {
        if (session.state().ended()) {
            return;
        }
        switch (taken) {
            case NO_ROOM -> waitForRoom(Wait.ROOM);
            case NAME -> askForName();
            case ENDED -> {}
            case ALL -> {
                if (frames.isPaused()) {
                    become(Wait.RATE);
                } else if (assembler.wants() > 0) {
                    askForMemory();
                } else if (!assembler.isLong() && !port.makeReady()) {
                    waitForRoom(Wait.ROOM);
                }
            }
        }
    }

    // ---- waiting ------------------------------------------------------------------------------------------------

    private void waitForRoom(Wait why) {
        become(why);
        counters.increment(Counter.HELD_BACK);
        port.hold(this);
    }

    @Override
    public void resume() {
        session.execute(() -> {
            if (wait == Wait.DRAINING) {
                handInTheLast();
            } else {
                goOnAfter(Wait.ROOM);
            }
        });
    }

    /** Goes on with what waits, and reads on; of no effect where the publisher waits for something else by now. */
    void goOnAfter(Wait why) {
        if (wait != why || session.state().ended()) {
            return;
        }
        if (producer.claims()) {
            askForName();
            return;
        }
        become(Wait.NOTHING);
        follow(takeOwn());
        producer.speak();
        readOn();
    }

    private void handInTheLast() {
        if (session.state().ended()) {
            return;
        }
        if (takeOwn() == FrameIntake.Taken.NO_ROOM) {
            waitForRoom(Wait.DRAINING);
        } else {
            // The rest of a begun frame is never read: there is nothing to wait for.
            become(Wait.DRAINED);
        }
        producer.speak();
    }

    private void askForName() {
        become(Wait.NAME);
        if (!producer.claim()) {
            waitForRoom(Wait.ROOM);
        }
    }

    private void askForMemory() {
        asked = assembler.wants();
        if (asked > line.most()) {
            // A control frame, where the longest body is short. In the line it would stand in front for ever.
            session.close(
                    CloseReason.MEMORY_LIMIT,
                    "a frame of " + assembler.frame() + " bytes is longer than the " + line.most()
                            + " bytes for frames under way");
        } else if (line.ask(asked, this, session.channel().eventLoop())) {
            assembler.grow();
        } else {
            counters.increment(Counter.ASSEMBLY_WAITS);
            become(Wait.MEMORY);
        }
    }

    @Override
    public void granted() {
        session.walled(() -> {
            if (wait != Wait.MEMORY || session.state().ended()) {
                line.give(asked);
            } else {
                become(Wait.NOTHING);
                assembler.grow();
                readOn();
            }
        });
    }

    private void readOn() {
        if (wait == Wait.NOTHING
                && !session.state().ended()
                && session.channel().isOpen()) {
            reads.on();
        }
    }

    // ---- the end ------------------------------------------------------------------------------------------------

    /** The relay drains: no more is read from now on. */
    void stopReading() {
        if (wait == Wait.MEMORY) {
            line.leave(this);
        }
        // Bytes behind a HELLO whose name has not come are nobody's messages.
        boolean some = (wait == Wait.ROOM || wait == Wait.DRAINING) && !producer.claims();
        become(some ? Wait.DRAINING : Wait.DRAINED);
    }

    void release() {
        if (wait == Wait.MEMORY) {
            line.leave(this);
        }
        assembler.release();
    }

    /** Reads on after the end, to throw away what comes: left unread, it would have the last word overtaken by a reset. */
    void readToTheEnd() {
        // On its way to another loop the socket is read as soon as that one has it.
        if (wait != Wait.NOTHING && wait != Wait.MOVE) {
            reads.on();
        }
    }

    // ---- from the core's loop to a reader's ---------------------------------------------------------------------

    /** Whether another port may go on, since nothing in hand belongs to this one. */
    boolean movable() {
        return wait == Wait.NOTHING && assembler.movable();
    }

    void leave() {
        become(Wait.MOVE);
    }

    /** Another loop has the connection, and its port takes what comes from here on. */
    void arrived(IngestPort other) {
        port = other;
        assembler.goOnWith(other);
        if (wait == Wait.MOVE) {
            become(Wait.NOTHING);
            follow(takeOwn());
        }
    }
}
