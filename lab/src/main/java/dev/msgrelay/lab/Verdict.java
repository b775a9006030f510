package dev.msgrelay.lab;

import java.util.Locale;

/**
 * What became of a claim.
 *
 * @param claim the article's words; empty where it says nothing, and the question is open
 * @param article the size that it says; empty where it says none
 * @param here what was measured, with its interval; empty where nothing could be
 * @param direction null where none is claimed
 * @param size null where none is claimed
 * @param words both, for people
 */
public record Verdict(String claim, String article, String here, Outcome direction, Outcome size, String words) {
    /** Of a direction, or of a size. */
    public enum Outcome {
        HOLDS,
        DOES_NOT_HOLD,
        /** The interval has both in it; or a row failed, or was not measured. */
        CANNOT_TELL,
        NOT_ENOUGH_ROUNDS,
        /** There was no claim to judge. */
        MEASURED;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    /** Whether all that is claimed holds. */
    public boolean holds() {
        return (direction == null || direction == Outcome.HOLDS) && (size == null || size == Outcome.HOLDS);
    }

    /** Whether a part of the claim was found not to hold. */
    public boolean isRefuted() {
        return direction == Outcome.DOES_NOT_HOLD || size == Outcome.DOES_NOT_HOLD;
    }

    /** This one, with more words before what was measured. */
    public Verdict after(String more) {
        return new Verdict(claim, article, more + here, direction, size, words);
    }
}
