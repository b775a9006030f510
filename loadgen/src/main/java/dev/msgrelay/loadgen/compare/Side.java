package dev.msgrelay.loadgen.compare;

/** One of the two that are compared in turn. */
public enum Side {
    A,
    B;

    Side other() {
        return this == A ? B : A;
    }
}
