package dev.msgrelay.testing.scripted;

import java.io.IOException;

/** The kit cannot try the client: a driver that is none, or cases that are not there. One line says why. */
final class ConformanceException extends IOException {
    private static final long serialVersionUID = 1;

    ConformanceException(String message) {
        super(message);
    }
}
