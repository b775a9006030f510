package dev.msgrelay.loadgen.result;

import java.util.Locale;

/** What lies between the hosts, or takes their place. */
public enum LaneKind {
    LOOPBACK("loopback"),
    UNIX("unix"),
    GBE_1("1gbe"),
    GBE_10("10gbe"),
    GBE_25("25gbe"),
    REMOTE("remote");

    private final String title;

    LaneKind(String title) {
        this.title = title;
    }

    /** As the command line and the files name it. */
    @Override
    public String toString() {
        return title;
    }

    /**
     * @throws IllegalArgumentException naming the text and what there is
     */
    public static LaneKind parse(String text) {
        StringBuilder known = new StringBuilder();
        for (LaneKind kind : values()) {
            if (kind.title.equals(text.toLowerCase(Locale.ROOT))) {
                return kind;
            }
            known.append(known.isEmpty() ? "" : ", ").append(kind.title);
        }
        throw new IllegalArgumentException("'" + text + "' is none of " + known);
    }
}
