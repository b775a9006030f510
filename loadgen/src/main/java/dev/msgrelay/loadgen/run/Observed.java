package dev.msgrelay.loadgen.run;

import java.util.Locale;

/**
 * Something that is to be said of what became of a run: a result, that is told, counted and compared. It never makes a run
 * count less.
 *
 * @param text one line, with the numbers
 */
public record Observed(Kind kind, String text) {
    /** What is counted: runs with one. */
    public enum Kind {
        /** Nothing was delivered for 100 ms or longer. */
        STOOD_STILL("stand-stills", "stands still more often"),
        /** The rate was not reached, or too many messages left late. */
        SCHEDULE_MISSED("missed schedules", "misses its schedule more often");

        private final String title;
        private final String oftener;

        Kind(String title, String oftener) {
            this.title = title;
            this.oftener = oftener;
        }

        /** For people. */
        public String title() {
            return title;
        }

        /** What is said of the side that has more of them. */
        public String oftener() {
            return oftener;
        }

        /** As files name it. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
