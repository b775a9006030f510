package dev.msgrelay.server.config;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Limits of a setting. A refusal names the setting, its value and the limits. */
final class Range {
    static final int MOST_PORT = 65_535;

    private Range() {}

    static void check(String what, long value, long least, long most) {
        check(what, value, least, most, "");
    }

    /** @param why end of the message */
    static void check(String what, long value, long least, long most, String why) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(what + " " + value + " is not within " + least + ".." + most + why);
        }
    }

    static void checkMillis(String what, Duration value, long least, long most) {
        // Duration.toMillis would throw where convert gives Long.MAX_VALUE.
        long millis = TimeUnit.MILLISECONDS.convert(value);
        if (millis < least || millis > most) {
            throw new IllegalArgumentException(
                    what + " " + millis + " ms is not within " + least + ".." + most + " ms");
        }
    }
}
