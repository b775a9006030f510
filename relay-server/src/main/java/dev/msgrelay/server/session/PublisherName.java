package dev.msgrelay.server.session;

/**
 * What the relay knows of one acknowledged publisher, from connection to connection. A plain record of
 * {@link PublisherNames}; on the first loop's thread.
 */
final class PublisherName {
    /** The connection that has the name. */
    interface Holder {
        /** Another connection has taken the name: what is held back here is dropped, and the connection closed. */
        void nameTaken();

        /** Everything that was taken of the name is in the stream. Asked for with {@link PublisherName#tellWhenSettled}. */
        void settled();

        /** More of the name's messages are in the stream: see {@link PublisherName#packed}. */
        void packed();
    }

    private final String name;
    private final int owner;

    // The number of the last message taken, and whether any has been: 0 is as good a number as any other.
    private long accepted;
    private boolean any;
    private long packed;
    private long packedSequence;

    // Of PublisherNames.
    Holder holder;
    boolean changed;
    boolean settledAsked;
    long leftNanos;
    PublisherName older;
    PublisherName newer;

    PublisherName(String name, int owner) {
        this.name = name;
        this.owner = owner;
    }

    String name() {
        return name;
    }

    /** What the ring knows it by, from 1. */
    int owner() {
        return owner;
    }

    /** The number of the last message taken into the ring; 0: none. */
    long accepted() {
        return any ? accepted : 0;
    }

    /** The number of the last message in the stream; meaningful once something has been {@link #accept}ed. */
    long packed() {
        return packed;
    }

    /** The sequence of that message. */
    long packedSequence() {
        return packedSequence;
    }

    /** Whether everything taken is in the stream. */
    boolean settled() {
        return packed == accepted;
    }

    /** The first message that will be taken has this number; only while there is none. */
    void startAt(long number) {
        if (!any) {
            accepted = number - 1;
            packed = accepted;
        }
    }

    /** The next message that will be taken has this number, and those before it will not come; only while settled. */
    void goOnAt(long number) {
        accepted = number - 1;
        packed = accepted;
    }

    /** Messages went into the ring. */
    void accept(int messages) {
        accepted += messages;
        any = true;
    }

    /** Whether there are numbers left for so many messages more: they never wrap. */
    boolean hasNumbersFor(int messages) {
        return accepted <= Long.MAX_VALUE - messages;
    }

    void pack(int messages, long sequence) {
        packed += messages;
        packedSequence = sequence;
    }

    /** The present holder is told once everything is in the stream. */
    void tellWhenSettled() {
        settledAsked = true;
    }
}
