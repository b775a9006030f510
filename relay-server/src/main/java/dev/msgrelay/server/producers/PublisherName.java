package dev.msgrelay.server.producers;

import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.journal.format.JournalName;
import dev.msgrelay.server.stream.Orderer;

/**
 * A publisher whose messages have numbers, which continue on its next connection. An entry of {@link NameTable}, owned
 * by the core's thread.
 */
public final class PublisherName implements Orderer.Numbered {
    interface Holder {
        Holder NOBODY = new Holder() {};

        /** Called while another connection is read, which takes the name. A task ends the holder's connection later. */
        default void nameTaken() {}

        /** Called when more of the name's messages are in the stream, and subscribers see them. */
        default void acknowledge() {}

        /** Called when more of the stream is written or forced; returns whether the holder waits for more. */
        default boolean journalMoved() {
            return false;
        }
    }

    /** The name of all publishers whose messages have no numbers. This object never changes. */
    public static final PublisherName NONE = new PublisherName(null, "", ProducerId.NONE, "");

    private final NameTable table;
    private final String name;
    // The identity that has the name; empty if none has.
    String owner;
    public ProducerId producer;
    // The number of the last message in the stream; 0 if there is none.
    private long accepted;
    private long sequence;
    // The number of the last message that was submitted to the orderer.
    private long submitted;
    // Whether a warning was logged that the producer sends no id.
    private boolean warned;
    // The number of the next message, if WELCOME announced a jump; 0 if that is the last number + 1. missingFrom is the
    // first skipped number that was acknowledged but is not in the stream; 0 if there is none. Both stay until a
    // message comes, because the client may have missed WELCOME, and say HELLO once more.
    private long goesOnAt;
    private long missingFrom;
    // Acknowledged messages that were lost; the next message got a number after theirs.
    private JournalName.Hole hole = JournalName.Hole.NONE;
    private JournalName journalName;

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

    long accepted() {
        return accepted;
    }

    long sequence() {
        return sequence;
    }

    /**
     * Gives the next message this number. Messages with lower numbers will not come any more.
     *
     * @param from the first lower number that was acknowledged but is not in the stream; 0 if there is none
     */
    void goOnAt(long number, long from) {
        goesOnAt = number;
        missingFrom = from;
    }

    void goOn() {
        goOnAt(0, 0);
    }

    /** Returns whether WELCOME has announced this number, and no message has come since. */
    boolean mayGoOnAt(long number) {
        return goesOnAt != 0 && goesOnAt == number;
    }

    /**
     * Returns the first lost message before {@code number} if the client was not told of the loss, otherwise 0. {@code
     * fork} is the sequence at which the life of the stream known to the client ended.
     */
    long untold(long number, long fork) {
        return hole.next() == number && hole.sequence() >= fork ? hole.from() : 0;
    }

    /** Notes a warning that the producer sends no id; returns whether it is the first one. */
    boolean warn() {
        boolean first = !warned;
        warned = true;
        return first;
    }

    void loseHolder() {
        Holder before = holder;
        holder = Holder.NOBODY;
        before.nameTaken();
    }

    void startAnew(ProducerId other) {
        producer = other;
        warned = false;
        accepted = 0;
        sequence = 0;
        hole = JournalName.Hole.NONE;
        goOn();
    }

    void restore(JournalName.Hole itsHole, long number, long itsSequence) {
        hole = itsHole;
        accepted = number;
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

    /** Counts messages that are in the stream; the last one has this sequence. */
    void append(int messages, long lastSequence) {
        if (goesOnAt != 0) {
            accepted = goesOnAt - 1;
            if (missingFrom != 0) {
                hole = new JournalName.Hole(missingFrom, goesOnAt, lastSequence - messages + 1);
            }
            goOn();
        }
        accepted += messages;
        sequence = lastSequence;
    }

    public long next() {
        return last() + 1;
    }

    /** Returns the number of the last message that came, or that is no longer expected. */
    private long last() {
        return Math.max(Math.max(accepted(), submitted), goesOnAt - 1);
    }

    public void addSubmitted(int messages) {
        submitted = last() + messages;
        goOn();
    }

    boolean isUnderWay() {
        return submitted > accepted;
    }

    @Override
    public void ordered(long number, long itsSequence) {
        restore(hole, Math.max(number, accepted), itsSequence);
        table.changed(this);
    }

    /** Returns whether there are numbers left for these messages. Numbers never wrap. */
    boolean hasNumbersFor(int messages) {
        return last() <= Long.MAX_VALUE - messages;
    }
}
