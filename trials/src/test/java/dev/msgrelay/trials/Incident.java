package dev.msgrelay.trials;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** What goes wrong in a campaign. */
enum Incident {
    RELAY("the relay is killed", false),
    BOTH("the relay and a client are killed", false),
    CLIENT("a client is killed", false),
    POWER("the power fails", false),
    FULL("the disk of the journal is full, and publishers wait", false),
    LEADER("the leader is killed", false),
    FOLLOWER("a follower is killed", false),
    PAUSE("a node is stopped for 3 to 6 s", true),
    LINK("links are cut for 3 to 6 s", true),
    DISK("a node's disk is full for 3 to 6 s", true),
    JOURNAL("the disk of a journal is full for 3 to 24 s", true),
    FREEZE("the disk of a journal answers nothing for 3 to 24 s", true),
    HANG("a node's disk answers nothing for 2 to 30 s", true);

    /** What kills are of a relay without a cluster. */
    static final Set<Incident> KILLS = EnumSet.of(RELAY, BOTH, CLIENT);

    static final Set<Incident> OF_A_CLUSTER =
            EnumSet.of(CLIENT, LEADER, FOLLOWER, PAUSE, LINK, DISK, JOURNAL, FREEZE, HANG);

    private final String text;
    private final boolean mayEnd;

    /** @param mayEnd whether a node to which it happens may end, if it comes back */
    Incident(String text, boolean mayEnd) {
        this.text = text;
        this.mayEnd = mayEnd;
    }

    String text() {
        return text;
    }

    boolean mayEnd() {
        return mayEnd;
    }

    /** Whether the disk of a journal has to be one of its own. */
    boolean needsJournalDisk() {
        return this == POWER || this == FULL || this == JOURNAL || this == FREEZE;
    }

    /** Whether the disk of a node's own files has to be one of its own. */
    boolean needsDisk() {
        return this == DISK || this == HANG;
    }

    /** As the system property names it. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Why it cannot be done here; null where it can. */
    String obstacle() throws InterruptedException {
        return switch (this) {
            case LINK -> NodeNetwork.obstacle();
            case POWER, FULL, DISK, JOURNAL -> LoopDisk.obstacle(text);
            case FREEZE, HANG -> LoopDisk.freezeObstacle(text);
            default -> null;
        };
    }
}
