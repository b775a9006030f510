package dev.msgrelay.client;

import dev.msgrelay.protocol.GapReason;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The newest message of each type, kept up to date by a {@link RelaySubscriber} that starts with the state.
 *
 * <pre>{@code
 * StateView view = new StateView();
 * SubscriberOptions options = SubscriberOptions.builder("127.0.0.1:7400").fromState().view(view).build();
 * try (RelaySubscriber subscriber = RelaySubscriber.open(options)) {
 *     while (!view.isComplete()) {
 *         subscriber.poll((sequence, type, body) -> {});
 *     }
 *     view.get(7).ifPresent(body -> System.out.println(StandardCharsets.UTF_8.decode(body)));
 * }
 * }</pre>
 *
 * <p>The view moves at the relay's PINGs, not in between: what it holds is the stream up to {@link #next}, type by
 * type. A message with an empty body removes its type. The subscriber's own thread moves it; any thread may ask it.
 */
public final class StateView {
    /** Most bytes of a view whose program names no limit: 64 MiB. */
    public static final long DEFAULT_BYTES = 64L << 20;

    /** Bytes that a type counts beside its body. */
    public static final int ENTRY_BYTES = 48;

    /** Takes note that the view has moved. */
    @FunctionalInterface
    public interface Listener {
        /**
         * Called on the thread that polls, once the state is complete, and then at each PING before which it has
         * changed.
         *
         * @param next the view is the stream up to the message before this one
         * @param types whose bodies have changed, or that are gone
         */
        void moved(long next, Set<Integer> types);
    }

    private final long mostBytes;
    private final Listener listener;
    // Of types that came since the last PING, the newest body; an empty one removes the type.
    private final Map<Integer, byte[]> coming = new HashMap<>();
    private final Map<Integer, byte[]> held = new HashMap<>();
    private long bytes;
    private long next;
    private boolean complete;
    private boolean lacks;

    /** A view of at most {@link #DEFAULT_BYTES}. */
    public StateView() {
        this(DEFAULT_BYTES);
    }

    /** @param mostBytes limit of all bodies, and of {@link #ENTRY_BYTES} for each type */
    public StateView(long mostBytes) {
        this(mostBytes, (next, types) -> {});
    }

    /**
     * A view that tells when it moves.
     *
     * @throws IllegalArgumentException the limit is below 1
     */
    public StateView(long mostBytes, Listener listener) {
        if (mostBytes < 1) {
            throw new IllegalArgumentException("a view of " + mostBytes + " bytes is under the limit of 1");
        }
        this.mostBytes = mostBytes;
        this.listener = listener;
    }

    /** The newest body of a type, read-only; empty: there is none, or it was removed. */
    public synchronized Optional<ByteBuffer> get(int type) {
        return Optional.ofNullable(held.get(type))
                .map(body -> ByteBuffer.wrap(body).asReadOnlyBuffer());
    }

    /** The types that have a body, in their order; a copy. */
    public synchronized Set<Integer> types() {
        return new TreeSet<>(held.keySet());
    }

    /** Whether the state has come to its end since the view began, or began anew. */
    public synchronized boolean isComplete() {
        return complete;
    }

    /**
     * Whether the view is complete and lacks nothing: the relay has forgotten no part of the state, no message was
     * missed or over the limit, and no types were added while live, whose state comes with the next connection.
     */
    public synchronized boolean whole() {
        return complete && !lacks;
    }

    /** The view is the stream up to the message before this one; 0: it is not complete yet. */
    public synchronized long next() {
        return next;
    }

    /** Bytes of all bodies, and of {@link #ENTRY_BYTES} for each type; with those that wait for the next PING. */
    public synchronized long bytes() {
        return bytes;
    }

    // ---- the subscriber's side -----------------------------------------------------------------------------------

    /** Makes all void that the view holds. */
    synchronized void beginAnew() {
        coming.clear();
        held.clear();
        bytes = 0;
        next = 0;
        complete = false;
        lacks = false;
    }

    /**
     * Takes a message, which counts from the next PING on.
     *
     * @throws IllegalStateException the bodies would be over the limit, so this one is left out, and the view is not
     *     whole; the message names both
     */
    synchronized void message(int type, ByteBuffer body) {
        long would = bytes + ENTRY_BYTES + body.remaining() - size(coming.get(type));
        if (would > mostBytes) {
            lacks = true;
            throw new IllegalStateException("the view would have " + would + " bytes with a message of type " + type
                    + ", beside " + held.size() + " types and " + coming.size() + " that wait for a PING: its limit is "
                    + mostBytes);
        }
        byte[] copy = new byte[body.remaining()];
        body.get(body.position(), copy);
        coming.put(type, copy);
        bytes = would;
    }

    synchronized void gap(Gap gap) {
        lacks |= gap.code() != GapReason.SUPERSEDED.code();
    }

    /** Types were added, whose state does not come over this connection. */
    synchronized void widened() {
        lacks = true;
    }

    /** Takes a PING at which the state is complete. */
    void completeAt(long nextSequence) {
        Set<Integer> changed;
        synchronized (this) {
            boolean first = !complete;
            complete = true;
            next = nextSequence;
            if (coming.isEmpty() && !first) {
                return;
            }
            changed = new TreeSet<>(coming.keySet());
            coming.forEach(this::hold);
            coming.clear();
        }
        listener.moved(nextSequence, changed);
    }

    private void hold(int type, byte[] body) {
        if (body.length > 0) {
            bytes -= size(held.put(type, body));
        } else {
            bytes -= size(held.remove(type)) + size(body);
        }
    }

    private static long size(byte[] body) {
        return body == null ? 0 : ENTRY_BYTES + body.length;
    }
}
