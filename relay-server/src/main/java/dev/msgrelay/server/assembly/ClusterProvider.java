package dev.msgrelay.server.assembly;

import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.stream.Orderer;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/** Makes a relay a node of a cluster; found by {@link ServiceLoader} in a module that not every relay has. */
public interface ClusterProvider {
    /**
     * Joins the cluster. Returns once enough nodes have joined to order messages.
     *
     * @throws IOException the relay cannot join; the message names the cause and its place
     */
    Orderer join(RelayConfig config) throws IOException;

    /**
     * Checks the cluster's configuration only.
     *
     * @return the warnings that joining would log; a line each
     * @throws IOException the configuration is wrong; the message names file and line
     */
    List<String> check(RelayConfig config) throws IOException;

    /** Removes the files of all nodes in this process, which is about to end, perhaps during a start. Any thread. */
    void abandon();

    static void abandonAny() {
        ServiceLoader.load(ClusterProvider.class).forEach(ClusterProvider::abandon);
    }

    /** Joins the cluster that the configuration names, if any. */
    static Optional<Orderer> joinIfAny(RelayConfig config) throws IOException {
        return config.cluster().on() ? Optional.of(find(config).join(config)) : Optional.empty();
    }

    /** Checks the cluster that the configuration names, if any; returns warnings. */
    static List<String> checkIfAny(RelayConfig config) throws IOException {
        return config.cluster().on() ? find(config).check(config) : List.of();
    }

    private static ClusterProvider find(RelayConfig config) throws IOException {
        return ServiceLoader.load(ClusterProvider.class)
                .findFirst()
                .orElseThrow(() -> new IOException("cluster " + config.cluster().file()
                        + ": relay-cluster.jar is not on the class path, and a relay without it is alone"));
    }
}
