package dev.msgrelay.loadgen.evidence;

import java.util.List;
import java.util.Locale;

/**
 * The processes and TCP ports that are sampled.
 *
 * @param publishPort TCP port for publishers. Like {@code subscribePort}, it is -1 if unknown, or for a Unix socket.
 */
public record Watched(List<Process> processes, int publishPort, int subscribePort) {
    /** A process of the run. If {@code beside} is true, only its CPU time counts, as its queues delay no publisher. */
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
