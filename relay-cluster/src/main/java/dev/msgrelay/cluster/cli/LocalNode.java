package dev.msgrelay.cluster.cli;

import dev.msgrelay.server.cli.RelayServerMain;
import java.io.IOException;

/** A node of a {@link LocalCluster}: relay-server, except that it ends with the process that has started it. */
public final class LocalNode {
    private LocalNode() {}

    /** @param args arguments of relay-server; stdin ends when the parent process has ended */
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
            // The parent has ended.
        }
        Runtime.getRuntime().halt(1);
    }
}
