package dev.msgrelay.server.access;

import dev.msgrelay.protocol.text.TextWidth;

/**
 * Text from a peer, made fit for one line of a log or a page: cut to {@value #MOST_CHARS} characters, without
 * characters that control a terminal.
 */
public final class PeerText {
    private static final int MOST_CHARS = 200;

    private PeerText() {}

    public static String printable(String text) {
        String line = text.replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]", "?");
        return line.length() > MOST_CHARS ? TextWidth.firstChars(line, MOST_CHARS) + "..." : line;
    }
}
