package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.run.Middle;
import dev.msgrelay.protocol.Policy;
import java.util.function.Function;

/**
 * What a shootout works with.
 *
 * @param relay the relay under test, for a lane
 * @param policy what that relay does with slow subscribers: what losses it explains
 */
public record Equipment(Rig rig, LaneOpener opener, Function<Lane, Middle> relay, Policy policy) {}
