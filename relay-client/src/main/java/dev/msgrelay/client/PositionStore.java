package dev.msgrelay.client;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Keeps a subscriber's {@link Position} from run to run, so that every message is handled at least once: the position
 * moves on only after the handler has returned.
 *
 * <pre>{@code
 * SubscriberOptions options = SubscriberOptions.builder("127.0.0.1:7400")
 *         .fromEarliest()                                               // of the first run, without a position
 *         .positions(PositionStore.file(Path.of("audit.position")))
 *         .build();
 * try (RelaySubscriber subscriber = RelaySubscriber.open(options)) {
 *     subscriber.run((sequence, type, body) -> System.out.println(sequence + " " + type));
 * }
 * }</pre>
 *
 * <p>An application may keep the position itself, such as in the transaction that keeps what its handler does: then
 * each message has its effect exactly once. The handler knows the sequence, and {@link SessionEvent.Connected} the
 * epoch and the older ones, which {@link Position} has for an older backup; {@link #save} then has nothing to do.
 *
 * <p>The subscriber tells when the relay no longer has what comes after a position: {@link Gap} names messages that are
 * gone, {@link SessionEvent.StreamRolledBack} those that were handled and are not in the stream any more, {@link
 * SessionEvent.StreamChanged} that the stream is another one. It then goes on with what there is.
 */
public interface PositionStore {
    /**
     * The position that was saved last; empty: none yet, and the options say where to start. Called once, by {@link
     * RelaySubscriber#open}.
     *
     * @throws IOException it cannot be read: the subscriber does not open
     */
    Optional<Position> load() throws IOException;

    /**
     * Saves a position: all messages before it are handled. Called by the thread that polls, or the one that closes,
     * never by two at the same time.
     *
     * @throws IOException it was not saved; the subscriber tries again at its next poll
     */
    void save(Position position) throws IOException;

    /** The subscriber has ended, and saves nothing more. Called once for each {@link #load}, after the last save. */
    default void release() {}

    /**
     * A file, for one subscriber at a time. It is replaced as a whole, and on the disk when {@link #save} returns:
     * whenever the process or the machine ends, the file has the old position or the new one.
     *
     * <p>An open subscriber holds a lock on a file beside it, {@code NAME.lock}, which stays there: of two subscribers
     * with one position the slower would skip what only the other one has handled. The second does not open.
     */
    static PositionStore file(Path file) {
        return new PositionFile(file);
    }
}
