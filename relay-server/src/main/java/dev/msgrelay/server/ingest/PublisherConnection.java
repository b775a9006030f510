package dev.msgrelay.server.ingest;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.core.EngineLoop;
import dev.msgrelay.server.core.Orderer;
import dev.msgrelay.server.core.RunScan;
import dev.msgrelay.server.flow.HeldSources;
import dev.msgrelay.server.log.PacketLog;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.memory.MemoryLine;
import dev.msgrelay.server.memory.ReadWindow;
import dev.msgrelay.server.net.ReadSwitch;
import dev.msgrelay.server.net.SegmentSize;
import dev.msgrelay.server.net.SocketReads;
import dev.msgrelay.server.ops.ConnectionRow;
import dev.msgrelay.server.ops.Counter;
import dev.msgrelay.server.session.Closing;
import dev.msgrelay.server.session.Connection;
import dev.msgrelay.server.session.Outbox;
import dev.msgrelay.server.session.Services;
import dev.msgrelay.server.tls.TlsRecords;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.RecvByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * A publisher: what its socket brings is walked once; whole frames go into the order as one span, a control frame between
 * them is obeyed, what is left of a frame waits for its rest.
 *
 * <pre>
 *   read window:  |begun frame| bytes read now ................. |
 *                 | frame | frame | frame | frame | part of one  |
 *                 `------- one span --------------'  `-- kept ---'
 * </pre>
 *
 * Where there is no room it is not read, and goes on when it is resumed. Owned by its loop's thread.
 */
