package dev.msgrelay.server.core;

import java.util.List;

/**
 * How a relay that is one of several stands among them.
 *
 * @param name of the cluster
 * @param node number of this relay
 * @param state of this relay
 * @param leader node that leads; 0: none that is known
 * @param term number of the present leader's time; -1: there was none
 * @param commitPosition bytes of the cluster's log that a majority has, as far as this relay knows; -1: none
 * @param members all of them, by their numbers
 */
public record ClusterStatus(
        String name, int node, State state, int leader, long term, long commitPosition, List<Member> members) {

    /** What a relay is to the others. */
    public enum State {
        /** It decides what comes next. */
        LEADS("leads"),
        /** It has a leader, and what comes into order there comes here. */
        FOLLOWS("follows"),
        /** It gets from the others what it has missed. */
        CATCHES_UP("catches up"),
        /** Nothing comes into order here: it is alone, or an election is under way. */
        NO_LEADER("has no leader");

        private final String text;

        State(String text) {
            this.text = text;
        }

        /** For people and for JSON. */
        public String text() {
            return text;
        }

        /** Whether what publishers bring comes into order. */
        public boolean orders() {
            return this == LEADS || this == FOLLOWS;
        }
    }

    /**
     * A member.
     *
     * @param node its number
     * @param address where the others reach it
     * @param position bytes of the stream that it has handed to its subscribers' log; -1: it has not said so
     * @param lagBytes of the stream that are in order and that it did not have when it last said so; -1: it has not
     * @param silentMillis since then; -1: it has not
     */
    public record Member(int node, String address, long position, long lagBytes, long silentMillis) {}

    public ClusterStatus {
        members = List.copyOf(members);
    }
}
