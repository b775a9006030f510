package dev.msgrelay.simulation;

/** Thrown where a loop would block: it stays where it is, asleep, until something wakes it. */
public final class Asleep extends RuntimeException {
    private static final long serialVersionUID = 1L;

    static final Asleep INSTANCE = new Asleep();

    private Asleep() {
        super("asleep", null, false, false);
    }
}