public final class PublisherConnection extends Connection
        implements HeldSources.Source, MemoryLine.Waiter, PublisherName.Holder, Orderer.Claimant, SocketReads.Reader {
    /** Direct memory for a small begun frame. */
    public static final int SMALL_BYTES = FrameAssembler.SMALL;

    /** Direct memory that one that said HELLO takes for what it is told. */
    public static final int REPLY_BYTES = Outbox.MOST_BYTES;

    /** What it may be told at its end, from other memory: what is due, and an ERROR. */
    public static final int SAID_BYTES = Outbox.MOST_BYTES + Closing.ERROR_BYTES;

    /** A HELLO of a publisher is shorter. */
    private static final int HELLO_BYTES = 1 << 10;

    /** What keeps it from being read. */
    private enum Wait {
        NOTHING,
        /** The log may not grow, or the ring is full. */
        ROOM,
        /** The rest of a long frame has no memory yet: it stands in the line. */
        MEMORY,
        /** Its identity has published more than it may for now. */
        RATE,
        /** It has asked for a name, which others have to give. */
        NAME,
        /** It is on its way to another loop. */
        MOVE,
        /** The relay drains, and reads nobody any more. */
        DRAIN
    }

    /**
     * What all publishers of a relay share.
     *
     * @param orderer who gives names; null: the table does
     * @param readers where plain ones are read
     */
    public record Shared(PacketLog log, NameTable names, Orderer orderer, MemoryLine line, ReaderLoops readers) {}

    private final Shared shared;
    private final FrameAssembler assembler;
    private IngestPort port;
    private boolean atReader;
    private SegmentSize segment;
    private ReadSwitch reads;
    private volatile Wait wait = Wait.NOTHING;
    // Bytes that it waits for in the line.
    private int asked;
    private boolean draining;
    private volatile boolean quiet;

    private final ProducerState producer;
    // That asks for a name, until others have given it.
    private HelloFrame claiming;
    // That waits to be welcomed.
    private HelloFrame hello;
    // Whether the table of names tells it of the journal.
    private boolean watchesJournal;

    // What it is told; null before HELLO.
    private Replies replies;

    private long bytesRead;
    // When it was looked at last that it had sent something, and how much that was.
    private long spokeNanos;
    private long spokeBytes;
    private volatile long messages;
    private volatile long bytes;

    public PublisherConnection(Services services, Shared shared, IngestPort port, ByteBufAllocator alloc) {
        super(services, Role.PUBLISHER);
        this.shared = shared;
        this.port = port;
        this.producer = new ProducerState(services.durability(), services.counters());
        this.assembler = new FrameAssembler(alloc, services.budget().pool(Part.CONNECTIONS), shared.line, port);
    }

    /** To be set on the channel before it is registered. What a read has brought is sent while it is in the cache. */
    public RecvByteBufAllocator reads() {
        return new SocketReads(this, 1);
    }

    @Override
    protected void opened() {
        segment = SegmentSize.of(channel());
        reads = new ReadSwitch(channel(), this::gone);
        spokeNanos = services().clock().nanoTime();
    }

    @Override
    protected void late() {
        stopReading(0);
    }

    // ---- reading ----------------------------------------------------------------------------------------------

    @Override
    public boolean prepareRead() {
        if (!throwsAway() && wait == Wait.NOTHING && !assembler.readsOnItsOwn()) {
            if (assembler.wants() > 0) {
                waitForMemory();
            } else if (!port.makeReady() && state() != State.CONNECTED) {
                waitForRoom();
            }
        }
        return wait == Wait.NOTHING || throwsAway();
    }

    private boolean throwsAway() {
        return state().compareTo(State.CLOSING) >= 0 || wait == Wait.DRAIN;
    }

    @Override
    public ByteBuf whereToRead() {
        boolean may = prepareRead();
        if (throwsAway()) {
            return port.scratch();
        }
        if (!may) {
            throw reads.refuse();
        }
        return window().retain();
    }

    private ReadWindow window() {
        if (assembler.readsOnItsOwn()) {
            return assembler.restOfLong();
        }
        int most = assembler.mostPerRead(segment.wholeUpTo(IngestPort.READ_BYTES));
        if (!port.makeReady()) {
            // It has said nothing yet: its HELLO is answered, whatever holds publishers back.
            return assembler.behind(Math.min(most, HELLO_BYTES));
        }
        ReadWindow window = port.window(assembler.bytes(), most);
        assembler.putInFront(window);
        return window;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        ReadWindow read = msg instanceof ReadWindow window && state().compareTo(State.CLOSING) < 0 ? window : null;
        boolean kept = false;
        try {
            if (read != null && assembler.owns(read)) {
                kept = true;
                bytesRead += read.readableBytes();
                assembler.filled(read.readableBytes());
            }
        } finally {
            // The memory is the log's, the loop's or the connection's own, and stays: nobody else counts it from here
            // on.
            ((ByteBuf) msg).release();
        }
        if (read != null) {
            segment.written();
            heard();
            received(read, kept);
        }
    }

    @Override
    public void moreExpected() {
        if (wait == Wait.NOTHING && state().compareTo(State.CLOSING) < 0) {
            port.moreExpected();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        speak();
        if (!atReader && shared.readers.any() && canMove()) {
            moveTo(shared.readers.next());
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        speak();
    }

    private void received(ReadWindow read, boolean kept) {
        if (!kept) {
            bytesRead += read.readableBytes() - assembler.bytes();
            take(read.view(), read.readerIndex(), read.readableBytes());
        } else if (wait == Wait.NOTHING) {
            takeOwn();
        }
    }

    /** Takes what waits in the connection's own memory. */
    private void takeOwn() {
        if (assembler.bytes() > 0 && (!assembler.readsOnItsOwn() || assembler.bytes() >= assembler.frame())) {
            take(assembler.view(), 0, assembler.bytes());
        }
    }

    // ---- from bytes to spans ------------------------------------------------------------------------------------

    private void take(ByteBuffer view, int offset, int length) {
        try {
            takeAll(view, offset, length);
        } catch (FrameException e) {
            boolean tls = speaksTls(view, offset, length);
            assembler.keep(view, 0, 0, 0);
            if (tls) {
                refuseTls();
            } else {
                close(e.reason(), e.getMessage());
            }
        }
    }

    /** Whether a TLS client has the wrong port: its first bytes are no good frame, or the beginning of one. */
    private boolean speaksTls(ByteBuffer view, int offset, int length) {
        return state() == State.CONNECTED && TlsRecords.isClientHello(view, offset, length);
    }

    private void refuseTls() {
        FrameException why = tlsOnPlainPort();
        close(why.reason(), why.getMessage());
    }

    private void takeAll(ByteBuffer view, int offset, int length) throws FrameException {
        int at = offset;
        int end = offset + length;
        // Once, but for control frames and for messages that were sent before.
        while (true) {
            RunScan span = port.walk(view, at, end - at, standing().types());
            int frames = span.frames();
            if (frames > 0 && standing().refusal() != null) {
                throw standing().refusal().exception();
            }
            if (frames > 0 && producer.sendsAgain()) {
                at += producer.drop(span);
                continue;
            }
            if (frames > 0 && !hand(span)) {
                assembler.keep(view, at, end - at, 0);
                waitForRoom();
                return;
            }
            at += span.end();
            if (span.problem() == null) {
                assembler.keep(view, at, end - at, span.incompleteFrame());
                break;
            }
            int frame = announced(span);
            if (end - at < frame) {
                assembler.keep(view, at, end - at, frame);
                break;
            }
            // A slice is big-endian, as control frames are.
            int type = span.problemType();
            ByteBuffer body = view.slice(at + FrameLayout.HEADER_LENGTH, frame - FrameLayout.HEADER_LENGTH);
            at += frame;
            if (!control(type, body)) {
                assembler.keep(view, at, 0, 0);
                return;
            }
            if (claiming != null) {
                // What came behind HELLO has its turn once the name is there.
                assembler.keep(view, at, end - at, 0);
                return;
            }
        }
        if (assembler.bytes() > 0 && speaksTls(assembler.view(), 0, assembler.bytes())) {
            refuseTls();
        } else if (draining) {
            // The rest of a begun frame is never read: there is nothing to wait for.
            return;
        } else if (isPaused()) {
            wait = Wait.RATE;
            reads.off();
        } else if (assembler.wants() > 0) {
            waitForMemory();
        } else if (!assembler.readsOnItsOwn() && !port.makeReady()) {
            waitForRoom();
        }
    }

    private boolean hand(RunScan span) throws FrameException {
        int frames = span.frames();
        producer.checkNumbers(frames);
        int length = span.end();
        if (!port.take(span, producer.name())) {
            return false;
        }
        if (producer.name() == null) {
            plain();
        }
        messages += frames;
        bytes += length;
        if (standing().hasRate()) {
            standing().spend(length, services().clock().nanoTime());
        }
        return true;
    }

    private boolean isPaused() {
        return standing().hasRate() && standing().isPaused(services().clock().nanoTime());
    }

    /** The header of a control frame, or of a bad one, has come: whether it may come now; answers the frame's length. */
    private int announced(RunScan span) throws FrameException {
        boolean control = span.problem() == CloseReason.RESERVED_TYPE;
        int type = span.problemType();
        if (!control || (!saidHello() && type != ControlFrames.HELLO)) {
            throw new FrameException(span.problem(), span.problemText());
        }
        checkTurn(type);
        FrameLayout.checkBodyLength(type, span.problemLength(), ControlFrames.MAX_CONTROL_BODY);
        return FrameLayout.frameLength(span.problemLength());
    }

    @Override
    protected FrameException beforeHello(int type) {
        return new FrameException(CloseReason.RESERVED_TYPE, ControlFrames.typeName(type) + " is reserved");
    }

    // ---- waiting ------------------------------------------------------------------------------------------------

    /** Reads no more until there is room: what waits in the socket's own buffer costs nothing. */
    private void waitForRoom() {
        wait = Wait.ROOM;
        reads.off();
        services().counters().increment(Counter.HELD_BACK);
        port.hold(this);
    }

    /** Whether it is not read because there is no room. Any thread. */
    public boolean waitsForRoom() {
        return wait == Wait.ROOM;
    }

    @Override
    public void resume() {
        execute(() -> goOn(Wait.ROOM));
    }

    private void goOn(Wait after) {
        if (wait != after || state().compareTo(State.CLOSING) >= 0) {
            return;
        }
        wait = Wait.NOTHING;
        if (claiming != null) {
            claim();
            return;
        }
        takeOwn();
        speak();
        readOn();
    }

    private void waitForMemory() {
        asked = assembler.wants();
        if (asked > shared.line.most()) {
            // A control frame, where the longest body is short. In the line it would stand in front for ever.
            close(
                    CloseReason.MEMORY_LIMIT,
                    "a frame of " + assembler.frame() + " bytes is longer than the " + shared.line.most()
                            + " bytes for frames under way");
            return;
        }
        wait = Wait.MEMORY;
        if (shared.line.ask(asked, this, channel().eventLoop())) {
            goOnWithMemory();
        } else {
            services().counters().increment(Counter.ASSEMBLY_WAITS);
            reads.off();
        }
    }

    @Override
    public void granted() {
        walled(this::goOnWithMemory);
    }

    private void goOnWithMemory() {
        if (wait != Wait.MEMORY || state().compareTo(State.CLOSING) >= 0) {
            shared.line.give(asked);
            return;
        }
        wait = Wait.NOTHING;
        assembler.grow();
        takeOwn();
        readOn();
    }

    private void readOn() {
        if (wait != Wait.NOTHING || state().compareTo(State.CLOSING) >= 0) {
            return;
        }
        if (draining) {
            wait = Wait.DRAIN;
            quiet = true;
        } else if (channel().isOpen()) {
            reads.on();
        }
    }

    /**
     * No more is read from now on: the relay drains.
     *
     * @param closesInMillis what one that said HELLO is told
     */
    public void stopReading(int closesInMillis) {
        draining = true;
        reads.off();
        if (wait == Wait.MEMORY) {
            shared.line.leave(this);
        }
        if (wait != Wait.ROOM) {
            wait = Wait.DRAIN;
            quiet = true;
        }
        goAway(closesInMillis);
    }

    /**
     * Whether it has stopped reading for good, and everything it has read is handed in, and has got as far as it waits for. Any
     * thread.
     */
    public boolean quiet() {
        return quiet && !producer.unsettled() || state().compareTo(State.CLOSING) >= 0;
    }

    // ---- HELLO ---------------------------------------------------------------------------------------------------

    @Override
    protected void greeted(HelloFrame said) throws FrameException {
        replies = new Replies(channel(), services().budget().pool(Part.CONNECTIONS));
        if (said.wants(Features.ACKS) && shared.orderer != null) {
            claiming = said;
            reads.off();
            claim();
            return;
        }
        if (said.wants(Features.ACKS)) {
            NameTable.Answer given = shared.names.connect(
                    said.name(),
                    said.producer(),
                    standing().name(),
                    this,
                    services().clock().nanoTime());
            if (given.refusal() != null) {
                throw new FrameException(given.refusal(), given.text());
            }
            take(given.name(), said);
        }
        begin(said);
    }

    private void claim() {
        wait = Wait.NAME;
        if (!shared.orderer.claim(
                claiming.name(), claiming.producer(), standing().name(), this)) {
            waitForRoom();
        }
    }

    @Override
    public void claimed(CloseReason refusal, String text, long accepted, long sequence) {
        walled(() -> {
            try {
                goOnWithName(refusal, text, accepted, sequence);
            } catch (FrameException e) {
                close(e.reason(), e.getMessage());
            }
        });
    }

    private void goOnWithName(CloseReason refusal, String text, long accepted, long sequence) throws FrameException {
        HelloFrame said = claiming;
        if (wait != Wait.NAME || state() != State.GREETED) {
            // It has ended meanwhile.
            if (refusal == null) {
                // Also for an older one here, which the others take nothing from any more.
                shared.names.takenElsewhere(said.name());
                shared.orderer.leave(said.name(), said.producer());
            }
            return;
        }
        if (refusal != null) {
            throw new FrameException(refusal, text);
        }
        claiming = null;
        PublisherName name =
                shared.names.claimed(said.name(), said.producer(), standing().name(), this, accepted, sequence);
        if (name == null) {
            shared.orderer.leave(said.name(), said.producer());
            throw new FrameException(CloseReason.TOO_MANY_NAMES, "HELLO: too many names have connections here");
        }
        take(name, said);
        begin(said);
        goOn(Wait.NAME);
    }

    private void take(PublisherName name, HelloFrame said) {
        if (producer.take(name, said.producer())) {
            services()
                    .closes()
                    .warn(
                            CloseReason.NAME_TAKEN,
                            services().clock().nanoTime(),
                            who() + " sends no producer id: whoever says the same name is taken for it");
        }
    }

    private void begin(HelloFrame said) throws FrameException {
        producer.begin(said, level(), outbox());
        hello = said;
        watchJournal();
        letIn();
    }

    /** Welcomes it, once what was accepted of it has got as far as it waits for. */
    private void letIn() {
        if (!producer.settled()) {
            return;
        }
        HelloFrame said = hello;
        hello = null;
        welcome(
                said,
                Policy.RELAY_DEFAULT,
                Features.ACKS,
                newestSequence() + 1,
                producer.acceptedBefore(),
                producer.fork());
        // What has come since HELLO.
        producer.acknowledge(outbox());
        speak();
    }

    private long newestSequence() {
        return shared.log.lastSequence();
    }

    @Override
    protected void handle(int type, ByteBuffer body) {
        // None: whatever is for subscribers only was refused.
    }

    /** A newer connection of the same producer has its name. */
    @Override
    public void nameTaken() {
        walled(() -> close(
                CloseReason.NAME_TAKEN,
                "another connection has said HELLO as " + producer.name().name()));
    }

    @Override
    public void acknowledge() {
        try {
            producer.taken();
            watchJournal();
            if (state() == State.OPEN) {
                producer.acknowledge(outbox());
                speak();
            } else if (hello != null) {
                letIn();
            }
        } catch (Throwable e) {
            failed(e);
        }
    }

    private void watchJournal() {
        if (producer.want(shared.log.head().position()) && !watchesJournal) {
            watchesJournal = true;
            shared.names.waits(this);
        }
    }

    @Override
    public boolean journalMoved() {
        watchesJournal = saidHello() && lookAtJournal();
        return watchesJournal;
    }

    /** Answers whether there is more to wait for. */
    private boolean lookAtJournal() {
        try {
            if (producer.look(outbox())) {
                if (hello != null) {
                    letIn();
                }
                speak();
            }
            return producer.waits();
        } catch (Throwable e) {
            failed(e);
            return false;
        }
    }

    /** Sends what is due unless a write is in flight. */
    @Override
    protected void speak() {
        if (saidHello() && replies != null) {
            replies.send(outbox(), newestSequence());
        }
    }

    @Override
    protected int saidBytes() {
        return SAID_BYTES;
    }

    // ---- time ----------------------------------------------------------------------------------------------------

    @Override
    protected boolean holdsUpOthers() {
        return assembler.isLong() && shared.line.length() > 0;
    }

    @Override
    protected boolean unfinishedControl() {
        return wait == Wait.NOTHING && assembler.beginsControl();
    }

    @Override
    protected boolean listening() {
        return wait == Wait.NOTHING;
    }

    @Override
    protected long framesRead() {
        return messages;
    }

    @Override
    protected long bytesRead() {
        return bytesRead;
    }

    @Override
    protected void onTick(long nowNanos) {
        if (wait == Wait.RATE && !standing().isPaused(nowNanos)) {
            goOn(Wait.RATE);
        }
        long silence = services().limits().publisherSilence().toNanos();
        if (bytesRead != spokeBytes || wait != Wait.NOTHING || saidHello()) {
            spokeBytes = bytesRead;
            spokeNanos = nowNanos;
        } else if (silence > 0 && nowNanos - spokeNanos > silence) {
            close(
                    CloseReason.IDLE_TIMEOUT,
                    "nothing was published for " + TimeUnit.NANOSECONDS.toMillis(silence) + " ms");
        }
    }

    // ---- the end ----------------------------------------------------------------------------------------------

    /**
     * What it has sent before is acknowledged before it is told that no more is, and readers see it before that: in the middle of
     * a batch the last word waits for the end of the batch. It is read on meanwhile, and what comes thrown away: left unread,
     * it would have the last word overtaken by a reset.
     */
    @Override
    protected void sayLast(State before, CloseReason reason, String text) {
        boolean spoke = before == State.GREETED || before == State.OPEN;
        if (producer.name() != null && before == State.OPEN) {
            producer.acknowledge(outbox());
            producer.look(outbox());
        }
        boolean waited = wait != Wait.NOTHING;
        release();
        if (port.allShown()) {
            sayLast(spoke, reason, text);
        } else {
            Closing.closeLater(channel());
            shared.names.whenShown(() -> execute(() -> sayLast(spoke, reason, text)));
        }
        if (waited && wait != Wait.MOVE && (spoke || reason != CloseReason.SHUTDOWN)) {
            // On its way to another loop it is, and that one reads it as soon as it has it.
            reads.on();
        }
    }

    private void sayLast(boolean spoke, CloseReason reason, String text) {
        if (state() == State.GONE) {
            return;
        }
        if (spoke && replies != null && channel().isActive()) {
            replies.sendLast(outbox(), newestSequence());
        }
        ChannelFuture said = Closing.say(channel(), reason, text);
        if (reason == CloseReason.SHUTDOWN && !spoke) {
            said.addListener(done -> channel().close());
        }
    }

    @Override
    protected void release() {
        if (wait == Wait.MEMORY) {
            shared.line.leave(this);
        }
        assembler.release();
        PublisherName name = producer.leave();
        if (name != null) {
            shared.names.disconnect(name, this, services().clock().nanoTime());
        }
        if (replies != null && state() == State.GONE) {
            replies.release();
            replies = null;
        }
    }

    @Override
    protected String unfinished() {
        return wait == Wait.NOTHING ? assembler.text() : "";
    }

    // ---- from the core's loop to a reader's ---------------------------------------------------------------------

    /** Whether a reader loop may go on with it: a plain one, with nothing in hand that belongs to its port. */
    private boolean canMove() {
        return state() == State.PLAIN && wait == Wait.NOTHING && assembler.movable();
    }

    /** A reader loop reads it from now on; only while it {@link #canMove}. */
    private void moveTo(ReaderLoops.Reader reader) {
        wait = Wait.MOVE;
        atReader = true;
        EngineLoop.move(channel(), reader.loop(), there -> {
            if (there.isSuccess()) {
                walled(() -> arrived(reader.port()));
            } else {
                exceptionCaught(null, there.cause());
                gone();
            }
        });
    }

    private void arrived(IngestPort other) {
        port = other;
        assembler.moveTo(other);
        wait = Wait.NOTHING;
        takeOwn();
        if (services().table().draining()) {
            stopReading(0);
        }
    }

    // ---- reports: any thread ------------------------------------------------------------------------------------

    @Override
    public long messages() {
        return messages;
    }

    @Override
    protected ConnectionRow row(RowBase base, long headPosition) {
        Wait why = wait;
        return new ConnectionRow(
                base.id(),
                base.name(),
                base.identity(),
                base.address(),
                true,
                base.state(),
                why == Wait.NOTHING ? "" : why.name().toLowerCase(Locale.ROOT),
                Policy.RELAY_DEFAULT,
                "",
                0,
                0,
                0,
                ConnectionRow.LIVE,
                0,
                messages,
                bytes,
                base.messagesPerSecond(),
                base.ageMillis());
    }
}
