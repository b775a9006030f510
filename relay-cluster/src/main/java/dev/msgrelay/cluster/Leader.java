package dev.msgrelay.cluster;

import java.util.List;
import java.util.function.IntPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The leader, as nodes name it in their logs.
 *
 * @param node its number; 0: nobody
 * @param term of its election; -1: there was none
 */
public record Leader(int node, long term) {
    private static final Pattern LEADS = Pattern.compile("node (\\d+) of \\S+ leads, term (\\d+)");

    /**
     * Returns the leader that was elected last: a node that reads its log names earlier leaders again.
     *
     * @param logs of nodes of one cluster
     * @param counts whether a node may be the leader, by its number
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
