package dev.msgrelay.server.session;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.FrameException;
import java.nio.ByteBuffer;

/** Text that a peer sent, fit for one line of a log: cut, and nothing in it that a terminal or a reader obeys. */
final class PeerText {
    private static final int MOST_CHARS = 200;

    private PeerText() {}

    /** An ERROR frame's body in a line: its code, by name where it is known, and its text. */
    static String error(ByteBuffer body) throws FrameException {
        ErrorFrame.check(body);
        int code = ErrorFrame.code(body);
        CloseReason reason = CloseReason.ofCode(code);
        return "ERROR " + (reason == null ? code : reason) + " " + printable(ErrorFrame.text(body));
    }

    static String printable(String text) {
        String line = text.replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]", "?");
        return line.length() > MOST_CHARS ? line.substring(0, MOST_CHARS) + "..." : line;
    }
}
