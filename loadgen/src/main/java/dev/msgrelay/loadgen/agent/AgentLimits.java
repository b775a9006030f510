package dev.msgrelay.loadgen.agent;

import java.time.Duration;

/**
 * What an agent lets others do to it.
 *
 * @param greeting longest time from a connection to its proof
 * @param silence of a controller, after which it counts as gone
 * @param failurePause before a wrong proof is answered: what makes guessing slow
 * @param processes alive at one time
 */
public record AgentLimits(Duration greeting, Duration silence, Duration failurePause, int processes) {
    /** The usual ones. */
    public static final AgentLimits USUAL =
            new AgentLimits(Duration.ofSeconds(5), Duration.ofSeconds(10), Duration.ofMillis(500), 64);

    /** The same with another silence. */
    public AgentLimits withSilence(Duration newSilence) {
        return new AgentLimits(greeting, newSilence, failurePause, processes);
    }
}
