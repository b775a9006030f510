package dev.msgrelay.server.state;

import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.state.Walk.Batch;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * One walk for all readers of an interval that have the same types. At a tick it goes from the first of their places to
 * the head, and each batch is filled once.
 *
 * <pre>
 *   stream   | place ....................................... head |
 *   batches         |  from ...  next | from ...  next | from ... |    those before were given back
 *   readers     ^ alone      ^ sends            ^ sends           ^ waits for the next one
 * </pre>
 *
 * A reader that was told of all numbers before {@code n}, and has the stream up to there, type by type, may begin at
 * {@code n} anywhere in the walk: what a batch has before that is left out. For each batch has the newest messages of
 * its numbers as they were when it was filled. A message that is newest at the end of the walk, and has a higher number
 * than the reader's place, was in the stream when the batch with its number was filled, and was the newest then, too.
 * So it is there.
 *
 * <p>The walk runs ahead of its readers while there is memory for its batches: else it would never end where types
 * change faster than all readers together take them.
 *
 * <p>A reader that is behind the oldest batch, since it is slow or has only come, walks alone until its place is in a
 * batch. What was said of a place where it has the stream holds of each place that it has walked to from there.
 *
 * <p>Owned by the core's thread.
 */
final class CommonWalk {
    /** What readers have in common. */
    record Key(long intervalNanos, TypeRanges types) {}

    final Key key;
    final Walk walk = new Walk(1, this::filled);
    private final StateDesk desk;
    // All of them, in the order of their coming, so that a run can be repeated.
    private final Set<Walk> readers = new LinkedHashSet<>();
    private Set<Walk> waiting = new LinkedHashSet<>();
    private final ArrayDeque<Batch> batches = new ArrayDeque<>();
    // Whether the walk is on its way, and whether it has asked for its next batch.
    private boolean runs;
    private boolean asked;
    // Whether it is a walk for those alone who have nothing yet.
    private boolean fromNothing;

    CommonWalk(Key key, StateDesk desk) {
        this.key = key;
        this.desk = desk;
        walk.choose(key.types);
    }

    /** Adds a reader. */
    void join(Walk reader) {
        readers.add(reader);
    }

    /** Removes a reader; returns whether it was the last one. */
    boolean leave(Walk reader) {
        readers.remove(reader);
        waiting.remove(reader);
        return readers.isEmpty();
    }

    /** Gives a reader the next batch, now or when it is filled; returns false if the reader has to walk alone. */
    boolean serve(Walk reader) {
        if (!runs && reader.next >= walk.next) {
            begin();
        }
        if (fromNothing && !reader.hasNothing) {
            return false;
        }
        for (Batch batch : batches) {
            if (batch.tells(reader.next)) {
                desk.give(reader, batch);
                return true;
            }
        }
        boolean waits = runs && reader.next >= walk.next;
        if (waits) {
            waiting.add(reader);
            goOn();
        }
        return waits;
    }

    /** Begins at the first place of all readers that are not behind the last walk's end. */
    private void begin() {
        letGo();
        long end = walk.next;
        walk.next = readers.stream()
                .mapToLong(reader -> reader.next)
                .filter(next -> next >= end)
                .min()
                .orElseThrow();
        fromNothing = walk.next == 1;
        runs = true;
    }

    private void goOn() {
        if (!asked) {
            asked = true;
            desk.askAlone(walk);
        }
    }

    private void filled() {
        asked = false;
        runs = !walk.arrived;
        if (walk.next == walk.from) {
            desk.giveBack(walk);
            // Where nothing is new, who asks nevertheless is told that alone.
            endWait(walk.arrived ? desk::askAlone : desk::askTogether);
            return;
        }
        Batch batch = walk.asBatch(this::drop);
        batches.add(batch);
        endWait(desk::askTogether);
        if (readers.isEmpty() || !desk.keep(batch)) {
            drop(batch);
        } else if (runs && desk.mayRunAhead()) {
            goOn();
        }
    }

    private void endWait(Consumer<Walk> next) {
        Set<Walk> all = waiting;
        waiting = new LinkedHashSet<>();
        all.forEach(next);
    }

    /** Gives a batch back that is kept no more. Readers that write it have it still. */
    private void drop(Batch batch) {
        if (batches.remove(batch)) {
            desk.letGo(batch);
        }
    }

    /** Gives all batches back. */
    void letGo() {
        while (!batches.isEmpty()) {
            drop(batches.peekFirst());
        }
    }

    /** Gives all batches back if no reader needs them any more. */
    void tidy() {
        if (!runs && !batches.isEmpty() && readers.stream().noneMatch(reader -> reader.next < walk.next)) {
            letGo();
        }
    }
}
