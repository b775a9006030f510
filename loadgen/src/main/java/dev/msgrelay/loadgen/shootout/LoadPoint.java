package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.load.BodySizes;

/**
 * What is sent in one cell of the matrix, whatever the lane.
 *
 * @param batch messages of a publisher's write, exactly so many; 0: as many as fill it, or at a fixed rate those that are
 *     due
 * @param rate messages a second of each publisher, open loop; 0: as fast as it goes
 * @param burst messages that are meant for the same moment; 1: evenly spread
 */
public record LoadPoint(BodySizes body, int publishers, int subscribers, int batch, int rate, int burst) {
    /** The same at another rate. */
    public LoadPoint withRate(int newRate) {
        return new LoadPoint(body, publishers, subscribers, batch, newRate, burst);
    }
}
