package dev.msgrelay.server.producers;

import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.journal.format.JournalName;
import dev.msgrelay.server.stream.Orderer;

/** One acknowledged publisher, from connection to connection. A record of {@link NameTable}; on the core's thread. */
public final class PublisherName implements Orderer.Numbered {
    /** The connection that has a name. */
    interface Holder {
        /** The holder of a name without a connection. */
        Holder NOBODY = new Holder() {};

        /** Another connection takes the name, within a read of its own: this one ends by a task. */
        default void nameTaken() {}

        /** More of the name's messages are in the stream, and readers see them: see {@link PublisherName#accepted}. */
        default void acknowledge() {}

        /** More of the stream is written or forced. Returns whether the holder waits for more. */
        default boolean journalMoved() {
            return false;
        }
    }

    /** The name of publishers without one: their messages have no numbers. It never changes. */
    public static final PublisherName NONE = new PublisherName(null, "", ProducerId.NONE, "");

    private final NameTable table;
    private final String name;
    // The identity that the name belongs to; empty: none.
    String owner;
    // The producer that the name belongs to.
    public ProducerId producer;
    // The number of the last message in the stream, and whether there is any: 0 is as good a number as any other.
    private long accepted;
    private boolean any;
    private long sequence;
    // The number of the last message that was submitted to the orderer.
    private long submitted;
    // Whether the log has said that the producer sends no id.
    private boolean warned;
    // The number of the next message, as the producer was told; 0: behind the last one. And the first number before it
    // that was acknowledged and is not in the stream; 0: none. Until the next message comes, another HELLO finds all as
    // it was: it may come with an older epoch, and be told more.
    private long goesOnAt;
    private long missingFrom;
    // The messages that were gone when the name went on behind them.
    private JournalName.Hole hole = JournalName.Hole.NONE;
    private JournalName journalName;

    // The table's own fields.
    Holder holder = Holder.NOBODY;
    boolean changed;
    long leftNanos;

    PublisherName(NameTable table, String name, ProducerId producer, String owner) {
        this.table = table;
        this.name = name;
        this.owner = owner;
        this.producer = producer;
    }

    public String name() {
        return name;
    }

    /** The number of the last message in the stream; 0: none. */
    long accepted() {
        return any ? accepted : 0;
    }

    long sequence() {
        return sequence;
    }

    /**
     * The next message has this number, and those before it will not come.
     *
     * @param from the first number before it that was acknowledged, and is not in the stream; 0: there is none
     */
    void goOnAt(long number, long from) {
        goesOnAt = number;
        missingFrom = from;
    }

    /** The next message is the one behind the last. */
    void goOn() {
        goOnAt(0, 0);
    }

    /** Whether the producer was told to go on at this number, and no message has come since. */
    boolean mayGoOnAt(long number) {
        return goesOnAt != 0 && goesOnAt == number;
    }

    /**
     * The first lost message before {@code number} that a publisher which knows the life before {@code fork} was not
     * told of; 0: none.
     */
    long untold(long number, long fork) {
        return hole.next() == number && hole.sequence() >= fork ? hole.from() : 0;
    }

    /** Marks that the log has said that the producer sends no id. Returns whether it says so for the first time. */
    boolean warn() {
        boolean first = !warned;
        warned = true;
        return first;
    }

    /** Another connection gets the name: the holder, if any, is told. */
    void loseHolder() {
        Holder before = holder;
        holder = Holder.NOBODY;
        before.nameTaken();
    }

    /** Another producer gets the name: it starts from nothing. */
    void startAnew(ProducerId other) {
        producer = other;
        warned = false;
        accepted = 0;
        any = false;
        sequence = 0;
        hole = JournalName.Hole.NONE;
        goOn();
    }

    /** Restores the state of an earlier life of the relay. */
    void restore(JournalName.Hole itsHole, long number, long itsSequence) {
        hole = itsHole;
        accepted = number;
        any = true;
        sequence = itsSequence;
    }

    JournalName journalName() {
        if (journalName == null
                || !journalName.producer().equals(producer)
                || !journalName.owner().equals(owner)
                || journalName.hole() != hole) {
            journalName = new JournalName(name, producer, owner, hole);
        }
        return journalName;
    }

    /** Messages are in the stream; the last one has this sequence. */
    void append(int messages, long lastSequence) {
        if (goesOnAt != 0) {
            accepted = goesOnAt - 1;
            if (missingFrom != 0) {
                hole = new JournalName.Hole(missingFrom, goesOnAt, lastSequence - messages + 1);
            }
            goOn();
        }
        accepted += messages;
        any = true;
        sequence = lastSequence;
    }

    /** The number of the next message that comes. */
    public long next() {
        return last() + 1;
    }

    /** The number of the last message that came, or is not expected any more. */
    private long last() {
        return Math.max(Math.max(accepted(), submitted), goesOnAt - 1);
    }

    /** Messages behind the last one are on their way into the order. */
    public void addSubmitted(int messages) {
        submitted = last() + messages;
        goOn();
    }

    /** Whether messages that were submitted are not in the stream yet. */
    boolean isUnderWay() {
        return submitted > accepted;
    }

    @Override
    public void ordered(long number, long itsSequence) {
        restore(hole, Math.max(number, accepted), itsSequence);
        table.changed(this);
    }

    /** Whether there are numbers left for this many messages: numbers never wrap. */
    boolean hasNumbersFor(int messages) {
        return last() <= Long.MAX_VALUE - messages;
    }
}
