package dev.msgrelay.client.cli;

import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.protocol.Epochs;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.protocol.WelcomeFrame;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.zip.CRC32C;

/**
 * Lets a run of {@code publish} continue the last one, which was cut short or has ended: then the input may have grown.
 * The relay counts the messages of a name, so it is
 * enough to keep the number of the input's first message: the messages that the relay has accepted from that number on
 * are the input's.
 *
 * <pre>
 *   number:    ... 4710 | 4711   4712   4713   4714 ...       accepted 4713: the run continues with line 4
 *   input:                line 1 line 2 line 3 line 4
 * </pre>
 *
 * Where the relay has lost what it had acknowledged, since it was killed, or an older backup was put back, it has
 * accepted less: the run publishes the rest again. Within a run the publisher ends before it sends anything behind the
 * gap, and another attempt, {@link #anew}, begins in the same way.
 *
 * <p>The relay does not know the file. So the record has a CRC of the messages that a run which ended has read, and the
 * next run computes it anew while it passes over them: another file under the same name is not gone on with.
 *
 * <p>The publisher's own thread calls {@link #event}; the thread that publishes calls the rest.
 */
final class Resumption implements AutoCloseable {
    /** The part of an input that is published again if the relay has had a part of it. */
    enum Again {
        /** All of it. */
        ALL,
        /** What the relay has not: all of it if the relay's stream is another one. */
        MISSING,
        /** What has come to it since the last run that ended, whatever the relay has. */
        NEW
    }

    private final PublisherState state;
    private final String input;
    private final Again again;
    // The beginning that the input must have where it is gone on with; none: any will do.
    private final PublisherState.Beginning expected;
    // Owned by the thread that publishes.
    private final CRC32C crc = new CRC32C();
    private long taken;

    private volatile boolean streamIsNew;
    private volatile boolean rolledBack;
    private volatile long lostTo;
    private final CompletableFuture<Long> had = new CompletableFuture<>();

    /**
     * @param state file of the publisher's name
     * @param input the input in words; empty: it cannot be read a second time
     */
    Resumption(PublisherState state, String input, Again again) {
        this.state = state;
        this.input = input;
        this.again = again;
        this.expected =
                again == Again.MISSING && isSame(state.run()) ? state.run().beginning() : PublisherState.Beginning.NONE;
        if (!state.keeps()) {
            had.complete(0L);
        }
    }

    /** Another attempt of the same run: what the relay has is found out anew. */
    Resumption anew() {
        return new Resumption(state, input, Again.MISSING);
    }

    /** A resumption that keeps nothing. */
    static Resumption none() {
        return new Resumption(PublisherState.none(), "", Again.MISSING);
    }

    /** The id by which the relay recognises the publisher; none: any will do. */
    ProducerId producer() {
        return state.producer();
    }

    /** Epoch of the stream of the last run; 0: there is none. */
    long epoch() {
        return state.run().epoch();
    }

    Epochs epochs() {
        return state.run().epochs();
    }

    /**
     * Takes an event of the connection. On Connected the record is on the disk before the first message is sent over
     * this connection.
     */
    void event(SessionEvent event) {
        if (!state.keeps()) {
            return;
        }
        if (event instanceof SessionEvent.Connected connected) {
            try {
                welcomed(connected.welcome());
            } catch (IOException e) {
                had.completeExceptionally(e);
                throw endOfPublisher(e);
            }
        } else if (event instanceof SessionEvent.AcknowledgedGone && !input.isEmpty()) {
            rolledBack = true;
            throw endOfPublisher(new IOException(event.text()));
        } else if (event instanceof SessionEvent.GaveUp) {
            had.complete(0L);
        }
    }

    /**
     * What a listener throws becomes the publisher's failure, which the command prints in one line, or does without.
     */
    private static UncheckedIOException endOfPublisher(IOException cause) {
        Thread.currentThread().setUncaughtExceptionHandler((thread, fault) -> {});
        return new UncheckedIOException(cause);
    }

