package dev.msgrelay.server.connection;

/**
 * The states of a connection, from its start to its end:
 *
 * <pre>
 *   CONNECTED --message--> PLAIN -------------------------------.
 *       |                                                       +--> CLOSING --> GONE
 *       '------HELLO-----> GREETED --WELCOME--> OPEN -----------'    the client is told the reason,
 *                                                                    its input is read and thrown away
 * </pre>
 */
public enum SessionState {
    /** No message and no HELLO has come. A subscriber without HELLO stays in this state. */
    CONNECTED,
    /** A publisher has sent a message without HELLO. */
    PLAIN,
    /** HELLO has come, and WELCOME is not sent yet. */
    GREETED,
    OPEN,
    /** The end of the connection has been counted. The client may still have to be told the reason. */
    CLOSING,
    /** The channel is closed, and all memory is given back. */
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
