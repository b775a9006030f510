package dev.msgrelay.server.connection;

/**
 * The life of a connection, of either role:
 *
 * <pre>
 *   CONNECTED --message--> PLAIN -------------------------------.
 *       |                                                       +--> CLOSING --> GONE
 *       '------HELLO-----> GREETED --WELCOME--> OPEN -----------'    is told why, is read and thrown away
 * </pre>
 */
public enum SessionState {
    /** The client has said nothing: a plain subscriber stays so. */
    CONNECTED,
    /** A message has come without HELLO: a plain publisher. */
    PLAIN,
    /** HELLO has come, and is not answered by WELCOME yet. */
    GREETED,
    /** The client has been welcomed. */
    OPEN,
    /** The end is counted; the client may still be told why. */
    CLOSING,
    /** The channel is closed, and all memory given back. */
    GONE;

    /** Returns whether the client understands control frames. */
    public boolean speaks() {
        return this == GREETED || this == OPEN;
    }

    /** Returns whether the end has been counted. */
    public boolean ended() {
        return compareTo(CLOSING) >= 0;
    }

    boolean mayBecome(SessionState next) {
        return switch (next) {
            case CONNECTED -> false;
            case PLAIN, GREETED -> this == CONNECTED;
            case OPEN -> this == GREETED;
            case CLOSING -> !ended();
            case GONE -> this == CLOSING;
        };
    }
}
