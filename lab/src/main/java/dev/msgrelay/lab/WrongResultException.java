package dev.msgrelay.lab;

/** A contestant lost, repeated or mixed up something: its row shows this message, and no time. */
public final class WrongResultException extends Exception {
    private static final long serialVersionUID = 1;

    public WrongResultException(String message) {
        super(message);
    }
}
