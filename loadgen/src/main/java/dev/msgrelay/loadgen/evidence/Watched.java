package dev.msgrelay.loadgen.evidence;

import java.util.List;
import java.util.Locale;

/**
 * Processes and ports that are sampled.
 *
 * @param processes processes of this host
 * @param publishPort the relay's port, which its connections have; -1: unknown, or a Unix socket
 * @param subscribePort likewise
 */
public record Watched(List<Process> processes, int publishPort, int subscribePort) {
    /**
     * A process of the run.
     *
     * @param beside the process holds no other one back: only its CPU time counts
     */
    public record Process(Role role, String name, long pid, boolean beside) {}

    public enum Role {
        PUBLISHER,
        RELAY,
        SUBSCRIBER;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
