package dev.msgrelay.server.producers;

import dev.msgrelay.protocol.ProducerId;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Rules of publishers' names, the same for one relay and for a cluster. A name belongs to the producer whose HELLO took
 * it, until it has had no connection for the hold time. Then any producer may take the name, and its numbers start
 * anew. A name also belongs to an identity, and is not forgotten, until it has had no connection for an hour.
 *
 * <p>Pure: each rule depends on its arguments only.
 *
 * @param unit the unit of all times
 * @param hold the time for which a name stays with its producer
 */
public record NameRules(TimeUnit unit, long hold) {
    /** Shortest time for which a name without a connection is kept. */
    public static final Duration KEEP = Duration.ofHours(1);

    /** The value of {@code away} for a name that has a connection. */
    public static final long CONNECTED = -1;

    public enum Verdict {
        /** The name is unknown, or no longer its identity's, and begins anew with this producer. */
        BEGINS,
        /** The name was another producer's and is free: its numbers start anew. */
        STARTS_ANEW,
        /** The name is this producer's already. */
        GOES_ON,
        /** Refused: the name belongs to another identity. */
        OTHER_IDENTITY,
        /** Refused: the name belongs to another producer. */
        OTHER_PRODUCER;

        public boolean refuses() {
            return this == OTHER_IDENTITY || this == OTHER_PRODUCER;
        }
    }

    /**
     * Decides whether a HELLO gets a name that is known.
     *
     * @param knownOwner the identity that has the name; empty if none has
     * @param away time since the name's last connection ended, or {@link #CONNECTED}
     * @param owner the identity of the HELLO; empty if the relay knows no identities
     */
    public Verdict decide(ProducerId knownProducer, String knownOwner, long away, ProducerId producer, String owner) {
        if (!owner.isEmpty() && !knownOwner.isEmpty() && !knownOwner.equals(owner)) {
            return mayBeForgotten(away) ? Verdict.BEGINS : Verdict.OTHER_IDENTITY;
        }
        if (knownProducer.equals(producer)) {
            return Verdict.GOES_ON;
        }
        return away < hold ? Verdict.OTHER_PRODUCER : Verdict.STARTS_ANEW;
    }

    /** Returns whether a full table may forget a name that has been away for this time. */
    public boolean mayBeForgotten(long away) {
        return away >= unit.convert(KEEP);
    }

    /** Returns the text of a refusal. {@code where} is the place of the name's connection, empty for this relay. */
    public String refusal(Verdict verdict, String name, long away, String where) {
        String begin = "HELLO: the name " + name + " belongs to another ";
        if (verdict == Verdict.OTHER_IDENTITY) {
            return begin + "identity";
        }
        return away == CONNECTED
                ? begin + "producer, which has a connection" + where
                : begin + "producer, which has left and may come back: it is held for " + unit.toMillis(hold - away)
                        + " ms more of " + unit.toMillis(hold) + " ms";
    }

    public static String tooMany(long limit) {
        return "HELLO: " + limit + " names are known already, which is the limit";
    }
}
