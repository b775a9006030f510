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
 * How a run of {@code publish} goes on behind one that was cut short. The relay counts the messages of a name, so it is
 * enough to keep the number of the input's first message: what the relay has accepted beyond it, it has of the input.
 *
 * <pre>
 *   number:    ... 4710 | 4711   4712   4713   4714 ...       accepted 4713: the run goes on with line 4
 *   input:                line 1 line 2 line 3 line 4
 * </pre>
 *
 * {@link #event} is called by the publisher's own thread, the rest by the one that publishes.
 */
final class Resumption implements AutoCloseable {
    private final PublisherState state;
    private final String input;
    private final boolean fromStart;
    private final CompletableFuture<Long> had = new CompletableFuture<>();

    /**
     * @param state of the publisher's name; null: nothing is kept
     * @param input what is published; null: it cannot be read a second time
     * @param fromStart without regard to what was kept
     */
    Resumption(PublisherState state, String input, boolean fromStart) {
        this.state = state;
        this.input = input;
        this.fromStart = fromStart;
        if (state == null || input == null) {
            had.complete(0L);
        }
    }

    /** Keeps nothing. */
    static Resumption none() {
        return new Resumption(null, null, false);
    }

    /** By which the relay knows the publisher again; none: any will do. */
    ProducerId producer() {
        return state == null ? ProducerId.NONE : state.producer();
    }

    /** Of the stream in which the last run was cut short; 0: it was not. */
    long epoch() {
        PublisherState.Run before = state == null || input == null ? null : state.run();
        return before == null ? 0 : before.epoch();
    }

    /** Connected: what is to be kept is kept before the first message is sent over this connection. */
    void event(SessionEvent event) {
        if (state == null || input == null) {
            return;
        }
        if (event instanceof SessionEvent.Connected connected) {
            try {
                welcomed(connected.welcome());
            } catch (IOException e) {
                had.completeExceptionally(e);
                // It becomes the publisher's failure, which the command tells in one line.
                Thread.currentThread().setUncaughtExceptionHandler((thread, fault) -> {});
                throw new UncheckedIOException(e);
            }
        } else if (event instanceof SessionEvent.GaveUp) {
            had.complete(0L);
        }
    }

    /**
     * How many messages of the input the relay has of a run that was cut short; waits for the relay to say it.
     *
     * @throws IOException it has not within this time: {@code stalled}; or what is to be kept cannot be
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

    /** All of the input is in the stream. */
    void done() throws IOException {
        if (state != null && input != null) {
            state.end();
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
            // Within a run the numbers go on, also where the relay was started anew.
            state.begin(new PublisherState.Run(input, welcome.epoch(), before.first()));
            return;
        }
        boolean goesOn = !fromStart
                && before != null
                && before.input().equals(input)
                && !welcome.epochChanged()
                && before.first() <= welcome.accepted() + 1;
        long first = goesOn ? before.first() : welcome.accepted() + 1;
        state.begin(new PublisherState.Run(input, welcome.epoch(), first));
        had.complete(welcome.accepted() + 1 - first);
    }
}
