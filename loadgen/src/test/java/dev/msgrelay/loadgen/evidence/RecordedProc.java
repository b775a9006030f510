package dev.msgrelay.loadgen.evidence;

import dev.msgrelay.server.host.SystemTree;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Files of /proc with content that a test gives, and changes as time passes. */
final class RecordedProc extends SystemTree {
    private final Map<String, String> texts = new HashMap<>();
    private final Map<String, String> links = new HashMap<>();
    private final Map<String, Integer> reads = new HashMap<>();

    RecordedProc() {
        super(Path.of("/nothing/is/read/from/here"));
    }

    RecordedProc with(String path, String text) {
        texts.put(path, text);
        return this;
    }

    RecordedProc without(String prefix) {
        texts.keySet().removeIf(path -> path.startsWith(prefix));
        return this;
    }

    RecordedProc namespace(long pid, String name) {
        links.put(pid + "/ns/net", "net:[" + name + "]");
        return this;
    }

    /** A thread of a process: milliseconds that it has run and waited. */
    RecordedProc thread(long pid, long tid, String name, long ranMillis, long waitedMillis) {
        String path = pid + "/task/" + tid;
        return with(path + "/comm", name + "\n")
                .with(path + "/schedstat", ranMillis * 1_000_000 + " " + waitedMillis * 1_000_000 + " 17\n");
    }

    /** A whole process: milliseconds that all its threads have run, the ended ones too. */
    RecordedProc process(long pid, long parent, String name, long ranMillis) {
        return with(
                pid + "/stat",
                pid + " (" + name + ") S " + parent + " 1 1 0 -1 4194560 1 0 0 0 " + ranMillis / 10
                        + " 0 0 0 20 0 30 0 2\n");
    }

    RecordedProc socket(long pid, int fd, int inode) {
        links.put(pid + "/fd/" + fd, "socket:[" + inode + "]");
        return with(pid + "/fd/" + fd, "");
    }

    /**
     * The connections of a namespace, seen by a process in it: local port, remote port, bytes to send, bytes to read,
     * and where it matters the socket's inode.
     */
    RecordedProc connections(long pid, int[]... all) {
        StringBuilder text = new StringBuilder("  sl  local_address rem_address   st tx_queue rx_queue\n");
        for (int[] one : all) {
            text.append(String.format(
                    Locale.ROOT,
                    "   1: 0100007F:%04X 0100007F:%04X 01 %08X:%08X 00:00000000 00000000     0        0 %d 1\n",
                    one[0],
                    one[1],
                    one[2],
                    one[3],
                    one.length > 4 ? one[4] : 1));
        }
        return with(pid + "/net/tcp", text.toString());
    }

    int reads(String path) {
        return reads.getOrDefault(path, 0);
    }

    @Override
    public Optional<String> text(String path) {
        reads.merge(path, 1, Integer::sum);
        return Optional.ofNullable(texts.get(path));
    }

    @Override
    public List<String> names(String path) {
        String prefix = path.isEmpty() ? "" : path + "/";
        return texts.keySet().stream()
                .filter(name -> name.startsWith(prefix))
                .map(name -> name.substring(prefix.length()).split("/")[0])
                .distinct()
                .sorted()
                .toList();
    }

    @Override
    public Optional<String> link(String path) {
        return Optional.ofNullable(links.get(path));
    }
}
