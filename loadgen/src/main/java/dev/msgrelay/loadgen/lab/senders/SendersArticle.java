package dev.msgrelay.loadgen.lab.senders;

import dev.msgrelay.loadgen.lab.Article;
import dev.msgrelay.loadgen.lab.Claims;
import dev.msgrelay.loadgen.lab.Column;
import java.util.OptionalDouble;

/**
 * The article's figures: clients that read as fast as they can, and at 1 MB/s. It speaks of buffers of 81 and 40 KB, so they
 * stand beside the rows that copy; for unthrottled EqualBlocking it does not say which, and 81 is its default.
 */
final class SendersArticle {
    static final Article ARTICLE = new Article(
            "Algorithms of grizzly-sendfile",
            0,
            "clients and server on one laptop (four cores, by its comments), Java 6; a pool of 50; HTTP; ten minutes each");

    static final String SIMPLE = "SimpleBlocking, copies";
    static final String NON_BLOCKING = "EqualNonBlocking, copies";
    static final String BLOCKING = "EqualBlocking 81k, copies";
    static final String BLOCKING_40 = "EqualBlocking 40k, copies";

    private SendersArticle() {}

    /** Of clients that read at so many MB/s; 0 for as fast as they can. */
    static Claims claims(int limit) {
        return switch (limit) {
            case 0 -> unthrottled();
            case 1 -> throttled();
            default -> Claims.NONE;
        };
    }

    private static Claims unthrottled() {
        return new Rows()
                .row(50, SIMPLE, 0.019, 4.36, 208.76)
                .row(50, NON_BLOCKING, 0.021, 4.15, 198.79)
                .row(50, BLOCKING, 0.018, 4.23, 202.29)
                .row(100, SIMPLE, 4.666, 4.32, 212.79)
                .row(100, NON_BLOCKING, 0.048, 1.84, 168.15)
                .row(100, BLOCKING, 0.140, 1.96, 175.71)
                .row(200, SIMPLE, 14.288, 4.31, 208.59)
                .row(200, NON_BLOCKING, 0.108, 0.87, 144.69)
                .row(200, BLOCKING, 0.264, 0.97, 158.83)
                .claims;
    }

    private static Claims throttled() {
        return new Rows()
                .row(50, SIMPLE, 0.003, 1.0, 42.9)
                .row(50, NON_BLOCKING, 0.002, 0.98, 41.82)
                .row(50, BLOCKING, 0.003, 0.98, 41.91)
                .row(50, BLOCKING_40, 0.002, 0.98, 42.85)
                .row(100, SIMPLE, 20.5, 1.0, 40.4)
                .row(100, NON_BLOCKING, 0.003, 0.99, 85.14)
                .row(100, BLOCKING, 0.018, 1.0, 84.19)
                .row(100, BLOCKING_40, 0.013, 0.99, 84.34)
                .row(200, SIMPLE, 64.8, 1.0, 37.12)
                .row(200, NON_BLOCKING, 0.112, 0.86, 141.8)
                .row(200, BLOCKING, 0.2, 0.95, 156.59)
                .row(200, BLOCKING_40, 0.159, 0.96, 154.2)
                .row(300, SIMPLE, 113.9, 1.0, 34.2)
                .row(300, NON_BLOCKING, 0.185, 0.58, 127.53)
                .row(300, BLOCKING, 0.31, 0.61, 133.66)
                .row(300, BLOCKING_40, 0.239, 0.63, 132.75)
                .claims;
    }

    /** Gathers them. */
    private static final class Rows {
        private Claims claims = Claims.NONE;

        Rows row(int clients, String name, double initial, double speed, double throughput) {
            String label = label(name, clients);
            claims = claims.and(label, SendersGo.INITIAL, initial)
                    .and(label, SendersGo.SPEED, speed)
                    .and(label, SendersGo.THROUGHPUT, throughput);
            return this;
        }
    }

    static String label(String name, int clients) {
        return name + ", " + SendersGo.setting(clients);
    }

    /** How many times row {@code b} row {@code a} was; empty where it has not both. */
    static OptionalDouble ratio(int limit, Column column, String a, String b) {
        Claims claims = claims(limit);
        return claims.of(a, column).isPresent() && claims.of(b, column).isPresent()
                ? OptionalDouble.of(claims.of(a, column).get().low()
                        / claims.of(b, column).get().low())
                : OptionalDouble.empty();
    }
}
