package dev.msgrelay.simulation;

import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.ProducerId;

/**
 * What a publisher with acknowledgements keeps from connection to connection: its name, its id, and how far it is.
 */
final class Producer {
    final String name;
    final ProducerId id;
    final Source source;
    // Whether others say the same name.
    final boolean contested;
    // Messages that it has numbers for.
    final int most;
    // That it waits for; null: it does not know of levels.
    final Level level;
    private final long before;
    // As WELCOME told it; 0 before.
    long epoch;
    int made;
    int acked;
    NamedPublisher connection;
    private boolean givenUp;

    /** @param left numbers that it has left; 0: all */
    Producer(String name, ProducerId id, Source source, boolean contested, int left, Level level) {
        this.name = name;
        this.id = id;
        this.source = source;
        this.contested = contested;
        this.most = left == 0 ? Integer.MAX_VALUE : left;
        this.before = left == 0 ? 0 : Long.MAX_VALUE - left;
        this.level = level;
    }

    /** The number that it says for its message {@code number}. */
    long wire(int number) {
        return before + number;
    }

    /** And back; of 0, which is none, 0. */
    int number(long wire) {
        return wire == 0 ? 0 : (int) (wire - before);
    }

    /** A relay begins anew, and may not know who had a name that others say, too. */
    void relayBegins() {
        source.mayStartAnew |= contested;
        connection = null;
    }

    /** Whether it has anything to say: it has not given up, and has numbers left. */
    boolean goesOn() {
        return !givenUp && acked < most;
    }

    /** Whether it has no connection that it believes in. */
    boolean wantsToConnect() {
        return goesOn() && (connection == null || !connection.live());
    }

    /** What it has sent is lost to it: it stops, as the protocol says. */
    void giveUp() {
        givenUp = true;
    }

    String owed() {
        return acked == made || !goesOn()
                ? ""
                : "producer " + name + " (source " + source.id + ") has made " + made + ", " + acked
                        + " are acknowledged, " + source.inStream + " in the stream; "
                        + (connection == null ? "no connection" : connection.channel.state());
    }
}
