package dev.msgrelay.server.access;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.FrameException;

/** Why a connection may not act. */
public record Refusal(CloseReason reason, String text) {
    public FrameException exception() {
        return new FrameException(reason, text);
    }
}
