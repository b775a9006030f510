package dev.msgrelay.loadgen.shootout;

/**
 * One run of the plan.
 *
 * @param lane its name
 * @param point what is sent
 * @param what lies between publishers and subscribers
 */
public record Step(String lane, LoadPoint point, What what) {
    /** What is measured. */
    public enum What {
        /** The relay: a cell of the matrix. */
        RELAY("relay"),
        /** The ceiling of a lane without a line rate: a middle that only copies bytes. */
        PLAIN("plain relay"),
        /** Publisher and subscriber with nothing between them, pre-packed. */
        DIRECT("direct");

        private final String title;

        What(String title) {
            this.title = title;
        }

        @Override
        public String toString() {
            return title;
        }
    }
}
