package dev.msgrelay.client.cli;

import dev.msgrelay.client.Gap;
import dev.msgrelay.client.Position;
import dev.msgrelay.client.PositionStore;
import dev.msgrelay.client.RelayPublisher;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.RunHandler;
import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.protocol.Epochs;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.protocol.cli.ExitCodes;
import dev.msgrelay.protocol.text.ShortText;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A run of {@code copy}. The main thread polls FROM and hands each message to TO's publisher, whose thread tells what
 * TO says; a third one writes the places that TO has acknowledged.
 */
final class CopyRun {
    /** Time between two places of the file. */
    static final Duration SAVE_EVERY = Duration.ofMillis(100);

    /** Longest wait for FROM before TO is looked at. */
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

    private final Optional<CopyFile> file;
    private final long count;
    private final Duration stallTimeout;
    private final EventPrinter events;
    private final Consumer<String> print;
    private final Thread main = Thread.currentThread();
    private volatile boolean stopped;
    private volatile Optional<IOException> failure = Optional.empty();

    // Owned by the main thread.
    private Optional<RelayPublisher> publisher = Optional.empty();
    private long firstNumber;
    private long copied;
    private long bodyBytes;
    private long lastSequence;
    private long missed;
    private boolean fromChanged;
    private Optional<Epochs> fromBefore = Optional.empty();
    private long sameBelow = Long.MAX_VALUE;
    private long settledBefore;
    private long progressedAt = System.nanoTime();

    // Guarded by this object's lock: the lives of both streams, and what TO has said at first.
    private Set<Long> fromLives = Set.of();
    private Set<Long> toLives = Set.of();
    private Optional<WelcomeFrame> toFirst = Optional.empty();
    private boolean toChanged;

    /**
     * Made by the main thread.
     *
     * @param print prints a line on stderr, if the user wants such lines
     */
    CopyRun(Optional<CopyFile> file, long count, Duration stallTimeout, EventPrinter events, Consumer<String> print) {
        this.file = file;
        this.count = count;
        this.stallTimeout = stallTimeout;
        this.events = events;
        this.print = print;
    }

    /** An event of TO's connection, on the publisher's thread. */
    synchronized void hearTo(SessionEvent event) {
        if (event instanceof SessionEvent.Connected connected) {
            WelcomeFrame welcome = connected.welcome();
            toLives = epochs(welcome);
            demandTwoRelays();
            toFirst = toFirst.isPresent() ? toFirst : Optional.of(welcome);
            file.ifPresent(kept -> kept.toIs(welcome.epoch(), welcome.epochs()));
        } else if (event instanceof SessionEvent.AcknowledgedGone || event instanceof SessionEvent.RelayRestarted) {
            toChanged = true;
        }
    }

    /** An event of FROM's connection, on the main thread; of a connection, before its first message. */
    void hearFrom(SessionEvent event) {
        if (event instanceof SessionEvent.Connected connected) {
            WelcomeFrame welcome = connected.welcome();
            hear(epochs(welcome));
            if (failure.isPresent()) {
                throw new UncheckedIOException(failure.get());
            }
            liveBegins(welcome);
            if (file.isPresent()) {
                try {
                    file.get().beginAt(new Position(welcome.epoch(), welcome.next(), welcome.epochs()));
                } catch (IOException e) {
                    throw end("the place cannot be kept: " + e.getMessage());
                }
            }
        } else if (event instanceof SessionEvent.StreamChanged || event instanceof SessionEvent.StreamRolledBack) {
            fromChanged = true;
            demandKnownPlace(event.text());
        }
    }

    /**
     * FROM has answered. In a new life only the messages below the fork are those that were copied. WELCOME has no flag
     * for that if the place lies at the fork or below it.
     */
    private void liveBegins(WelcomeFrame welcome) {
        Epochs now = lives(welcome.epoch(), welcome.epochs());
        Optional<Epochs> before =
                fromBefore.or(() -> file.flatMap(CopyFile::place).map(place -> lives(place.epoch(), place.epochs())));
        sameBelow = Math.min(sameBelow, before.map(now::changedSince).orElse(Long.MAX_VALUE));
        fromBefore = Optional.of(now);
    }

    /** An older relay tells no lives but the present one. */
    private static Epochs lives(long epoch, Epochs told) {
        return told.isNone() ? new Epochs(List.of(new Epochs.Row(epoch, 1))) : told;
    }

