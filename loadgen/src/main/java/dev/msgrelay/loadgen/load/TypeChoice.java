package dev.msgrelay.loadgen.load;

import dev.msgrelay.protocol.TypeRanges;

/**
 * Which messages of each publisher a subscriber chooses by their types, known from their numbers alone. The chosen ones
 * have ranks 0, 1, 2, ... without a hole, so that what is missing among them shows as it does where all are chosen.
 * Immutable.
 *
 * <pre>
 *  number    0   1   2   3   4   5   6   7
 *  type      1   2   3   1   2   3   1   2       three types in turn, 1 and 3 chosen
 *  rank      0       1   2       3   4
 * </pre>
 */
public final class TypeChoice {
    /** Of the first numbers, one for each type in turn: how many before it are chosen; the last one is of all. */
    private final int[] before;

    private final boolean all;

    /**
     * @param sizes which types messages carry
     * @param wanted the types that are chosen
     */
    public TypeChoice(SizeTable sizes, TypeRanges wanted) {
        before = new int[sizes.types() + 1];
        for (int number = 0; number < sizes.types(); number++) {
            before[number + 1] = before[number] + (wanted.contains(sizes.typeOf(number)) ? 1 : 0);
        }
        all = before[sizes.types()] == sizes.types();
    }

    /** Whether no message is left out. */
    public boolean isAll() {
        return all;
    }

    /** Whether the message with this stamp is chosen. */
    public boolean contains(long stamp) {
        int turn = (int) (LoadMessage.number(stamp) % types());
        return before[turn] != before[turn + 1];
    }

    /** How many of a publisher's messages below this number are chosen: of a chosen one, its rank. */
    public long rank(long number) {
        return number / types() * before[types()] + before[(int) (number % types())];
    }

    /** The stamp of a chosen message with its rank in place of its number. */
    public long ranked(long stamp) {
        return all ? stamp : LoadMessage.stamp(LoadMessage.publisher(stamp), rank(LoadMessage.number(stamp)));
    }

    private int types() {
        return before.length - 1;
    }
}
