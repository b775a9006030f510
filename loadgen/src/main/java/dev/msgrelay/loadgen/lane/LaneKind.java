package dev.msgrelay.loadgen.lane;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The kinds of lanes, with their names on command lines and in results. */
public enum LaneKind {
    LOOPBACK("loopback", null),

    UNIX("unix", null),

    GBE_1("1gbe", LinkSpeed.parse("1g")),
    GBE_10("10gbe", LinkSpeed.parse("10g")),
    GBE_25("25gbe", LinkSpeed.parse("25g")),

    /** The network path to a relay that is already running, usually on another machine. */
    REMOTE("remote", null);

    private final String title;
    private final LinkSpeed speed;

    LaneKind(String title, LinkSpeed speed) {
        this.title = title;
        this.speed = speed;
    }

    public String title() {
        return title;
    }

    public boolean isEmulated() {
        return speed != null;
    }

    LinkSpeed speed() {
        return speed;
    }

    public static LaneKind parse(String text) {
        String wanted = text.toLowerCase(Locale.ROOT);
        return ofThisHost().stream()
                .filter(kind -> kind.title.equals(wanted))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("lane '" + text + "' is none of "
                        + ofThisHost().stream().map(LaneKind::title).collect(Collectors.joining(", "))));
    }

    static List<LaneKind> ofThisHost() {
        return Arrays.stream(values()).filter(kind -> kind != REMOTE).toList();
    }

    @Override
    public String toString() {
        return title;
    }
}
