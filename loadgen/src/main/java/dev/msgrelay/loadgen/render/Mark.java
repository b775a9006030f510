package dev.msgrelay.loadgen.render;

/** How a text stands out. Its words have to say the same: colours alone tell nobody enough. */
public enum Mark {
    NONE,
    /** As it should be. */
    GOOD,
    /** To be known: "emulated". */
    NOTE,
    /** To be careful with: "the cores were moved". */
    WARN,
    /** Not valid: "FAIL". */
    BAD
}
