package dev.msgrelay.server.state;

import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.state.Walk.Batch;
import dev.msgrelay.server.stream.Mark;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeMap;

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
 * <p>An earlier batch that has reached the head of its time tells a reader so only if the reader has had no batch that
 * was filled at a later head: of what has changed since, the later one may have left out messages. By the same rule the
 * readers of a tick come at least to the head that was there when the first of them asked.
 *
 * <p>The walk runs ahead of its readers while there is memory for its batches: else it would never end where types
 * change faster than all readers together take them. Where no reader is at its batches any more, it goes on at the
 * first place of those that are further on.
 *
 * <p>A reader that is behind the oldest batch, since it is slow or has only come, walks alone until its place is in a
 * batch. So does, for a batch, one whose place the next batch does not reach: nobody waits for more than one.
 *
 * <p>Owned by the core's thread.
 */
final class CommonWalk {
    /** What readers have in common. */
    record Key(long intervalNanos, TypeRanges types) {}

    final Key key;
    final Walk walk = new Walk(1, this::filled);
    private final StateDesk desk;
    // How many readers are at each place: the first number that they have not been told of.
    private final TreeMap<Long, Integer> places = new TreeMap<>();
    // In the order of their coming, so that a run can be repeated.
    private final Set<Walk> waiting = new LinkedHashSet<>();
    // Those that are kept, in their order.
    private final ArrayDeque<Batch> batches = new ArrayDeque<>();
    // Whether the walk has asked for its next batch.
    private boolean asked;
    // The last tick at which a reader began, and the head at that time.
    private long tick = Long.MIN_VALUE;
    private final Mark headOfTick = new Mark();

    CommonWalk(Key key, StateDesk desk) {
        this.key = key;
        this.desk = desk;
        walk.choose(key.types);
    }

    /** Adds a reader. */
    void join(Walk reader) {
        count(reader.next, 1);
        begin(reader);
    }

    /** Removes a reader; returns whether it was the last one. */
    boolean leave(Walk reader) {
        count(reader.next, -1);
        waiting.remove(reader);
        return places.isEmpty();
    }

    /** Called after each batch of a reader, a shared one or one of its own. */
    void moved(Walk reader) {
        count(reader.from, -1);
        count(reader.next, 1);
    }

    private void count(long place, int more) {
        places.merge(place, more, (before, change) -> before + change == 0 ? null : Integer.valueOf(before + change));
    }

    /** Has a reader reach a head of the present tick. */
    private void begin(Walk reader) {
        long now = desk.tickOf(key.intervalNanos);
        if (now != tick) {
            tick = now;
            desk.readHead(headOfTick);
        }
        reader.reach(headOfTick);
    }

    /** Gives a reader the next batch, now or when it is filled; returns false if the reader has to walk alone. */
    boolean serve(Walk reader) {
        if (reader.arrived) {
            begin(reader);
        }
        for (Batch batch : batches) {
            if (batch.tells(reader.next)) {
                desk.give(reader, batch);
                return true;
            }
        }
        if (reader.next < walk.next) {
            return false;
        }
        waiting.add(reader);
        goOn();
        return true;
    }

    /** Asks for the next batch. */
    private void goOn() {
        if (asked) {
            return;
        }
        if (walk.arrived) {
            // The next tick: batches of the last one have what is superseded since.
            letGo();
        }
        long first = tidy();
        if (first > walk.next) {
            desk.leave(walk);
            walk.jump(first);
        }
        asked = true;
        desk.askAlone(walk);
    }

    private void filled() {
        asked = false;
        if (walk.hasFrames()) {
            Batch batch = walk.asBatch(this::drop);
            batches.add(batch);
            boolean keeps = desk.keep(batch);
            endWait(batch);
            if (!keeps) {
                drop(batch);
            }
        } else {
            desk.giveBack(walk);
            if (walk.arrived) {
                // Where nothing is new, who asks nevertheless is told that alone.
                waiting.forEach(desk::askAlone);
                waiting.clear();
            }
        }
        if (!waiting.isEmpty() || !walk.arrived && walk.needed == 0 && desk.mayRunAhead() && tidy() <= walk.next) {
            goOn();
        }
    }

    private void endWait(Batch batch) {
        for (Walk reader : waiting) {
            if (batch.tells(reader.next)) {
                desk.give(reader, batch);
            } else {
                desk.askAlone(reader);
            }
        }
        waiting.clear();
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

    /**
     * Gives the batches back that no reader needs any more. Returns the first place of the readers that are not behind
     * the batches; {@link Long#MAX_VALUE} if there are none.
     */
    long tidy() {
        long from = batches.isEmpty() ? walk.next : batches.peekFirst().from;
        boolean allBehind = places.isEmpty() || places.lastKey() < from;
        long first = allBehind ? Long.MAX_VALUE : places.ceilingKey(from);
        while (!batches.isEmpty() && batches.peekFirst().next <= first) {
            drop(batches.peekFirst());
        }
        return first;
    }
}
