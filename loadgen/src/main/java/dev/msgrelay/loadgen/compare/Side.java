package dev.msgrelay.loadgen.compare;

/** One of the two that are compared in turn. */
public enum Side {
    A,
    B;

    /** Whose turn it is: A B B A A B B A, so that neither always goes first, nor a machine that drifts favours one. */
    static Side ofTurn(int number) {
        return number % 4 == 0 || number % 4 == 3 ? A : B;
    }

    Side other() {
        return this == A ? B : A;
    }
}
