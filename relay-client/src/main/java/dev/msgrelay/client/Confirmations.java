package dev.msgrelay.client;

import dev.msgrelay.protocol.PingFrame;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The PINGs of a publisher with HELLO and without acknowledgements. The relay reads in order: the PONG says that it has
 * read the messages before the PING. One PING is unanswered at most. Owned by the publisher's I/O thread.
 *
 * <pre>
 *   messages of this connection:   | confirmed | before the PING | behind it  | not sent
 *                                              ^ confirmed       ^ asked      ^ sent.messagesOfConnection()
 * </pre>
 *
 * All counts but {@link SendQueue#wanted} begin anew with each connection.
 */
final class Confirmations {
    /** Bytes of messages after which a PING follows. */
    private static final int BYTES_UNASKED = 1 << 20;

    private final SendQueue queue;
    private final SentFrames sent;
    private final LongSupplier clock;
    private final LongSupplier ids;
    private final ByteBuffer ping = ByteBuffer.allocate(PingFrame.FRAME_LENGTH);

    private long heartbeatNanos;
    // False: this publisher, or this connection from now on, sends no PINGs.
    private boolean asks;
    // Messages of former connections.
    private long before;
    private long confirmed;
    private long confirmedBytes;
    private long asked;
    private long askedBytes;
    private long id;
    private long nextId;
    private boolean unanswered;
    // Whether since is the time of the last PING or, if all before it is confirmed, of the first look at what is not.
    private boolean timed;
    private long since;
    private boolean due;

    /** @param ids of the PINGs, drawn, so that no relay answers one that it has not read; none is 0 */
    Confirmations(SendQueue queue, SentFrames sent, LongSupplier clock, LongSupplier ids) {
        this.queue = queue;
        this.sent = sent;
        this.clock = clock;
        this.ids = ids;
        this.nextId = ids.getAsLong();
    }

    /** Starts another connection, on which nothing is sent before {@link #startAsking}. */
    void restart() {
        before = queue.forgottenMessages();
        confirmed = confirmedBytes = asked = askedBytes = 0;
        asks = unanswered = timed = due = false;
    }

    /**
     * Sends PINGs from now on, until {@link #stopAsking}: the relay has welcomed a publisher without acknowledgements.
     */
    void startAsking(int heartbeatMillis) {
        heartbeatNanos = TimeUnit.MILLISECONDS.toNanos(heartbeatMillis);
        asks = true;
    }

    /** Sends no more PINGs over this connection: the relay reads no more. */
    void stopAsking() {
        asks = due = false;
    }

    /** Number of messages of this connection that are not confirmed. */
    long open() {
        return sent.messagesOfConnection() - confirmed;
    }

    long openBytes() {
        return sent.bytesOfConnection() - confirmedBytes;
    }

    /** Whether a PONG may still come for open messages. */
    boolean areAwaited() {
        return asks && open() > 0;
    }

    /** Whether a PING is due; asked once a write. Reads the clock only if there are messages behind the last PING. */
    boolean isDue() {
        due = asks && !unanswered && sent.messagesOfConnection() > asked && (isEnough() || isLate());
        return due;
    }

    private boolean isEnough() {
        long wanted = queue.wanted();
        return sent.bytesOfConnection() - askedBytes >= BYTES_UNASKED
                || (wanted > before + asked && wanted <= before + sent.messagesOfConnection());
    }

    private boolean isLate() {
        long now = clock.getAsLong();
        if (!timed) {
            timed = true;
            since = now;
        }
        return now - since >= heartbeatNanos;
    }

    /** Milliseconds until a PING is due by time alone, for a selector; at least 1; 0: none will be. */
    long waitMillis() {
        if (!asks || due || unanswered || sent.messagesOfConnection() == asked) {
            return 0;
        }
        long left = timed ? since + heartbeatNanos - clock.getAsLong() : heartbeatNanos;
        return Math.max(1, TimeUnit.NANOSECONDS.toMillis(left) + 1);
    }

    /** The PING that is due, for a place between two messages. */
    ByteBuffer ping() {
        ping.clear();
        PingFrame.put(ping, nextId, 0, 0);
        return ping.flip();
    }

    /** Takes note that {@link #ping} goes out behind all that is sent. */
    void asked() {
        id = nextId;
        nextId = ids.getAsLong();
        unanswered = true;
        due = false;
        timed = true;
        since = clock.getAsLong();
        asked = sent.messagesOfConnection();
        askedBytes = sent.bytesOfConnection();
    }

    /** Takes a PONG; one with another id than that of the unanswered PING says nothing. */
    void answered(long pong) {
        if (unanswered && pong == id) {
            unanswered = false;
            timed = sent.messagesOfConnection() > asked;
            long messages = asked - confirmed;
            confirmed = asked;
            confirmedBytes = askedBytes;
            queue.confirm(messages);
        }
    }

    /** Takes note that the connection is lost: no message of it is open any more, and the open ones are in doubt. */
    void lost() {
        stopAsking();
        long messages = open();
        confirmed = sent.messagesOfConnection();
        confirmedBytes = sent.bytesOfConnection();
        queue.doubt(messages);
    }
}
