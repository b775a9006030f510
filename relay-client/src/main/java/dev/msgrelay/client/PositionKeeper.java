package dev.msgrelay.client;

import dev.msgrelay.protocol.Epochs;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Saves a subscriber's position now and then. The thread that polls moves it; the one that closes may save it, too. */
final class PositionKeeper {
    private final PositionStore store;
    private final long everyNanos;
    private final LongSupplier clock;

    private Optional<Position> saved = Optional.empty();
    private long savedAt;
    private long epoch;
    private long next;
    private Epochs epochs = Epochs.NONE;
    private long dueMillis = Long.MAX_VALUE;
    private boolean polling;
    private boolean closing;
    private boolean released;

    PositionKeeper(PositionStore store, long everyNanos, LongSupplier clock) {
        this.store = store;
        this.everyNanos = everyNanos;
        this.clock = clock;
        this.savedAt = clock.getAsLong() - everyNanos;
    }

    synchronized Optional<Position> load() throws IOException {
        saved = store.load();
        return saved;
    }

    /**
     * Takes the place behind the last message that is handled; saves it if the last save was long ago.
     *
     * @param toEpoch epoch of the stream; 0: not known yet
     * @param toNext sequence of the next message; 0: not known yet
     * @param toEpochs the newest lives of the stream
     */
    synchronized void moved(long toEpoch, long toNext, Epochs toEpochs) throws IOException {
        epoch = toEpoch;
        next = toNext;
        epochs = toEpochs;
        long left = savedAt + everyNanos - clock.getAsLong();
        if (left <= 0) {
            // A save that fails is tried again at the next event, not every millisecond.
            dueMillis = Long.MAX_VALUE;
            save();
        } else {
            dueMillis = isSaved() ? Long.MAX_VALUE : TimeUnit.NANOSECONDS.toMillis(left) + 1;
        }
    }

    /**
     * A poll begins, which ends with {@link #polled}.
     *
     * @return milliseconds from the last {@link #moved} until the next one has to save; at least 1; MAX_VALUE: none has
     *     to
     */
    synchronized long polling() {
        polling = true;
        return dueMillis;
    }

    /** A poll has ended, and has moved the place. */
    synchronized void polled() {
        polling = false;
        if (closing) {
            release();
        }
    }

    /**
     * Saves the place. The store is released behind the last save: this one, or that of a poll that is still under way.
     */
    synchronized void close() throws IOException {
        if (closing) {
            return;
        }
        closing = true;
        try {
            save();
        } finally {
            if (!polling) {
                release();
            }
        }
    }

    private void release() {
        if (!released) {
            released = true;
            store.release();
        }
    }

    /** Saves the place if it is another one than the last that was saved. */
    synchronized void save() throws IOException {
        if (isSaved()) {
            return;
        }
        Position position = new Position(epoch, next, epochs);
        store.save(position);
        saved = Optional.of(position);
        savedAt = clock.getAsLong();
    }

    /** Whether there is nothing to save: the place is the saved one, or not known yet. */
    private boolean isSaved() {
        return epoch == 0 || next == 0 || saved.isPresent() && saved.get().equals(new Position(epoch, next, epochs));
    }
}
