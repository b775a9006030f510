package dev.msgrelay.server.figures;

import java.util.List;

/**
 * The state of a relay in its cluster.
 *
 * @param node number of this relay
 * @param leader number of the relay that leads; 0: this relay knows of no leader
 * @param term number of the leader's term, which grows with each election; -1: there was no election yet
 * @param commitPosition bytes of the cluster's log that, as far as this relay knows, a majority has; -1: none
 * @param members all members, by their numbers
 */
public record ClusterStatus(
        String name, int node, State state, int leader, long term, long commitPosition, List<Member> members) {

    /** The role of a relay in its cluster. */
    public enum State {
        /** The relay decides the order. */
        LEADS("leads"),
        /** The relay gets the order from its leader. */
        FOLLOWS("follows"),
        /** The relay is sent the messages that it has missed. */
        CATCHES_UP("catches up"),
        /** The relay is alone, or an election is under way. */
        NO_LEADER("has no leader");

        private final String text;

        State(String text) {
            this.text = text;
        }

        /** The state in words, for people and for JSON. */
        public String text() {
            return text;
        }

        /** Whether the relay takes messages of publishers. */
        public boolean orders() {
            return this == LEADS || this == FOLLOWS;
        }
    }

    /**
     * A member, as described by its last report. A number is -1 if the member has not reported yet.
     *
     * @param address the address by which the other members reach it
     * @param position bytes of the stream that its subscribers can read
     * @param lagBytes bytes of the stream that were ordered already, but that the member did not have yet
     * @param silentMillis time since the member's last report
     */
    public record Member(int node, String address, long position, long lagBytes, long silentMillis) {}

    public ClusterStatus {
        members = List.copyOf(members);
    }
}
