package dev.msgrelay.lab;

import java.util.Locale;

/**
 * The verdict on a claim.
 *
 * @param article the ratio that the article states; empty: none
 * @param here the measured ratio with its interval; empty if it could not be measured
 * @param size outcome for the claimed ratio; null if none was claimed
 */
public record Verdict(String claim, String article, String here, Outcome direction, Outcome size, String words) {
    /** The outcome of a direction, or of a size. */
    public enum Outcome {
        HOLDS,
        DOES_NOT_HOLD,
        /** The interval includes both answers, a row failed, or a row was not measured. */
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

    public boolean isRefuted() {
        return direction == Outcome.DOES_NOT_HOLD || size == Outcome.DOES_NOT_HOLD;
    }

    public Verdict after(String more) {
        return new Verdict(claim, article, more + here, direction, size, words);
    }
}
