package dev.msgrelay.server.access;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.FrameException;

/** The reason why a connection may not act, with a text for people. */
public record Refusal(CloseReason reason, String text) {
    public FrameException exception() {
        return new FrameException(reason, text);
    }
}
