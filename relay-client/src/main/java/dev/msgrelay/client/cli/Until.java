package dev.msgrelay.client.cli;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;

/**
 * The value of {@code --until}.
 *
 * @param sequence {@link #HEAD}, or the sequence of the last message wanted
 * @param time a time before which the last message wanted was published; empty: {@code sequence} counts
 */
record Until(long sequence, Optional<Instant> time) {
    private static final long HEAD = 0;

    /** Whether a relay is to be asked which sequence this is. */
    boolean isAsked() {
        return sequence == HEAD;
    }

    /** Whether it is the newest message at the start. */
    boolean isHead() {
        return sequence == HEAD && time.isEmpty();
    }

    /** @throws IllegalArgumentException the text is neither head, nor a number from 1, nor a time that has come */
    static Until parse(String text) {
        if (text.equals("head")) {
            return new Until(HEAD, Optional.empty());
        }
        try {
            if (text.matches("\\d+")) {
                long number = Long.parseLong(text);
                if (number >= 1) {
                    return new Until(number, Optional.empty());
                }
            } else {
                Instant time = Start.time(text);
                if (time.toEpochMilli() >= 1 && !time.isAfter(Instant.now())) {
                    return new Until(HEAD, Optional.of(time));
                }
            }
        } catch (IllegalArgumentException | DateTimeException | ArithmeticException e) {
            // Refused below, like numbers below 1 and times to come.
        }
        throw new IllegalArgumentException("'" + text
                + "' is neither head, nor a number from 1, nor a time that has come such as 2026-11-23T05:30:00Z, nor"
                + " one such as 15m, so long ago");
    }
}
