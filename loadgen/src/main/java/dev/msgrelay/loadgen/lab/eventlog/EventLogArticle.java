package dev.msgrelay.loadgen.lab.eventlog;

import dev.msgrelay.loadgen.lab.Article;
import dev.msgrelay.loadgen.lab.Claims;
import dev.msgrelay.loadgen.lab.Column;

/** The article's figures: one minute, after two of warm-up. Its counts are told per second. */
final class EventLogArticle {
    static final Article ARTICLE = new Article(
            "Synchronizing File Writes",
            2019,
            "a cloud machine of 16 cores, OpenJDK 13; about 16 threads, by its figures");

    static final String LOCKED_WRITER = "LockedWriter";
    static final String LOCKED_STREAM = "LockedStream";
    static final String ATOMIC = "AtomicPositionWrites";
    static final String BUFFERED = "BufferedWrites";
    static final String OFF_THREAD = "BufferedWritesOffThread";

    private static final double SECONDS = 60;

    static final Claims CLAIMS = rows();

    private EventLogArticle() {}

    private static Claims rows() {
        Claims claims = Claims.NONE;
        claims = row(claims, LOCKED_WRITER, 19.843, 241.566, 8.568, 41_896);
        claims = row(claims, LOCKED_STREAM, 17.440, 62.194, 3.846, 46_795);
        claims = row(claims, ATOMIC, 18.896, 36.209, 2.133, 43_633);
        claims = row(claims, BUFFERED, 11.851, 56.820, 4.852, 64_255);
        return row(claims, OFF_THREAD, 11.322, 39.682, 4.152, 66_660);
    }

    private static Claims row(Claims claims, String label, double mean, double max, double deviation, int count) {
        return claims.and(label, EventLogGo.MEAN, mean)
                .and(label, EventLogGo.MAX, max)
                .and(label, EventLogGo.DEVIATION, deviation)
                .and(label, EventLogGo.RATE, count / SECONDS);
    }

    /** How many times row {@code b} row {@code a} was. */
    static double ratio(Column column, String a, String b) {
        return value(column, a) / value(column, b);
    }

    private static double value(Column column, String row) {
        return CLAIMS.of(row, column)
                .orElseThrow(() -> new IllegalArgumentException("the article has no " + column.name() + " of " + row))
                .low();
    }
}
