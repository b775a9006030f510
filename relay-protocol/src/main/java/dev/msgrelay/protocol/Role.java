package dev.msgrelay.protocol;

/** A client's role, from its {@link HelloFrame}. */
public enum Role {
    SUBSCRIBER(1),
    PUBLISHER(2);

    private final int code;

    Role(int code) {
        this.code = code;
    }

    /** The code on the wire (uint8). */
    public int code() {
        return code;
    }

    /** The role with this code; null: there is none. */
    public static Role ofCode(int code) {
        return code == 1 ? SUBSCRIBER : code == 2 ? PUBLISHER : null;
    }
}