    private static Set<Long> epochs(WelcomeFrame welcome) {
        return lives(welcome.epoch(), welcome.epochs()).rows().stream()
                .map(Epochs.Row::epoch)
                .collect(Collectors.toSet());
    }

    private synchronized void hear(Set<Long> lives) {
        fromLives = lives;
        demandTwoRelays();
    }

    /** Ends the run if messages would go round; the thread that polls FROM notices. */
    private void demandTwoRelays() {
        if (fromLives.stream().anyMatch(toLives::contains)) {
            failure = Optional.of(
                    new IOException("FROM and TO are one relay, or one is an earlier life of the other: each"
                            + " message would be copied again"));
        }
    }

    /** Messages that FROM no longer has, on the main thread. */
    void miss(Gap gap) {
        if (copied == count) {
            return;
        }
        missed += gap.count();
        events.gap(gap);
        demandKnownPlace(gap.text());
    }

    /**
     * Ends the run if messages of an earlier one are still to be passed over: TO counts them, and cannot tell which of
     * them FROM no longer has.
     */
    private void demandKnownPlace(String what) {
        long number = firstNumber - 1 + copied;
        long accepted = accepted();
        if (file.isPresent() && number < accepted) {
            throw end(
                    what + "; TO has " + ShortText.counted(accepted - number, "message")
                            + " behind the place that is kept, and nobody knows which: --position with another file begins anew");
        }
    }

    /** Number of the last message that TO had before this run. */
    private synchronized long accepted() {
        return toFirst.map(WelcomeFrame::accepted).orElse(0L);
    }

    private UncheckedIOException end(String why) {
        IOException cause = new IOException(why);
        failure = Optional.of(cause);
        return new UncheckedIOException(cause);
    }

    /** The places of FROM that the file keeps. */
    PositionStore places(CopyFile kept) {
        return new PositionStore() {
            @Override
            public Optional<Position> load() {
                return kept.place();
            }

            @Override
            public void save(Position position) throws IOException {
                if (Thread.currentThread() != main) {
                    throw new IOException("on Ctrl-C the thread that copies saves the place: it knows what is copied");
                }
                if (failure.isEmpty()) {
                    long next = copied == count ? lastSequence + 1 : position.next();
                    kept.reach(new Position(position.epoch(), next, position.epochs()), copied);
                }
            }
        };
    }

