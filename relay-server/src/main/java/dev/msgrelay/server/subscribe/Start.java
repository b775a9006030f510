package dev.msgrelay.server.subscribe;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.StartFrom;
import dev.msgrelay.server.connection.Durability;
import dev.msgrelay.server.journal.Journal;
import dev.msgrelay.server.stream.LogReader;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.PacketLog;

/**
 * The start of a subscriber's stream, by its HELLO.
 *
 * @param from as the subscriber asked
 * @param first with {@link StartFrom#SEQUENCE} the number of the first message that it gets, if that is there
 * @param millis with {@link StartFrom#TIME} since 1970
 * @param fork as WELCOME tells it: {@link Durability#TODAY} where the stream still is as the subscriber knows it
 */
record Start(StartFrom from, long first, long millis, long fork) {
    /** Tries: once the gate knows where the subscriber stands the writer waits, so the second holds; a third for a slow host. */
    private static final int MOST_TRIES = 3;

    /** Reads HELLO; throws where there is no such place. {@code journal}: there is one, with times. */
    static Start of(HelloFrame said, Durability durability, Mark head, boolean journal) throws FrameException {
        boolean resumes = said.start() == StartFrom.SEQUENCE;
        boolean byTime = said.start() == StartFrom.TIME;
        if (byTime && !journal) {
            throw new FrameException(
                    CloseReason.UNSUPPORTED,
                    "a start by time takes a journal that is replayed, and this relay has none");
        }
        long fork = durability.forkOf(said);
        boolean known = fork != Durability.UNKNOWN;
        long first = resumes && known ? Math.min(said.number(), fork) : 1;
        if (first > head.sequence()) {
            throw new FrameException(
                    CloseReason.BAD_START,
                    "sequence " + first + " is beyond the next one of this stream, " + head.sequence());
        }
        boolean keeps = known && (!resumes || first == said.number());
        return new Start(said.start(), first, byTime ? said.number() : 0, keeps ? Durability.TODAY : fork);
    }

    /** Returns whether the subscriber names the first message, and is told of those that are missing. */
    boolean resumes() {
        return from == StartFrom.SEQUENCE;
    }

    /** Returns whether the log has the place, and all that is behind it. */
    boolean isIn(PacketLog log, Journal journal) {
        Mark place = new Mark();
        return switch (from) {
            case LIVE -> true;
            case SEQUENCE -> log.packetOf(first, place) && place.position() >= log.tail();
            case EARLIEST -> !journal.hasBefore(log.tail());
            case TIME -> false;
        };
    }

    /** Moves a reader there in the log, whose writer may have gone on; or to the oldest message that is left. */
    void seek(LogReader reader, PacketLog log, Mark head, SlowReader slowness) {
        int tries = 0;
        do {
            log.head().read(head);
            reader.seek(resumes() ? first : LogReader.EARLIEST, head);
            slowness.movedBack();
        } while (reader.overtaken() && ++tries < MOST_TRIES);
    }
}
