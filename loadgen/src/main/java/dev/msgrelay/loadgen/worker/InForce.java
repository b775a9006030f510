package dev.msgrelay.loadgen.worker;

import dev.msgrelay.loadgen.plan.Window;

/** The window that a thread counts in: first the rehearsal of the one that the controller sends, then that one. */
final class InForce {
    private Window told = Window.NONE;
    private Window rehearsal = Window.NONE;
    private Window window = Window.NONE;

    /**
     * Moves on to {@code now}.
     *
     * @param newest the window that the controller has sent so far
     * @return whether another window is in force from now on, so that all counts begin anew
     */
    boolean changes(Window newest, long now) {
        if (newest != told) {
            told = newest;
            rehearsal = newest.rehearsal();
        }
        Window before = window;
        window = now < rehearsal.end() ? rehearsal : told;
        return window != before;
    }

    Window window() {
        return window;
    }
}
