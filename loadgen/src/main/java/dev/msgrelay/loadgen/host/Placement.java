package dev.msgrelay.loadgen.host;

/**
 * Where the processes of one run live. A connection between two sites crosses whatever link lies between them.
 *
 * @param relay the contestant, whatever it is
 * @param publishers all of them
 * @param subscribers all of them
 */
public record Placement(Site relay, Site publishers, Site subscribers) {
    public static final Placement HERE = new Placement(Site.HERE, Site.HERE, Site.HERE);
}
