package dev.msgrelay.server;

import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.core.Orderer;
import java.io.IOException;
import java.util.ServiceLoader;

/** How a relay becomes one of several; found by {@link ServiceLoader}, in a module that not every relay has. */
public interface ClusterProvider {
    /**
     * Joins the others. Returns when enough of them are there to put messages in order.
     *
     * @throws IOException it cannot; the message names what is wrong, and where
     */
    Orderer join(RelayConfig config) throws IOException;

    /**
     * Looks only at what the configuration says of the others.
     *
     * @throws IOException it is wrong; the message names file and line
     */
    void check(RelayConfig config) throws IOException;

    /** The process ends: what this has made outside of its memory goes, also where a relay is only being started. Any thread. */
    void abandon();

    /** As above, where there is one. */
    static void abandonAny() {
        ServiceLoader.load(ClusterProvider.class).forEach(ClusterProvider::abandon);
    }

    /** Joins where the configuration says so; null: the relay is alone. */
    static Orderer joinIfAny(RelayConfig config) throws IOException {
        return config.cluster().on() ? find(config).join(config) : null;
    }

    /** Looks where the configuration says so. */
    static void checkIfAny(RelayConfig config) throws IOException {
        if (config.cluster().on()) {
            find(config).check(config);
        }
    }

    private static ClusterProvider find(RelayConfig config) throws IOException {
        return ServiceLoader.load(ClusterProvider.class)
                .findFirst()
                .orElseThrow(() -> new IOException("cluster " + config.cluster().file()
                        + ": relay-cluster.jar is not on the class path, and a relay without it is alone"));
    }
}
