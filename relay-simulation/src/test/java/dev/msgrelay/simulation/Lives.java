package dev.msgrelay.simulation;

import dev.msgrelay.protocol.Level;
import dev.msgrelay.server.connection.Durability;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.StreamHead;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The lives of the relay in one run: which epochs they had, where the stream of each forked off, and what clients were
 * told that a life would leave behind. Kept independently of the relay, which has to say the same.
 */
final class Lives {
    /** Answer of {@link #forkOf}: of today, or of no epoch. */
    static final int TODAY = Integer.MAX_VALUE;

    /** Answer of {@link #forkOf}: no life had it. */
    static final int UNKNOWN = 0;

    private final World world;
    // By epoch, in their order.
    private final Map<Long, Integer> forks = new LinkedHashMap<>();
    long epoch;
    // The last message that has to be there after an end that a level survives.
    final Map<Level, Integer> promised = new EnumMap<>(Level.class);
    private final Mark mark = new Mark();
    private Durability durability;

    Lives(World world) {
        this.world = world;
    }

    /** A life begins behind so many messages. */
    void begin(long next, int messages, Durability now) {
        forks.replaceAll((before, fork) -> Math.min(fork, messages + 1));
        forks.put(next, TODAY);
        epoch = next;
        durability = now;
        // What was found was forced before anything else.
        promised.put(Level.WRITTEN, messages);
        promised.put(Level.FORCED, messages);
    }

    int count() {
        return forks.size();
    }

    /** One of them: mostly of today, where there are several any. */
    long someEpoch() {
        return world.onceIn(2) ? epoch : world.oneOf(List.copyOf(forks.keySet()));
    }

    /** The first sequence that is another message than it was in that epoch. */
    int forkOf(long epoch) {
        return epoch == 0 ? TODAY : forks.getOrDefault(epoch, UNKNOWN);
    }

    /** Whether it was the epoch of a life before today's. */
    boolean isEarlier(long epoch) {
        int fork = forkOf(epoch);
        return fork != TODAY && fork != UNKNOWN;
    }

    /** Whether there is a journal, and it goes on. */
    boolean keeps() {
        return durability.keepsStream() && !durability.failed();
    }

    /** Whether the journal has failed, and clients are told. */
    boolean failed() {
        return durability.failed();
    }

    /** The last message that has got so far, by what the relay says. */
    int reached(Level level) {
        StreamHead head = level == Level.WRITTEN ? durability.written() : durability.forced();
        head.read(mark);
        return (int) mark.sequence() - 1;
    }

    /** A client was told, or may take it from what it got, that a message has got so far, and with it all before it. */
    void promise(Level level, int sequence, String who) {
        if (level == Level.STREAM) {
            return;
        }
        int reached = reached(level);
        world.check(
                sequence <= reached,
                who + " is told that message " + sequence + " is " + level.flag() + ": up to " + reached + " is");
        promised.merge(level, sequence, Math::max);
    }
}
