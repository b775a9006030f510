package dev.msgrelay.server.ingest;

import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.journal.JournalName;

/**
 * What the relay knows of one acknowledged publisher, from connection to connection. A plain record of {@link NameTable};
 * on the core's thread.
 */
final class PublisherName {
    /** The connection that has the name. */
    interface Holder {
        /** Another connection of the same producer has taken the name: this one is closed. */
        void nameTaken();

        /** More of the name's messages are in the stream, and readers see them: see {@link PublisherName#accepted}. */
        void acknowledge();

        /** More of the stream is written or forced; answers whether it waits for more. */
        boolean journalMoved();
    }

    private final String name;
    // The identity whose it is; empty: nobody was asked.
    String owner;

    // Whose it is: of the HELLO that took it.
    ProducerId producer;
    // The number of the last message taken, and whether any has been: 0 is as good a number as any other.
    private long accepted;
    private boolean any;
    private long sequence;

    // Whether it was said that its producer sends no id.
    private boolean warned;

    private JournalName journalName;

    // Of NameTable.
    Holder holder;
    boolean changed;
    long leftNanos;
    PublisherName older;
    PublisherName newer;

    PublisherName(String name, ProducerId producer, String owner) {
        this.name = name;
        this.owner = owner;
        this.producer = producer;
    }

    String name() {
        return name;
    }

    /** The number of the last message in the stream; 0: none. */
    long accepted() {
        return any ? accepted : 0;
    }

    /** The sequence of that message. */
    long sequence() {
        return sequence;
    }

    /** The first message that will be taken has this number; only while there is none. */
    void startAt(long number) {
        if (!any) {
            accepted = number - 1;
        }
    }

    /** The next message that will be taken has this number, and those before it will not come. */
    void goOnAt(long number) {
        accepted = number - 1;
    }

    /** Marks that it was said of its producer that it sends no id; answers whether it is the first time. */
    boolean warn() {
        boolean first = !warned;
        warned = true;
        return first;
    }

    /** Another producer has the name from now on: it starts from nothing. */
    void startAnew(ProducerId other) {
        producer = other;
        warned = false;
        accepted = 0;
        any = false;
        sequence = 0;
    }

    /** It was so in an earlier life of the relay. */
    void restore(long number, long itsSequence) {
        accepted = number;
        any = true;
        sequence = itsSequence;
    }

    /** As the journal has it. */
    JournalName journalName() {
        if (journalName == null
                || !journalName.producer().equals(producer)
                || !journalName.owner().equals(owner)) {
            journalName = new JournalName(name, producer, owner);
        }
        return journalName;
    }

    /** Messages are in the stream; the last one has this sequence. */
    void accept(int messages, long lastSequence) {
        accepted += messages;
        any = true;
        sequence = lastSequence;
    }

    /** Whether there are numbers left for so many messages more: they never wrap. */
    boolean hasNumbersFor(int messages) {
        return accepted <= Long.MAX_VALUE - messages;
    }
}
