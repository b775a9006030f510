package dev.msgrelay.server.publish;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.server.access.Rights;
import dev.msgrelay.server.connection.Services;
import dev.msgrelay.server.connection.Session;
import dev.msgrelay.server.connection.SessionState;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.memory.MemoryLine;
import dev.msgrelay.server.memory.ReadWindow;
import dev.msgrelay.server.net.ReadSwitch;
import dev.msgrelay.server.net.SegmentSize;
import dev.msgrelay.server.net.SocketReads;
import dev.msgrelay.server.net.Stranger;
import dev.msgrelay.server.producers.Producer;
import dev.msgrelay.server.stream.RunScan;
import dev.msgrelay.server.stream.WaitingSources;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.IntUnaryOperator;

/**
 * Reads one publisher's socket: finds memory for each read, stops reading while the publisher has to wait, and
 * processes the bytes. Whole frames go into the order as one run, a control frame between them is obeyed, and the rest
 * of the bytes waits in the {@link FrameAssembler}.
 *
 * <pre>
 *   whereToRead --> the kernel reads --> received --> |begun frame| bytes read now ................. |
 *     room?                                           | frame | frame | frame | frame | part of one  |
 *                        room for one more? <-------- `------- one run ---------------'  `-- kept ---'
 * </pre>
 *
 * The inlet is asked for room before a read, because other publishers may have filled the log. It is asked again after
 * the read, so that no read begins in vain when this publisher has filled the log. Owned by the connection's thread;
 * any thread may read the counts.
 */
final class Intake implements SocketReads.Reader, WaitingSources.Source, MemoryLine.Waiter {
    enum Wait {
        NOTHING,
        /** The log may not grow, or the ring is full. */
        ROOM,
        /** The rest of a long frame has no memory yet. The publisher waits in the {@link MemoryLine}. */
        MEMORY,
        /** The identity has used up its rate for now. */
        RATE,
        /** The publisher has asked the cluster for a name, and waits for the answer. */
        NAME,
        /** The connection is on its way to another loop. */
        MOVE,
        /** The relay drains, and bytes that were read wait for room. */
        DRAINING,
        /** The relay drains, and all bytes that were read are handed in. Nothing is read any more. */
        DRAINED
    }

    private enum Outcome {
        /** All bytes are processed, except the first part of a frame, which waits. */
        ALL,
        /** There was no room for a run. The run and the bytes after it wait. */
        NO_ROOM,
        /** HELLO asks for a name that the cluster assigns. The bytes after HELLO wait for the name. */
        NAME,
        /** The connection ends, or is about to, so the bytes are dropped. */
        ENDED
    }

    /** Bytes of a read for HELLO: more than a publisher's HELLO has. */
    private static final int HELLO_BYTES = 1 << 10;

    private final Session session;
    private final Services services;
    private final MemoryLine line;
    private final FrameAssembler assembler;
    private final Producer producer;
    private Inlet inlet;
    private SegmentSize segment;
    private ReadSwitch reads;
    private volatile Wait wait = Wait.NOTHING;
    // How many bytes the MemoryLine was asked for.
    private int asked;
    private long bytesRead;
    private volatile long messages;
    private volatile long bytes;

    Intake(
            Session session,
            Services services,
            MemoryLine line,
            FrameAssembler assembler,
            Producer producer,
            Inlet inlet) {
        this.session = session;
        this.services = services;
        this.line = line;
        this.assembler = assembler;
        this.producer = producer;
        this.inlet = inlet;
    }

    void opened() {
        segment = new SegmentSize(session.channel(), IntUnaryOperator.identity());
        reads = new ReadSwitch(session.channel(), session::releaseClosed);
    }

    private void waitFor(Wait next) {
        wait = next;
        if (next != Wait.NOTHING && next != Wait.MOVE) {
            // Unread bytes stay in the kernel's buffer, where they cost the relay nothing.
            reads.off();
        }
    }

    /** Returns whether subscribers see all messages that were handed in, so that these may be acknowledged. */
    boolean allShown() {
        return inlet.allShown();
    }

    /** Returns why the socket is not read. Any thread. */
    Wait waitsFor() {
        return wait;
    }

    long bytesRead() {
        return bytesRead;
    }

    long messages() {
        return messages;
    }

