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

    /** Joins where the configuration says so; null: the relay is alone. */
    static Orderer joinIfAny(RelayConfig config) throws IOException {
        if (!config.cluster().on()) {
            return null;
        }
        ClusterProvider found = ServiceLoader.load(ClusterProvider.class)
                .findFirst()
                .orElseThrow(() -> new IOException("cluster " + config.cluster().file()
                        + ": relay-cluster.jar is not on the class path, and a relay without it is alone"));
        return found.join(config);
    }
}
