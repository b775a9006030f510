package dev.msgrelay.client.cli;

import dev.msgrelay.client.PublishException;
import dev.msgrelay.client.RelayPublisher;
import dev.msgrelay.protocol.cli.ExitCodes;
import dev.msgrelay.protocol.text.Durations;
import dev.msgrelay.protocol.text.ShortText;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * The end of a run of {@code publish}: waits for the relay as long as there is progress, closes the publisher, and
 * tells the sum. The main thread ends a run, or the shutdown thread does on Ctrl-C; the other one waits for it.
 */
final class PublishEnd {
    /** What the relay says about a message. */
    enum Proof {
        ACKNOWLEDGED,
        /** The relay has read it. */
        CONFIRMED,
        /** Nothing: the plain mode. */
        NONE
    }

    private final RelayPublisher publisher;
    private final Proof proof;
    private final Duration stallTimeout;
    private final Consumer<String> print;
    private volatile boolean stopping;
    // Owned by the main thread.
    private boolean stalled;
    private boolean finished; // guarded by this object's lock

    /**
     * @param stallTimeout longest wait without progress
     * @param print prints a line on stderr, if the user wants such lines
     */
    PublishEnd(RelayPublisher publisher, Proof proof, Duration stallTimeout, Consumer<String> print) {
        this.publisher = publisher;
        this.proof = proof;
        this.stallTimeout = stallTimeout;
        this.print = print;
    }

    /** Whether Ctrl-C has ended the run. */
    boolean isStopping() {
        return stopping;
    }

    /** The failure of a run whose relay takes nothing: it is not waited for again. */
    IOException stalled() {
        stalled = true;
        return new CodedException(ExitCodes.MISSED, stalledText());
    }

    String stalledText() {
        return "the relay " + (proof == Proof.ACKNOWLEDGED ? "acknowledged" : "took") + " nothing for "
                + Durations.format(stallTimeout);
    }

    /** Waits until the relay has all messages, as far as it tells, as long as there is progress. */
    void settle() throws InterruptedException {
        boolean more = !stalled;
        while (more) {
            long before = progress();
            long began = System.nanoTime();
            try {
                publisher.flush(stallTimeout);
                more = false;
            } catch (PublishException e) {
                more = progress() > before && publisher.failure().isEmpty();
                boolean late = System.nanoTime() - began >= stallTimeout.toNanos();
                stalled = !more && late && publisher.failure().isEmpty();
            }
        }
    }

    private long progress() {
        return publisher.settled() + publisher.confirmed();
    }

    /** On Ctrl-C: waits once, at most the stall time-out, and finishes. */
    synchronized void stop(Runnable lastWords) {
        stopping = true;
        if (finished) {
            return;
        }
        if (open() > 0) {
            print.accept(
                    "waiting up to " + Durations.format(stallTimeout) + " for the relay; a second Ctrl-C ends at once");
        }
        try {
            publisher.flush(stallTimeout);
        } catch (PublishException e) {
            // The sum tells what is left.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        finish(lastWords);
    }

    /** Closes the publisher and prints the sum, once. */
    synchronized void finish(Runnable lastWords) {
        if (finished) {
            return;
        }
        finished = true;
        try {
            publisher.close();
        } catch (PublishException e) {
            // Its failure() tells the same, behind the sum.
        }
        lastWords.run();
    }

    /** Number of messages that are not in the relay's hands, as far as it tells. */
    private long open() {
        return publisher.messages() - (proof == Proof.NONE ? publisher.settled() : publisher.confirmed());
    }

    /**
     * Throws if the run was not a success.
     *
     * @throws IOException why; with the number of messages that are in doubt
     */
    void check() throws IOException {
        IOException failure = publisher.failure().orElse(null);
        if (stalled && open() > 0) {
            throw new CodedException(
                    ExitCodes.MISSED, failure == null ? doubt() + ": " + stalledText() : failure.getMessage());
        }
        if (failure != null) {
            throw failure;
        }
        if (open() > 0) {
            // A flush has told it before the publisher was closed.
            throw new CodedException(
                    ExitCodes.NOT_WHOLE, doubt() + ": their connection was lost before the relay had read them");
        }
    }

    String sum() {
        if (proof == Proof.CONFIRMED && open() > 0) {
            return doubt() + ": the relay has not confirmed " + (open() == 1 ? "it" : "them");
        }
        boolean all = publisher.settled() == publisher.messages();
        boolean unsure = proof == Proof.NONE && publisher.failure().isPresent();
        return (unsure ? "sent " : "published ") + (all ? "" : ShortText.grouped(publisher.settled()) + " of ")
                + ShortText.groupedOf(publisher.messages(), "message") + ", "
                + (all
                        ? ""
                        : ShortText.grouped(Speed.bodyBytes(publisher.settledBytes(), publisher.settled())) + " of ")
                + ShortText.groupedOf(Speed.bodyBytes(publisher.bytes(), publisher.messages()), "byte")
                + switch (proof) {
                    case ACKNOWLEDGED -> " acknowledged";
                    case CONFIRMED -> " confirmed";
                    case NONE ->
                        unsure
                                ? "; the relay does not tell how many it took"
                                : " handed to the kernel; the relay does not tell what it has read";
                };
    }

    private String doubt() {
        long sent = publisher.settled();
        long all = publisher.messages();
        return ShortText.grouped(sent) + (sent == all ? "" : " of " + ShortText.grouped(all)) + " sent, "
                + ShortText.grouped(open()) + " in doubt";
    }
}
