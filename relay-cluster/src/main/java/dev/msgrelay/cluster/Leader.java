package dev.msgrelay.cluster;

import java.util.List;
import java.util.function.IntPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The leader, as nodes name it in their logs.
 *
 * @param node its number; 0: unknown
 * @param term the term of its election; -1: unknown
 */
public record Leader(int node, long term) {
    private static final Pattern LEADS = Pattern.compile("node (\\d+) of \\S+ leads, term (\\d+)");

    /**
     * The leader with the highest term: a node that replays the cluster's log names earlier leaders again.
     *
     * @param logs texts that the nodes of one cluster have logged
     * @param counts whether the node with this number may be the leader
     */
    public static Leader newest(List<String> logs, IntPredicate counts) {
        Leader newest = new Leader(0, -1);
        for (String log : logs) {
            Matcher leads = LEADS.matcher(log);
            while (leads.find()) {
                Leader said = new Leader(Integer.parseInt(leads.group(1)), Long.parseLong(leads.group(2)));
                if (said.term > newest.term && counts.test(said.node)) {
                    newest = said;
                }
            }
        }
        return newest;
    }
}
