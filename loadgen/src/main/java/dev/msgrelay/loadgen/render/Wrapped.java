package dev.msgrelay.loadgen.render;

/** Breaks lines between words, for a terminal of 80 columns. */
public final class Wrapped {
    private static final int COLUMNS = 80;

    private Wrapped() {}

    /** Breaks a line. Each further line starts with {@code indent}. A word that is longer than a line stays whole. */
    public static String at(String indent, String line) {
        StringBuilder text = new StringBuilder();
        String rest = line;
        while (rest.length() > COLUMNS) {
            int from = text.length() == 0 ? 0 : indent.length();
            int end = rest.lastIndexOf(' ', COLUMNS);
            end = rest.substring(from, Math.max(from, end)).isBlank() ? rest.indexOf(' ', COLUMNS) : end;
            if (end < 0) {
                break;
            }
            text.append(rest.substring(0, end).stripTrailing()).append('\n');
            rest = indent + rest.substring(end + 1);
        }
        return text.append(rest.stripTrailing()).append('\n').toString();
    }
}
