package dev.msgrelay.client.cli;

import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.protocol.WelcomeFrame;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Lets a run of {@code publish} continue one that was cut short. The relay counts the messages of a name, so it is
 * enough to keep the number of the input's first message: the messages that the relay has accepted from that number on
 * are the input's.
 *
 * <pre>
 *   number:    ... 4710 | 4711   4712   4713   4714 ...       accepted 4713: the run continues with line 4
 *   input:                line 1 line 2 line 3 line 4
 * </pre>
 *
 * The publisher's own thread calls {@link #event}; the thread that publishes calls the rest.
 */
final class Resumption implements AutoCloseable {
    private final PublisherState state;
    private final String input;
    private final boolean fromStart;
    private final CompletableFuture<Long> had = new CompletableFuture<>();

    /**
     * @param state file of the publisher's name; null: nothing is kept
     * @param input the input in words; null: it cannot be read a second time
     * @param fromStart whether to ignore a run that was cut short
     */
    Resumption(PublisherState state, String input, boolean fromStart) {
        this.state = state;
        this.input = input;
        this.fromStart = fromStart;
        if (state == null || input == null) {
            had.complete(0L);
        }
    }

    /** A resumption that keeps nothing. */
    static Resumption none() {
        return new Resumption(null, null, false);
    }

    /** The id by which the relay recognises the publisher; none: any will do. */
    ProducerId producer() {
        return state == null ? ProducerId.NONE : state.producer();
    }

    /** Epoch of the stream in which the last run was cut short; 0: there is no such run. */
    long epoch() {
        PublisherState.Run before = state == null || input == null ? null : state.run();
        return before == null ? 0 : before.epoch();
    }

    /**
     * Takes an event of the connection. On Connected the record is on the disk before the first message is sent over
     * this connection.
     */
    void event(SessionEvent event) {
        if (state == null || input == null) {
            return;
        }
        if (event instanceof SessionEvent.Connected connected) {
            try {
                welcomed(connected.welcome());
            } catch (IOException e) {
                had.completeExceptionally(e);
                // The exception becomes the publisher's failure, which the command prints in one line.
                Thread.currentThread().setUncaughtExceptionHandler((thread, fault) -> {});
                throw new UncheckedIOException(e);
            }
        } else if (event instanceof SessionEvent.GaveUp) {
            had.complete(0L);
        }
    }

    /**
     * Number of messages of the input that the relay has from a run that was cut short; waits for WELCOME.
     *
     * @throws IOException there was no WELCOME within {@code atMost}, with the message {@code stalled}; or the record
     *     could not be written
     */
    long awaitHad(Duration atMost, String stalled) throws IOException, InterruptedException {
        try {
            return had.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new IOException(stalled, e);
        } catch (ExecutionException e) {
            throw new IOException(
                    "cannot keep what is published: " + e.getCause().getMessage(), e);
        }
    }

    /** Records that the whole input is in the stream. */
    void done() throws IOException {
        if (state != null && input != null) {
            state.endRun();
        }
    }

    @Override
    public void close() throws IOException {
        if (state != null) {
            state.close();
        }
    }

    private void welcomed(WelcomeFrame welcome) throws IOException {
        PublisherState.Run before = state.run();
        if (had.isDone()) {
            // Numbers continue within a run, even if the relay was started anew.
            state.beginRun(new PublisherState.Run(input, welcome.epoch(), before.first()));
            return;
        }
        boolean goesOn = !fromStart
                && before != null
                && before.input().equals(input)
                && !welcome.epochChanged()
                && before.first() <= welcome.accepted() + 1;
        long first = goesOn ? before.first() : welcome.accepted() + 1;
        state.beginRun(new PublisherState.Run(input, welcome.epoch(), first));
        had.complete(welcome.accepted() + 1 - first);
    }
}
