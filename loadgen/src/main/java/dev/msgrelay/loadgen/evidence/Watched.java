package dev.msgrelay.loadgen.evidence;

import java.util.List;
import java.util.Locale;

/**
 * Processes and ports that a sampler looks at.
 *
 * @param processes of this host; those elsewhere are not seen
 * @param publishPort of the relay, by which its connections are told from others; -1: unknown, or a Unix socket
 * @param subscribePort likewise
 */
public record Watched(List<Process> processes, int publishPort, int subscribePort) {
    /**
     * A process of the run.
     *
     * @param beside it holds nobody back, whatever it does: it counts for what the machine did, and for nothing else
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
