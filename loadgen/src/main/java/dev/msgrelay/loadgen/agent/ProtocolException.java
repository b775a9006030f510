package dev.msgrelay.loadgen.agent;

import java.io.IOException;

/** The other side said something that it may not say, or that nobody understands. One line for people. */
final class ProtocolException extends IOException {
    private static final long serialVersionUID = 1L;

    ProtocolException(String message) {
        super(message);
    }
}
