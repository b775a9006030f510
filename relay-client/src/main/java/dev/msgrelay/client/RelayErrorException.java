package dev.msgrelay.client;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.text.PrintableText;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The relay ended the connection with an ERROR frame; the message is the relay's own words, as one printable line.
 *
 * <pre>{@code
 * try {
 *     subscriber.run((sequence, type, body) -> {});
 * } catch (RelayErrorException e) {
 *     if (e.reason() == CloseReason.NOT_AUTHENTICATED) {
 *         System.err.println("another token is needed: " + e.getMessage());
 *     }
 * }
 * }</pre>
 */
public final class RelayErrorException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int code;
    private final String text;
    private final RetryAdvice advice;

    RelayErrorException(int code, String text) {
        this(code, text, RetryAdvice.ofCode(code));
    }

    private RelayErrorException(int code, String text, RetryAdvice advice) {
        super("the relay ended the connection: " + describe(code, PrintableText.line(text)));
        this.code = code;
        this.text = text;
        this.advice = advice;
    }

    /** @param tokenMayChange whether the next connection may have another token: then it may be known */
    static RelayErrorException of(ByteBuffer errorBody, boolean tokenMayChange) {
        int code = ErrorFrame.code(errorBody);
        boolean mayBeKnown = tokenMayChange && code == CloseReason.NOT_AUTHENTICATED.code();
        return new RelayErrorException(
                code, ErrorFrame.text(errorBody), mayBeKnown ? RetryAdvice.AGAIN : RetryAdvice.ofCode(code));
    }

    /** What the client does next. */
    RetryAdvice advice() {
        return advice;
    }

    /** The relay's reason; null: one that this version does not know. */
    public CloseReason reason() {
        return CloseReason.ofCode(code);
    }

    /** The reason's code on the wire; 0: the frame had none. */
    public int code() {
        return code;
    }

    /** The relay's text beside the code, unchanged, cut to 512 bytes; may be empty. */
    public String text() {
        return text;
    }

    private static String describe(int code, String text) {
        CloseReason reason = CloseReason.ofCode(code);
        String what = reason == null ? "reason " + code : reason.text();
        return text.isEmpty() || text.equals(what) ? what : what + ": " + text;
    }
}
