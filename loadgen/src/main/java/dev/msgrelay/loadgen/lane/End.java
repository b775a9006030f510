package dev.msgrelay.loadgen.lane;

/** An end of a lane. */
public enum End {
    /** Where the relay is. */
    NEAR,

    /** Across the link. */
    FAR;

    public End other() {
        return this == NEAR ? FAR : NEAR;
    }
}
