package dev.msgrelay.lab;

/** A contestant lost, repeated or reordered data. Its row shows this message instead of figures. */
public final class WrongResultException extends Exception {
    private static final long serialVersionUID = 1;

    public WrongResultException(String message) {
        super(message);
    }
}
