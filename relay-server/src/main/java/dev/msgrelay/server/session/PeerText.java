package dev.msgrelay.server.session;

/** Text that a peer sent, for a line of the log: short, and without anything that would move a terminal's cursor. */
final class PeerText {
    private static final int MAX_CHARS = 512;

    private PeerText() {}

    static String printable(String text) {
        StringBuilder out = new StringBuilder();
        int chars = Math.min(text.length(), MAX_CHARS);
        for (int i = 0; i < chars; i++) {
            char c = text.charAt(i);
            if (Character.isISOControl(c) || Character.getType(c) == Character.FORMAT || Character.isSurrogate(c)) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return chars < text.length() ? out.append("...").toString() : out.toString();
    }
}
