package dev.msgrelay.client.cli;

import dev.msgrelay.client.Position;
import dev.msgrelay.client.PositionStore;
import java.io.IOException;
import java.util.Optional;

/**
 * The place of {@code subscribe --position}: saved only when what is printed has been written out, so that a message is
 * printed at least once. Called as a {@link PositionStore} is.
 *
 * @param file keeps the place
 * @param output writes out what is printed
 * @param meter ends the run with {@code --count}, within a read that may have brought more
 * @param until ends it with {@code --until}, likewise
 */
record PrintedPositions(PositionStore file, Output output, MessageMeter meter, ReadUntil until)
        implements PositionStore {
    /** What is printed. */
    interface Output {
        /**
         * Writes it out; returns whether anybody reads it.
         *
         * @throws IOException it cannot be written for another reason
         */
        boolean isRead() throws IOException;
    }

    @Override
    public Optional<Position> load() throws IOException {
        return file.load();
    }

    @Override
    public void save(Position position) throws IOException {
        if (!output.isRead()) {
            throw new IOException("nobody reads the output");
        }
        long next = until.next(position.next());
        if (meter.isDone()) {
            // The place may be before the last message: within a state it has not moved.
            next = Math.min(next, meter.lastSequence() + 1);
            if (until.isWithinState(next)) {
                return;
            }
        }
        file.save(new Position(position.epoch(), next, position.epochs()));
    }

    @Override
    public void release() {
        file.release();
    }
}
