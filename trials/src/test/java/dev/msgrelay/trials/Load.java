package dev.msgrelay.trials;

import dev.msgrelay.protocol.Level;
import java.util.List;

/**
 * The clients of a campaign.
 *
 * @param levels each has publishers and subscribers; of a cluster {@code stream} alone
 * @param publishers of each level, of a cluster: of each node
 * @param subscribers likewise
 * @param rate messages a second of each publisher
 */
record Load(List<Level> levels, int publishers, int subscribers, int rate) {
    Load {
        levels = List.copyOf(levels);
    }
}
