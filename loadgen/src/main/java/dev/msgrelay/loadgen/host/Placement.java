package dev.msgrelay.loadgen.host;

/** Where the processes of one run live. A connection between two sites crosses whatever link lies between them. */
public record Placement(Site relay, Site publishers, Site subscribers) {
    public static final Placement HERE = new Placement(Site.HERE, Site.HERE, Site.HERE);
}
