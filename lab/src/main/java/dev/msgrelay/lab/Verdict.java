package dev.msgrelay.lab;

import java.util.Locale;

/**
 * The verdict on a claim.
 *
 * @param claim the article's words
 * @param article the size that it says; empty where it says none
 * @param here the measured ratio, with its interval; empty where nothing could be
 * @param size null where none is claimed
 * @param words both, for people
 */
public record Verdict(String claim, String article, String here, Outcome direction, Outcome size, String words) {
    /** The outcome for a direction, or for a size. */
    public enum Outcome {
        HOLDS,
        DOES_NOT_HOLD,
        /** The interval has both in it; or a row failed, or was not measured. */
        CANNOT_TELL,
        NOT_ENOUGH_ROUNDS;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    public boolean holds() {
        return direction == Outcome.HOLDS && (size == null || size == Outcome.HOLDS);
    }

    /** Whether a part of the claim was found not to hold. */
    public boolean isRefuted() {
        return direction == Outcome.DOES_NOT_HOLD || size == Outcome.DOES_NOT_HOLD;
    }

    /** The same verdict, with more words before the measured ones. */
    public Verdict after(String more) {
        return new Verdict(claim, article, more + here, direction, size, words);
    }
}