    /**
     * Whether the publisher has ended since acknowledged messages are gone, and another attempt can publish them again.
     */
    boolean isRolledBack() {
        return rolledBack;
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

    /** Whether the last run was with this input, in a stream that the relay no longer has. */
    boolean streamIsNew() {
        return streamIsNew;
    }

    /** Last message of the input that an earlier run has published and the relay no longer has; 0: it has them all. */
    long lostTo() {
        return lostTo;
    }

    /**
     * The beginning that the input must have before any of it is published: the relay has less of it than the earlier
     * run has published, and the rest is published again from there. None: there is nothing to check first.
     */
    PublisherState.Beginning toCheck(long has) {
        return has > 0 && has < expected.messages() ? expected : PublisherState.Beginning.NONE;
    }

    /** Takes the input's next message, whether it is published or passed over. */
    void countMessage(byte[] array, int offset, int length) {
        taken++;
        if (!input.isEmpty()) {
            update(crc, array, offset, length);
        }
    }

    /** Adds a message to the sum of a {@link PublisherState.Beginning}. */
    static void update(CRC32C sum, byte[] array, int offset, int length) {
        for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
            sum.update(length >>> shift);
        }
        sum.update(array, offset, length);
    }

    /** Whether the messages taken so far are as many as the last run is known by, and others. */
    boolean isOther() {
        return taken == expected.messages() && crc.getValue() != expected.crc();
    }

    /** Records that the whole input is in the stream: so many messages, all of them taken. */
    void recordEnd(long messages) throws IOException {
        if (!input.isEmpty()) {
            state.record(state.run().ended(messages).with(new PublisherState.Beginning(messages, crc.getValue())));
        }
    }

    @Override
    public void close() throws IOException {
        state.close();
    }

    private void welcomed(WelcomeFrame welcome) throws IOException {
        PublisherState.Run before = state.run();
        if (input.isEmpty()) {
            freeze(before, welcome);
            return;
        }
        if (had.isDone()) {
            // Numbers continue within a run, even if the relay was started anew.
            recordBegin(welcome, before.first(), before.beginning());
            return;
        }
        boolean same = isSame(before) && again != Again.ALL;
        long has = same ? has(before, welcome) : 0;
        streamIsNew = same && welcome.epochChanged();
        lostTo = same && !streamIsNew && before.hasEnded() && before.published() > has ? before.published() : 0;
        // A run that is refused or cut short must not make the next one forget the file.
        recordBegin(welcome, welcome.accepted() + 1 - has, has > 0 ? expected : PublisherState.Beginning.NONE);
        had.complete(has);
    }

    private void recordBegin(WelcomeFrame welcome, long first, PublisherState.Beginning beginning) throws IOException {
        long unknown = PublisherState.Run.UNKNOWN;
        state.record(new PublisherState.Run(input, welcome.epoch(), welcome.epochs(), first, unknown, beginning));
    }

    private boolean isSame(PublisherState.Run before) {
        return !input.isEmpty() && before.input().equals(input);
    }

    /** Number of messages of the last run that need not be published again. */
    private long has(PublisherState.Run before, WelcomeFrame welcome) {
        long ended = before.hasEnded() ? before.published() : Long.MAX_VALUE;
        if (before.hasEnded() && again == Again.NEW) {
            return ended;
        }
        if (!welcome.epochChanged() && before.first() <= welcome.accepted() + 1) {
            // Behind the end of a run, messages of others under the name may have been counted.
            return Math.min(ended, welcome.accepted() + 1 - before.first());
        }
        return 0;
    }

    /** An input that cannot be read again is counted, too: of a run that was cut short, the number has to be kept. */
    private void freeze(PublisherState.Run before, WelcomeFrame welcome) throws IOException {
        if (!had.isDone() && !before.hasEnded()) {
            state.record(before.ended(has(before, welcome)));
        }
        had.complete(0L);
    }
}
