package dev.msgrelay.server.subscribe;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.memory.MemoryBudget.Pool;

/**
 * The types that a subscriber gets, and the types that it has asked for since, which it gets from the next frame boundary on.
 * Both are in the budget. Owned by the subscriber's thread; {@link #inForce} may be read by any.
 */
final class TypeChoice {
    /** Bytes of the Java heap that a set of ranges takes, beside its ranges. */
    private static final int RANGES_BYTES = 64;

    private final Pool memory;
    private final long most;
    private volatile TypeRanges inForce = TypeRanges.ALL;
    private TypeRanges wanted;
    private long inForceBytes;
    private long wantedBytes;

    /** @param most bytes that the ranges of one subscriber may take */
    TypeChoice(Pool memory, long most) {
        this.memory = memory;
        this.most = most;
    }

    TypeRanges inForce() {
        return inForce;
    }

    /** Asks for these types, and no longer for those that were wanted before. */
    void want(TypeRanges ranges) throws FrameException {
        long needed = ranges.isAll() ? 0 : RANGES_BYTES + (long) ranges.count() * TypeRanges.RANGE_LENGTH;
        memory.giveBack(wantedBytes);
        wantedBytes = 0;
        if (inForceBytes + needed > most) {
            throw new FrameException(
                    CloseReason.MEMORY_LIMIT,
                    ranges.count() + " ranges of types are " + needed + " bytes, and those that are in force "
                            + inForceBytes + ": a client may have " + most);
        }
        if (!memory.tryTake(needed)) {
            throw new FrameException(
                    CloseReason.MEMORY_LIMIT,
                    ranges.count() + " ranges of types are " + needed
                            + " bytes too many: clients' ranges and control frames take " + memory.used() + " of "
                            + memory.limit() + " bytes");
        }
        wantedBytes = needed;
        wanted = ranges;
    }

    void choose() {
        choose(wanted);
    }

    /** Puts HELLO's types in force. A SUBSCRIBE that lies behind HELLO may want others already: it has its turn later. */
    void choose(TypeRanges ofHello) {
        inForce = ofHello;
        if (wantedBytes > 0 || wanted.isAll()) {
            memory.giveBack(inForceBytes);
            inForceBytes = wantedBytes;
            wantedBytes = 0;
        }
    }

    void release() {
        memory.giveBack(inForceBytes + wantedBytes);
        inForceBytes = 0;
        wantedBytes = 0;
    }
}
