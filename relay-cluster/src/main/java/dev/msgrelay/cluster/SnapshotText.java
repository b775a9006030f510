package dev.msgrelay.cluster;

import dev.msgrelay.cluster.ClusterNames.Name;
import dev.msgrelay.cluster.ClusterNodes.Node;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.journal.format.EpochTable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The text of a snapshot: a {@link ClusterState} in lines of words, which people can read.
 *
 * <pre>
 *   state VERSION CLUSTER EPOCH POSITION SEQUENCE NODES NAMES TOLD PASSED BODY     numbers: lines, ms, bytes
 *         LIVES FRESH                                                              only with several lives, or a
 *                                                                                  term has begun and had no batch
 *   life EPOCH POSITION SEQUENCE TIME                                              only with several, the first first
 *   node NUMBER SESSION LIFE ENTRY LEFT                                            in the order of the numbers
 *   name HIGH LOW ACCEPTED SEQUENCE NODE,NODE LEFT NAME OWNER                      name and owner in hexadecimal UTF-8
 * </pre>
 *
 * <p>For one thread.
 */
final class SnapshotText {
    private static final Pattern COMMA = Pattern.compile(",");

    private final ClusterState state;
    private final String clusterName;
    private int linesLeft;

    SnapshotText(ClusterState state, String clusterName) {
        this.state = state;
        this.clusterName = clusterName;
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        ClusterNodes nodes = state.nodes();
        List<EpochTable.Epoch> lives = state.lives().epochs();
        int told = lives.size() > 1 ? lives.size() : 0;
        String first = line(
                "state",
                Batch.VERSION,
                ClusterState.idOf(clusterName),
                state.epoch(),
                state.position(),
                state.sequence(),
                nodes.size(),
                state.names(),
                nodes.toldMillis(),
                nodes.passedMillis(),
                state.maxBody());
        boolean plain = told == 0 && !state.termIsFresh();
        lines.add(plain ? first : line(first, told, state.termIsFresh()));
        lives.stream()
                .limit(told)
                .map(life -> line("life", life.epoch(), life.position(), life.sequence(), life.timeMillis()))
                .forEach(lines::add);
        nodes.forEach((number, node) ->
                lines.add(line("node", number, node.session, node.life, node.entry, node.leftMillis)));
        state.table()
                .forEach((text, name) -> lines.add(line(
                        "name",
                        name.producer.high(),
                        name.producer.low(),
                        name.accepted,
                        name.sequence,
                        name.nodes.stream().map(String::valueOf).collect(Collectors.joining(",")),
                        name.leftMillis,
                        hex(text),
                        hex(name.owner))));
        return lines;
    }

    private static String line(Object... words) {
        StringBuilder line = new StringBuilder();
        for (Object word : words) {
            line.append(line.length() == 0 ? "" : " ").append(word);
        }
        return line.toString();
    }

    /**
     * Restores the state from the next line of {@link #lines}.
     *
     * @return whether it was the last line
     * @throws IllegalStateException the line is not of a snapshot, or of another version or cluster
     */
    boolean restore(String line) {
        String[] words = line.split(" ", -1);
        switch (words[0]) {
            case "state" -> restoreState(words);
            case "life" ->
                state.restore(new EpochTable.Epoch(int64(words, 1), int64(words, 2), int64(words, 3), int64(words, 4)));
            case "node" -> restoreNode(words);
            case "name" -> restoreName(words);
            default -> throw new IllegalStateException("the snapshot has a line that begins with " + words[0]);
        }
        return --linesLeft == 0;
    }

    private static long int64(String[] words, int place) {
        return Long.parseLong(words[place]);
    }

    private void restoreState(String[] words) {
        if (Integer.parseInt(words[1]) != Batch.VERSION) {
            throw new IllegalStateException("the snapshot of cluster " + clusterName + " is of version " + words[1]
                    + ", and this node understands version " + Batch.VERSION);
        }
        if (int64(words, 2) != ClusterState.idOf(clusterName)) {
            throw new IllegalStateException("the snapshot is of another cluster than " + clusterName);
        }
        boolean more = words.length > 11;
        int lives = more ? Integer.parseInt(words[11]) : 0;
        long epoch = int64(words, 3);
        state.restore(
                more && Boolean.parseBoolean(words[12]), Integer.parseInt(words[10]), int64(words, 4), int64(words, 5));
        state.nodes().restoreClock(int64(words, 8), int64(words, 9));
        if (lives == 0 && epoch != 0) {
            state.restore(new EpochTable.Epoch(epoch, 0, 1, 0));
        }
        // With this line.
        linesLeft = 1 + Integer.parseInt(words[6]) + Integer.parseInt(words[7]) + lives;
    }

    private void restoreNode(String[] words) {
        Node node = new Node();
        node.session = int64(words, 2);
        node.life = int64(words, 3);
        node.entry = int64(words, 4);
        node.leftMillis = int64(words, 5);
        state.nodes().restore(Integer.parseInt(words[1]), node);
    }

    private void restoreName(String[] words) {
        Name name = new Name(new ProducerId(int64(words, 1), int64(words, 2)), fromHex(words[8]));
        name.accepted = int64(words, 3);
        name.sequence = int64(words, 4);
        COMMA.splitAsStream(words[5])
                .filter(number -> !number.isEmpty())
                .map(Integer::valueOf)
                .forEach(name.nodes::add);
        name.leftMillis = int64(words, 6);
        state.table().restore(fromHex(words[7]), name);
    }

    private static String hex(String text) {
        return HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String fromHex(String hex) {
        return new String(HexFormat.of().parseHex(hex), StandardCharsets.UTF_8);
    }
}
