package dev.msgrelay.lab;

import java.io.IOException;

/** Opens a contestant, for one go, on what it works on: a file that is not there yet, a set of files, a device. */
@FunctionalInterface
public interface Opener<F, T> {
    T open(F on) throws IOException;
}
