package dev.msgrelay.simulation;

import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.ProducerId;

/**
 * What a publisher with acknowledgements keeps from connection to connection: its name, its id, and how far it is.
 */
public final class Producer {
    private final String name;
    private final ProducerId id;
    private final Source source;
    private final boolean contested;
    private final int most;
    private final long before;
    private final Level level;
    // As WELCOME told it; 0 before.
    long epoch;
    int made;
    int acked;
    NamedPublisher connection;
    private boolean givenUp;

    /**
     * @param contested whether others say the same name
     * @param left numbers that it has left; 0: all
     * @param level that it waits for; null: it does not know of levels
     */
    public Producer(String name, ProducerId id, Source source, boolean contested, int left, Level level) {
        this.name = name;
        this.id = id;
        this.source = source;
        this.contested = contested;
        this.most = left == 0 ? Integer.MAX_VALUE : left;
        this.before = left == 0 ? 0 : Long.MAX_VALUE - left;
        this.level = level;
    }

    String name() {
        return name;
    }

    ProducerId id() {
        return id;
    }

    /** The number that it says for its message {@code number}. */
    long wire(int number) {
        return before + number;
    }

    /** And back; of 0, which is none, 0. */
    int number(long wire) {
        return wire == 0 ? 0 : (int) (wire - before);
    }

    /** Messages that it has numbers for. */
    int most() {
        return most;
    }

    public Source source() {
        return source;
    }

    /** Whether the other one says the same name. */
    public boolean sameName(Producer other) {
        return name.equals(other.name);
    }

    /** That it waits for; null: it does not know of levels. */
    Level level() {
        return level;
    }

    /** A relay begins anew, and may not know who had a name that others say, too. */
    public void relayBegins() {
        if (contested) {
            source.mayStartAnew();
        }
        connection = null;
    }

    /** Whether others say the same name. */
    boolean contested() {
        return contested;
    }

    /** Whether it has anything to say: it has not given up, and has numbers left. */
    public boolean goesOn() {
        return !givenUp && acked < most;
    }

    /** Whether it has no connection that it believes in. */
    public boolean wantsToConnect() {
        return goesOn() && (connection == null || !connection.live());
    }

    /** What it has sent is lost to it: it stops, as the protocol says. */
    void giveUp() {
        givenUp = true;
    }

    /** What it still waits for; empty: nothing. */
    public String owed() {
        return acked == made || !goesOn()
                ? ""
                : "producer " + name + " (source " + source.id() + ") has made " + made + ", " + acked
                        + " are acknowledged, " + source.inStream() + " in the stream; "
                        + (connection == null
                                ? "no connection"
                                : connection.channel().state());
    }
}
