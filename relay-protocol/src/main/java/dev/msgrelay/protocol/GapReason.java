package dev.msgrelay.protocol;

import java.util.stream.Stream;

/** The reason why a subscriber does not get messages, see {@link GapFrame}. */
public enum GapReason {
    /** The subscriber read too slowly, and its policy is to skip. */
    SLOW(1, "read too slowly"),
    /** The subscriber asked for messages that the relay no longer holds. */
    NOT_HELD(2, "no longer held"),
    /** The relay's journal was damaged there. */
    DAMAGED(3, "damaged in the relay's journal"),
    /** Newer messages of the same types have taken their place, or the ranges left them out: nothing is lost. */
    SUPERSEDED(4, "superseded by newer messages of the same types");

    private final int code;
    private final String text;

    GapReason(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** The code on the wire (uint16). */
    public int code() {
        return code;
    }

    /** A few words for people. */
    public String text() {
        return text;
    }

    /** The reason with this code; null: a later version's. */
    public static GapReason ofCode(int code) {
        return Stream.of(values()).filter(one -> one.code == code).findFirst().orElse(null);
    }
}
