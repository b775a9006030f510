package dev.msgrelay.server.tls;

import dev.msgrelay.server.memory.MemoryBudget.Pool;
import dev.msgrelay.server.memory.ReadWindow;
import dev.msgrelay.server.net.ReadSwitch;
import dev.msgrelay.server.net.SocketReads;
import dev.msgrelay.server.net.Stranger;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import java.nio.ByteBuffer;
import java.util.Optional;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;

/**
 * The input of one connection: records in a buffer, which are unwrapped into the connection's own memory.
 *
 * <pre>
 *   socket --> | taken | records |  room  | --unwrap--> the connection's buffer
 *                      ^ start   ^ end         '--> rest --^   by a library that unwraps whole records only
 * </pre>
 *
 * Owned by the channel's loop; within a step of the handshake, by the thread of the handshakes.
 */
final class TlsInput implements SocketReads.Reader {
    /** Most reads in a cycle of the loop. With TLS, four reads a cycle take less processor time than one a cycle. */
    static final int READS = 4;

    private static final int DROPPED_BYTES = 4 << 10;

    private final Channel channel;
    private final Pool pool;
    private final ByteBufAllocator allocator;
    private final ReadSwitch reads;
    private final SocketReads.Reader reader;
    private final TlsOutput out;
    private final EmptyRecords empty = new EmptyRecords();

    // Null once further input is dropped.
    private ReadWindow buffer;
    private ByteBuffer source;
    private int start;
    private int end;
    private boolean large;
    // Whether a read has filled the buffer since the last tick.
    private boolean filled;

    // Null until the handshake is done.
    private SSLEngine engine;
    // Whether the next unwrap may decrypt data.
    private boolean more;
    // Whether the library still holds decrypted data for which there was no room.
    private boolean decrypted;
    private ByteBuffer rest;
    private ByteBuffer spare;
    private boolean closed;

    /** @param out sends the records that the library writes by itself */
    TlsInput(
            Channel channel,
            Pool pool,
            ByteBufAllocator allocator,
            ReadSwitch reads,
            SocketReads.Reader reader,
            TlsOutput out) {
        this.channel = channel;
        this.pool = pool;
        this.allocator = allocator;
        this.reads = reads;
        this.reader = reader;
        this.out = out;
        buffer = ReadWindow.allocate(allocator, TlsRecords.SMALL);
        source = buffer.view().duplicate();
    }

    @Override
    public boolean mayRead() {
        return channel.config().isAutoRead() && !waits();
    }

    /** The free end of the buffer. Waiting input is moved to the front first, so that a whole record has room. */
    @Override
    public ByteBuf whereToRead() {
        if (buffer == null) {
            return allocator.directBuffer(DROPPED_BYTES);
        }
        if (!mayRead()) {
            return null;
        }
        if (start > 0) {
            buffer.view().put(0, buffer.view(), start, end - start);
            end -= start;
            start = 0;
        }
        if (filled && !large && pool.tryTake(TlsRecords.LARGE)) {
            large = true;
            resize(TlsRecords.LARGE);
        }
        return buffer.open(end, source.capacity()).retain();
    }

    @Override
    public void refused() {
        reads.refused();
    }

    @Override
    public void readWasFull() {
        reader.readWasFull();
    }

    @Override
    public boolean isDeaf() {
        return reader.isDeaf();
    }

    @Override
    public boolean mayEnd() {
        return reader.mayEnd();
    }

    private void resize(int capacity) {
        ReadWindow old = buffer;
        buffer = ReadWindow.allocate(allocator, capacity);
        buffer.view().put(0, old.view(), 0, end);
        source = buffer.view().duplicate();
        old.release();
    }

    void received(int to) {
        end = to;
        if (engine != null) {
            more = true;
            filled |= end == source.capacity();
        }
    }

    /** Gives the large buffer back if it was not filled since the last call; called a few times a second. */
    void tick() {
        if (large && !filled && start == end) {
            start = 0;
            end = 0;
            resize(TlsRecords.SMALL);
            large = false;
            pool.giveBack(TlsRecords.LARGE);
        }
        filled = false;
        empty.tick();
    }

    /** Releases the buffer. Further input is dropped. */
    void release() {
        if (buffer != null) {
            buffer.release();
            buffer = null;
            if (large) {
                pool.giveBack(TlsRecords.LARGE);
            }
        }
    }

    boolean any() {
        return end > 0;
    }

    /** The first byte of the connection; only after {@link #any}. */
    int first() {
        return buffer.view().get(0) & 0xFF;
    }