    /**
     * Copies until the end; returns the exit code.
     *
     * @throws IOException a connection is lost for good, or the place cannot be kept
     */
    int copy(RelaySubscriber subscriber, RelayPublisher to, FirstConnection from)
            throws IOException, InterruptedException {
        publisher = Optional.of(to);
        firstNumber = 1 + file.filter(CopyFile::continues).map(CopyFile::number).orElse(accepted());
        PublishEnd end = new PublishEnd(to, PublishEnd.Proof.ACKNOWLEDGED, stallTimeout, print);
        ScheduledExecutorService writer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "copy position");
            thread.setDaemon(true);
            return thread;
        });
        try {
            if (file.isPresent()) {
                begin(file.get());
                long every = SAVE_EVERY.toMillis();
                writer.scheduleWithFixedDelay(() -> write(to), every, every, TimeUnit.MILLISECONDS);
            }
            int n = 0;
            RunHandler handler = handler(to, end);
            // After Ctrl-C, too: the last poll keeps the place.
            while (n >= 0 && copied < count) {
                n = subscriber.poll(handler, LOOK_EVERY);
                if (to.failure().isPresent()) {
                    throw to.failure().get();
                }
                demandProgress(to, end);
                if (failure.isPresent()) {
                    throw failure.get();
                }
                if (from.hasFailed()) {
                    from.await(Duration.ZERO, "");
                }
            }
            if (copied < count && !stopped) {
                throw new EOFException("FROM closed the connection");
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } finally {
            subscriber.close();
            end.settle();
            writer.shutdown();
            if (writer.awaitTermination(stallTimeout.toMillis(), TimeUnit.MILLISECONDS) && file.isPresent()) {
                write(to);
            }
        }
        if (failure.isPresent()) {
            throw failure.get();
        }
        end.check();
        return missed > 0 || fromChanged || toHasChanged() ? ExitCodes.NOT_WHOLE : ExitCodes.DONE;
    }

    /** Ends the run if TO has acknowledged nothing for too long, and there is something to acknowledge. */
    private void demandProgress(RelayPublisher to, PublishEnd end) throws IOException {
        long now = System.nanoTime();
        long settled = to.settled();
        if (settled != settledBefore || settled == copied) {
            settledBefore = settled;
            progressedAt = now;
        } else if (now - progressedAt >= stallTimeout.toNanos()) {
            throw end.stalled();
        }
    }

    private void begin(CopyFile kept) {
        kept.countFrom(firstNumber - 1);
        if (kept.number() > 0 && accepted() == 0 && !toHasChanged()) {
            print.accept("TO no longer knows the name " + kept.name() + ": the last messages of the run before may come"
                    + " twice");
        }
    }

    private synchronized boolean toHasChanged() {
        return toChanged;
    }

    private void write(RelayPublisher to) {
        try {
            file.orElseThrow().write(to.settled());
        } catch (IOException e) {
            failure = Optional.of(new IOException("the place was not kept: " + e.getMessage(), e));
        }
    }

    private RunHandler handler(RelayPublisher to, PublishEnd end) {
        return new RunHandler() {
            @Override
            public void onMessage(long sequence, int type, ByteBuffer body) {
                copy(to, end, sequence, type, body);
            }

            @Override
            public boolean onRun(long first, int messages, ByteBuffer frames) {
                return copyRun(to, end, first, messages, frames);
            }
        };
    }

    /** Copies a run; false: its messages are to come one by one, since not all of them can be copied. */
    private boolean copyRun(RelayPublisher to, PublishEnd end, long first, int messages, ByteBuffer frames) {
        boolean isKnownPlace = first + messages <= sameBelow || firstNumber - 1 + copied >= accepted();
        if (!isKnownPlace || messages > count - copied) {
            return false;
        }
        try {
            PublishOutcome outcome = to.publishRun(frames);
            if (outcome == PublishOutcome.FULL) {
                outcome = to.publishRun(frames, stallTimeout);
            }
            demandAccepted(to, end, outcome);
        } catch (IllegalArgumentException e) {
            // One of them does not fit TO, and is to be told by its sequence.
            return false;
        } catch (InterruptedException e) {
            throw interrupted();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        copied += messages;
        lastSequence = first + messages - 1;
        bodyBytes += frames.remaining() - (long) messages * FrameLayout.HEADER_LENGTH;
        return true;
    }

    private void demandAccepted(RelayPublisher to, PublishEnd end, PublishOutcome outcome) throws IOException {
        if (outcome == PublishOutcome.FULL) {
            throw end.stalled();
        } else if (outcome == PublishOutcome.CLOSED) {
            throw to.failure().orElseGet(() -> new EOFException("TO's publisher is closed"));
        }
    }

    private static UncheckedIOException interrupted() {
        Thread.currentThread().interrupt();
        return new UncheckedIOException(new InterruptedIOException("interrupted"));
    }

    private void copy(RelayPublisher to, PublishEnd end, long sequence, int type, ByteBuffer body) {
        if (copied == count) {
            return;
        }
        if (sequence >= sameBelow) {
            demandKnownPlace("message " + sequence + " of FROM is of another life than the one that was copied");
        }
        try {
            PublishOutcome outcome = to.publish(type, body);
            if (outcome == PublishOutcome.FULL) {
                outcome = to.publish(type, body, stallTimeout);
            }
            demandAccepted(to, end, outcome);
        } catch (IllegalArgumentException e) {
            throw end("message " + sequence + " of FROM does not fit TO: " + e.getMessage());
        } catch (InterruptedException e) {
            throw interrupted();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        copied++;
        lastSequence = sequence;
        bodyBytes += body.remaining();
    }

    /** Ends the run on Ctrl-C: what is under way is still acknowledged. Called on the shutdown thread. */
    void stop(RelaySubscriber subscriber) {
        stopped = true;
        subscriber.close();
    }

    /** The run in a line. */
    String sum() {
        long settled = publisher.map(RelayPublisher::settled).orElse(0L);
        return "copied " + (settled == copied ? "" : ShortText.grouped(settled) + " of ")
                + ShortText.groupedOf(copied, "message") + ", " + ShortText.groupedOf(bodyBytes, "byte")
                + (missed == 0 ? "" : "; missed " + ShortText.grouped(missed));
    }
}
