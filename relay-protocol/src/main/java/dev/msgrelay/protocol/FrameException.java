package dev.msgrelay.protocol;

import java.io.IOException;

/** A byte stream that breaks the protocol; the message names the value and the limit. The connection must be closed. */
public final class FrameException extends IOException {
    private static final long serialVersionUID = 1L;

    private final CloseReason reason;

    public FrameException(CloseReason reason, String message) {
        super(message);
        this.reason = reason;
    }

    /** The kind of broken rule. */
    public CloseReason reason() {
        return reason;
    }
}
