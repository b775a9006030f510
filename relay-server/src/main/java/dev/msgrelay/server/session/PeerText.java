package dev.msgrelay.server.session;

/** Text that a peer sent, fit for one line of a log: cut, and nothing in it that a terminal or a reader obeys. */
final class PeerText {
    private static final int MOST_CHARS = 200;

    private PeerText() {}

    static String printable(String text) {
        String line = text.replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]", "?");
        return line.length() > MOST_CHARS ? line.substring(0, MOST_CHARS) + "..." : line;
    }
}
