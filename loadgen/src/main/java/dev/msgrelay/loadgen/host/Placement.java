package dev.msgrelay.loadgen.host;

/**
 * The sites at which the processes of one run are started. A connection between two sites crosses the link between
 * them.
 */
public record Placement(Site relay, Site publishers, Site subscribers) {
    public static final Placement HERE = new Placement(Site.HERE, Site.HERE, Site.HERE);
}
