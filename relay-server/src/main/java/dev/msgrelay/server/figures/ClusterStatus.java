package dev.msgrelay.server.figures;

import java.util.List;

/**
 * The state of a relay in its cluster.
 *
 * @param node number of this relay
 * @param leader node that leads; 0: none that is known
 * @param term number of the present leader's time; -1: there was none
 * @param commitPosition bytes of the cluster's log that a majority has, as far as this relay knows; -1: none
 * @param members all of them, by their numbers
 */
public record ClusterStatus(
        String name, int node, State state, int leader, long term, long commitPosition, List<Member> members) {

    /** The part of a relay in its cluster. */
    public enum State {
        /** The relay decides the order. */
        LEADS("leads"),
        /** The relay gets the order from its leader. */
        FOLLOWS("follows"),
        /** The relay gets missed messages from the others. */
        CATCHES_UP("catches up"),
        /** The relay is alone, or an election is under way. */
        NO_LEADER("has no leader");

        private final String text;

        State(String text) {
            this.text = text;
        }

        /** For people and for JSON. */
        public String text() {
            return text;
        }

        /** Whether messages of publishers come into order. */
        public boolean orders() {
            return this == LEADS || this == FOLLOWS;
        }
    }

    /**
     * A member, as its last report says; -1: it has reported nothing.
     *
     * @param address for the other members
     * @param position bytes of the stream that it has handed to its subscribers' log
     * @param lagBytes of the stream that were in order, and that it did not have
     * @param silentMillis time since the report
     */
    public record Member(int node, String address, long position, long lagBytes, long silentMillis) {}

    public ClusterStatus {
        members = List.copyOf(members);
    }
}