    long bytes() {
        return bytes;
    }

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
            // The shared buffers were used up since the last read, so the frame needs memory of its own.
            askForMemory();
        }
        if (isDeaf()) {
            return inlet.buffers().scratch();
        }
        if (wait != Wait.NOTHING) {
            return null;
        }
        if (assembler.isLong()) {
            return assembler.restOfLong().retain();
        }
        int most = assembler.mostPerRead(segment.wholeUpTo(Inlet.READ_BYTES));
        if (inlet.hasRoom()) {
            ReadWindow window = inlet.window(assembler.bytes(), most);
            assembler.putInFront(window);
            return window.retain();
        }
        if (session.state() == SessionState.CONNECTED) {
            // A client that has sent nothing yet may send HELLO, and is answered although publishers are held back.
            return assembler.roomAfter(Math.min(most, HELLO_BYTES)).retain();
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
            inlet.readWasFull();
        }
    }

    @Override
    public boolean mayEnd() {
        return session.mayEnd();
    }

    void received(ByteBuf from) {
        // The log, the loop or the assembler has a reference of its own to the memory.
        from.release();
        if (session.state().ended() || !(from instanceof ReadWindow read)) {
            return;
        }
        segment.countTransfer();
        if (assembler.owns(read)) {
            bytesRead += read.readableBytes();
            assembler.filled(read.readableBytes());
            proceed(processStored());
        } else {
            bytesRead += read.readableBytes() - assembler.bytes();
            // The inlet has room: otherwise this window would not have been taken from it.
            proceed(process(read.view(), read.readerIndex(), read.readableBytes(), true));
        }
    }

    private Outcome processStored() {
        boolean some = assembler.bytes() > 0 && (!assembler.isLong() || assembler.bytes() >= assembler.frame());
        return some ? process(assembler.view(), 0, assembler.bytes(), false) : Outcome.ALL;
    }

    /** Begins to wait if the outcome asks for it, or if there is no room for one more read. */
    private void proceed(Outcome outcome) {
        if (session.state().ended()) {
            return;
        }
        switch (outcome) {
            case NO_ROOM -> waitForRoom(Wait.ROOM);
            case NAME -> askForName();
            case ENDED -> {}
            case ALL -> {
                if (isPaused()) {
                    waitFor(Wait.RATE);
                } else if (assembler.wants() > 0) {
                    askForMemory();
                } else if (!assembler.isLong() && !inlet.hasRoom()) {
                    waitForRoom(Wait.ROOM);
                }
            }
        }
    }

    private boolean isPaused() {
        Rights rights = session.rights();
        return rights.hasRate() && rights.isPaused(services.clock().nanoTime());
    }

    /**
     * Processes bytes; a fault in them ends the connection. {@code room} is true if the inlet is known to have room.
     */
    private Outcome process(ByteBuffer view, int offset, int length, boolean room) {
        if (producer.hasLostItsName()) {
            // A task will end the connection. All bytes are dropped, since no header can be found behind a gap.
            assembler.store(view, 0, 0, 0);
            return Outcome.ENDED;
        }
        int at = offset;
        int end = offset + length;
        boolean ready = room;
        try {
            // The loop repeats only after a control frame, or after messages that are in the stream already.
            while (true) {
                RunScan run = inlet.walk(view, at, end - at, session.rights().permittedTypes());
                if (run.frames() > 0) {
                    if (!session.rights().mayAct()) {
                        throw session.rights().whyRefused().orElseThrow().exception();
                    }
                    if (producer.sendsAgain()) {
                        at += producer.drop(run);
                        continue;
                    }
                    if (!handIn(run, ready)) {
                        assembler.store(view, at, end - at, 0);
                        return Outcome.NO_ROOM;
                    }
                    ready = false;
                }
                at += run.wholeBytes();
                boolean control = run.isFaulty();
                if (session.state() == SessionState.CONNECTED && awaitsStranger(run, view, at, end - at)) {
                    assembler.store(view, at, end - at, 0);
                    return Outcome.ALL;
                }
                int frame = control ? announced(run) : run.incompleteFrame();
                if (!control || end - at < frame) {
                    assembler.store(view, at, end - at, frame);
                    return Outcome.ALL;
                }
                // A slice is big-endian, as control frames are.
                int type = run.problemType();
                ByteBuffer body = view.slice(at + FrameLayout.HEADER_LENGTH, frame - FrameLayout.HEADER_LENGTH);
                at += frame;
                if (!session.control(type, body)) {
                    assembler.store(view, at, 0, 0);
                    return Outcome.ENDED;
                }
                if (producer.claims()) {
                    assembler.store(view, at, end - at, 0);
                    return Outcome.NAME;
                }
            }
        } catch (FrameException e) {
            assembler.store(view, 0, 0, 0);
            session.close(e);
            return Outcome.ENDED;
        }
    }

    /**
     * Checks whether the first bytes of a connection are of another protocol. Returns true if they break a rule, but
     * only more bytes can show which protocol it is. The caller then keeps the bytes until more come.
     *
     * @throws FrameException the bytes are of another protocol
     */
    private boolean awaitsStranger(RunScan run, ByteBuffer view, int offset, int length) throws FrameException {
        boolean header = !run.isFaulty() || run.problem() == CloseReason.NOT_PERMITTED;
        Optional<Stranger> who = Stranger.of(view, offset, length, header);
        if (who.isPresent()) {
            String fault = run.isFaulty() ? run.problemText() : "";
            throw session.dialogue().refusalOf(who.get(), run.problem(), fault);
        }
        return run.isFaulty() && Stranger.mayFollow(view, offset, length, header);
    }

    private boolean handIn(RunScan run, boolean ready) throws FrameException {
        int frames = run.frames();
        boolean numbered = producer.isNumbered();
        if (numbered) {
            producer.checkNumbers(frames);
        }
        int length = run.wholeBytes();
        if (!ready && !inlet.hasRoom() || !inlet.handIn(run, producer.name())) {
            return false;
        }
        if (!numbered) {
            session.plain();
        }
        messages += frames;
        bytes += length;
        Rights rights = session.rights();
        if (rights.hasRate()) {
            rights.spend(length, services.clock().nanoTime());
        }
        return true;
    }

    /** Returns the length of a control frame whose header has come; throws if that frame may not come now. */
    private int announced(RunScan run) throws FrameException {
        boolean control = run.problem() == CloseReason.RESERVED_TYPE;
        int type = run.problemType();
        if (!control || (!session.state().speaks() && type != ControlFrames.HELLO)) {
            throw new FrameException(run.problem(), run.problemText());
        }
        session.dialogue().checkTurn(type, session.state());
        FrameLayout.checkBodyLength(type, run.problemLength(), ControlFrames.MAX_CONTROL_BODY);
        return FrameLayout.frameLength(run.problemLength());
    }

    private void waitForRoom(Wait why) {
        waitFor(why);
        services.counters().increment(Counter.HELD_BACK);
        inlet.addWaiting(this);
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

    /** Processes the bytes that wait, and reads on; has no effect if the publisher waits for something else. */
    void goOnAfter(Wait why) {
        if (wait != why || session.state().ended()) {
            return;
        }
        if (producer.claims()) {
            askForName();
            return;
        }
        waitFor(Wait.NOTHING);
        proceed(processStored());
        producer.speak();
        readOn();
    }

    private void handInTheLast() {
        if (session.state().ended()) {
            return;
        }
        if (processStored() == Outcome.NO_ROOM) {
            waitForRoom(Wait.DRAINING);
        } else {
            // The rest of a begun frame is never read.
            waitFor(Wait.DRAINED);
        }
        producer.speak();
    }

    private void askForName() {
        waitFor(Wait.NAME);
        if (!producer.claim()) {
            waitForRoom(Wait.ROOM);
        }
    }

    private void askForMemory() {
        asked = assembler.wants();
        if (asked > line.most()) {
            // This is a control frame, and the limit of bodies is small. The frame would wait in the line for ever, and
            // block all publishers behind it.
            session.close(
                    CloseReason.MEMORY_LIMIT,
                    "a frame of " + assembler.frame() + " bytes is longer than the " + line.most()
                            + " bytes for frames under way");
        } else if (line.ask(asked, this, session.channel().eventLoop())) {
            assembler.grow();
        } else {
            services.counters().increment(Counter.ASSEMBLY_WAITS);
            waitFor(Wait.MEMORY);
        }
    }

    @Override
    public void granted() {
        session.walled(() -> {
            if (wait != Wait.MEMORY || session.state().ended()) {
                line.giveBack(asked);
            } else {
                waitFor(Wait.NOTHING);
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

    void stopReading() {
        if (wait == Wait.MEMORY) {
            line.withdraw(this);
        }
        // While a HELLO still waits for its name, the bytes after it are not handed in but dropped.
        boolean some = (wait == Wait.ROOM || wait == Wait.DRAINING) && !producer.claims();
        waitFor(some ? Wait.DRAINING : Wait.DRAINED);
    }

    void release() {
        if (wait == Wait.MEMORY) {
            line.withdraw(this);
        }
        assembler.release();
    }

    /**
     * Reads on although the connection ends, and drops the bytes. Unread bytes would cause a reset, and the client
     * might lose the ERROR.
     */
    void readToTheEnd() {
        // A socket on its way to another loop is read as soon as that loop has it.
        if (wait != Wait.NOTHING && wait != Wait.MOVE) {
            reads.on();
        }
    }

    /** Returns whether another inlet may take over, because no byte is in the memory of this one. */
    boolean movable() {
        return wait == Wait.NOTHING && assembler.movable();
    }

    void pauseForMove() {
        waitFor(Wait.MOVE);
    }

    /** Called on the new loop, whose inlet takes the bytes from now on. */
    void resumeAt(Inlet other) {
        inlet = other;
        assembler.setInlet(other);
        if (wait == Wait.MOVE) {
            waitFor(Wait.NOTHING);
            proceed(processStored());
        }
    }
}
