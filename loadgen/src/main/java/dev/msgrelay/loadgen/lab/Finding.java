package dev.msgrelay.loadgen.lab;

/**
 * A sentence of verdict, computed from figures.
 *
 * @param claim what the article says; empty where it says nothing, and the sentence answers an open question
 * @param sentence what the figures say
 */
public record Finding(String claim, Outcome outcome, String sentence) {
    /** What became of the claim. */
    public enum Outcome {
        HOLDS("holds"),
        DOES_NOT_HOLD("does not hold"),
        /** The figures overlap. */
        NO_DIFFERENCE("no difference"),
        /** A row failed or was not measured. */
        UNDECIDED("cannot be told"),
        /** There is no claim to judge. */
        MEASURED("measured");

        private final String words;

        Outcome(String words) {
            this.words = words;
        }

        public String words() {
            return words;
        }
    }

    @Override
    public String toString() {
        return claim.isEmpty() ? sentence : "\"" + claim + "\": " + outcome.words() + ". " + sentence;
    }
}