    /** Whether the bytes so far may be the beginning of TLS. */
    boolean mayBegin() {
        return end == 0 || TlsRecords.mayBegin(first(), end > 1 ? buffer.view().get(1) : TlsRecords.MAJOR_VERSION);
    }

    /** The protocol that {@link Stranger#of} finds in the first bytes. */
    Optional<Stranger> stranger() {
        return Stranger.of(buffer.view(), 0, end, false);
    }

    boolean strangerMayFollow() {
        return Stranger.mayFollow(buffer.view(), 0, end, false);
    }

    /** Bytes of the next record, its header included; 0 if the header is not complete. */
    int recordLength() {
        return end - start < TlsRecords.HEADER ? 0 : TlsRecords.length(buffer.view(), start);
    }

    boolean hasRecord() {
        int length = recordLength();
        return length > 0 && end - start >= length;
    }

    SSLEngineResult unwrapRecord(SSLEngine handshaking, ByteBuffer nothing) throws SSLException {
        source.limit(start + recordLength()).position(start);
        SSLEngineResult result = handshaking.unwrap(source, nothing);
        start = source.position();
        return result;
    }

    void open(SSLEngine shaken) {
        engine = shaken;
        more = end > start;
    }

    /** Whether there is input that the connection has not taken. */
    boolean waits() {
        return more || rest != null;
    }

    void drop() {
        start = 0;
        end = 0;
        more = false;
        rest = null;
    }

    /** Number of bytes received of an incomplete record, in the library and in the buffer. */
    int begun() {
        return empty.begun() + (more ? 0 : end - start);
    }

    /** Whether the client has ended its output, and the connection has taken all input before the end. */
    boolean hasEnded() {
        return closed && rest == null;
    }

    /** Unwraps waiting input until {@code room} is full, or no complete record is left. */
    void unwrap(ByteBuffer room) throws SSLException {
        if (rest != null) {
            pourRest(room);
        } else {
            unwrapRecords(room);
        }
    }

    /**
     * Returns the end of the bytes to unwrap in this call. A short last record is left for the next call if earlier
     * input waits in the buffer or in the library. The short record may be the client's closing alert, after which
     * BoringSSL writes nothing, and the connection may have to answer the earlier input first.
     */
    private int turn() {
        int last = start;
        int next = start;
        // The first record may have begun in an earlier read.
        int length = empty.rest(buffer.view(), start, end);
        while (length <= end - next) {
            last = next;
            next += length;
            length = end - next < TlsRecords.HEADER ? Integer.MAX_VALUE : TlsRecords.length(buffer.view(), next);
        }
        boolean hasInputBefore = last > start || decrypted && next > start;
        return hasInputBefore && next - last <= TlsRecords.MOST_ALERT ? last : end;
    }

    private void unwrapRecords(ByteBuffer room) throws SSLException {
        int before = room.position();
        int to = turn();
        while (true) {
            source.limit(to).position(start);
            SSLEngineResult result = engine.unwrap(source, room);
            boolean moved = source.position() > start;
            boolean flood = empty.tooMany(buffer.view(), start, source.position(), result.bytesProduced());
            start = source.position();
            if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
                closed = true;
                more = false;
                return;
            }
            if (flood) {
                throw new SSLException(
                        "more than " + EmptyRecords.MOST + " records without data, such as new keys, at once");
            }
            out.obey(result.getHandshakeStatus());
            decrypted = false;
            if (result.getStatus() == SSLEngineResult.Status.BUFFER_OVERFLOW) {
                decrypted = moved || result.bytesProduced() > 0;
                if (room.position() == before && !moved) {
                    unwrapToRest(room);
                }
                return;
            }
            if (result.getStatus() == SSLEngineResult.Status.BUFFER_UNDERFLOW
                    || start == to
                    || (!moved && result.bytesProduced() == 0)) {
                more = start == to && to < end;
                return;
            }
        }
    }

    /** Unwraps a record into {@code rest}, since {@code room} is too small, and the JDK needs a whole record's room. */
    private void unwrapToRest(ByteBuffer room) throws SSLException {
        if (spare == null) {
            spare = ByteBuffer.allocateDirect(TlsRecords.SMALL);
        }
        if (room == spare) {
            throw new SSLException("a record for which " + TlsRecords.SMALL + " bytes are too little");
        }
        rest = spare.clear();
        unwrapRecords(rest);
        rest.flip();
        pourRest(room);
    }

    private void pourRest(ByteBuffer room) {
        int part = Math.min(room.remaining(), rest.remaining());
        room.put(room.position(), rest, rest.position(), part).position(room.position() + part);
        rest.position(rest.position() + part);
        if (!rest.hasRemaining()) {
            rest = null;
        }
    }
}
