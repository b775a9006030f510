package dev.msgrelay.client;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.SubscribeFrame;
import dev.msgrelay.protocol.SubscribedFrame;
import dev.msgrelay.protocol.TypeRanges;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * Changes of a subscriber's types, from the request to the relay's answer. Any thread asks; the thread that polls sends
 * and completes. All state is guarded by this object's lock; futures are completed outside of it, since that runs other
 * code's callbacks.
 */
final class TypeChanges {
    /** Most changes that wait for their answer. */
    static final int MOST = 64;

    private record Change(int request, TypeRanges types, CompletableFuture<Long> done) {}

    private final ArrayDeque<Change> sent = new ArrayDeque<>();
    private final ArrayDeque<Change> waiting = new ArrayDeque<>();
    private TypeRanges holding;
    // Whether the last HELLO that was answered, and the changes since, leave types whose state never came.
    private boolean widened;
    private int requests;
    private IOException ended;

    TypeChanges(TypeRanges atFirst) {
        holding = atFirst;
    }

    /** Asks for other types. Any thread. */
    CompletableFuture<Long> ask(TypeRanges types) {
        Objects.requireNonNull(types, "types");
        IOException refusal;
        synchronized (this) {
            if (ended == null && sent.size() + waiting.size() < MOST) {
                Change change = new Change(requests++, types, new CompletableFuture<>());
                waiting.add(change);
                return change.done;
            }
            refusal = ended;
        }
        return CompletableFuture.failedFuture(
                refusal != null ? refusal : new IOException(MOST + " changes of types wait for the relay already"));
    }

    /** The types for a HELLO, which stands for every change asked for until now. */
    synchronized TypeRanges forHello() {
        sent.addAll(waiting);
        waiting.clear();
        TypeRanges before = holding;
        for (Change change : sent) {
            widened |= isWider(change.types, before);
            before = change.types;
        }
        return sent.isEmpty() ? holding : sent.getLast().types;
    }

    /** Whether types were added since the last HELLO that was answered: their earlier messages did not come. */
    synchronized boolean isWidened() {
        return widened;
    }

    private static boolean isWider(TypeRanges types, TypeRanges before) {
        return !types.equals(types.intersect(before));
    }

    /** Completes the changes that the answered HELLO stands for: they hold from message {@code next} on. */
    void welcomed(long next) {
        List<Change> done;
        synchronized (this) {
            done = new ArrayList<>(sent);
            holding = sent.isEmpty() ? holding : sent.getLast().types;
            sent.clear();
            widened = false;
        }
        done.forEach(change -> change.done.complete(next));
    }

    /** Queues SUBSCRIBE frames on an open connection, as many as there is room for now. */
    void send(RelayLink link, int maxRanges) {
        List<Change> tooLarge = new ArrayList<>(0);
        synchronized (this) {
            while (!waiting.isEmpty()) {
                Change change = waiting.peek();
                if (change.types.count() > maxRanges) {
                    tooLarge.add(change);
                } else if (link.send(new SubscribeFrame(change.request, change.types).encode())) {
                    sent.add(change);
                } else {
                    break;
                }
                waiting.remove();
            }
        }
        for (Change change : tooLarge) {
            change.done.completeExceptionally(new IOException(
                    change.types.count() + " ranges of types are over the relay's limit of " + maxRanges));
        }
    }

    /** Whether there is a change to {@link #send}. */
    synchronized boolean isWaiting() {
        return !waiting.isEmpty();
    }

    /** Takes SUBSCRIBED: completes the change that it answers, and returns the types that hold from here on. */
    TypeRanges answered(SubscribedFrame answer) throws FrameException {
        Change change;
        synchronized (this) {
            change = sent.peek();
            if (change == null || change.request != answer.request()) {
                throw new FrameException(
                        CloseReason.PROTOCOL_ORDER,
                        "SUBSCRIBED answers request " + answer.request() + ", the one to be answered is "
                                + (change == null ? "none" : change.request));
            }
            sent.remove();
            widened |= isWider(change.types, holding);
            holding = change.types;
        }
        change.done.complete(answer.sequence());
        return change.types;
    }

    /** Ends all changes: the subscriber has ended, and no change is answered any more. */
    void endAll(IOException cause) {
        List<Change> unanswered;
        synchronized (this) {
            if (ended != null) {
                return;
            }
            ended = cause;
            unanswered = new ArrayList<>(sent);
            unanswered.addAll(waiting);
            sent.clear();
            waiting.clear();
        }
        unanswered.forEach(change -> change.done.completeExceptionally(cause));
    }
}
