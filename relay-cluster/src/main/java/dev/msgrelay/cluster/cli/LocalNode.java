package dev.msgrelay.cluster.cli;

import dev.msgrelay.server.cli.RelayServerMain;
import java.io.IOException;

/**
 * A node of a {@link LocalCluster}: the very same program, except that it does not outlive the process that started it.
 */
public final class LocalNode {
    private LocalNode() {}

    /**
     * Arguments of relay-server. The end of stdin is the end of the process that started this one, however that came.
     */
    public static void main(String[] args) {
        Thread watcher = new Thread(LocalNode::endWithParent, "parent");
        watcher.setDaemon(true);
        watcher.start();
        RelayServerMain.main(args);
    }

    private static void endWithParent() {
        try {
            while (System.in.read() >= 0) {
                // The parent writes nothing.
            }
        } catch (IOException e) {
            // The parent is gone.
        }
        Runtime.getRuntime().halt(1);
    }
}
