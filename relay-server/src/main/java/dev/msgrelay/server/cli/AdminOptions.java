package dev.msgrelay.server.cli;

import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.admin.AdminServer;
import dev.msgrelay.server.admin.Reload;
import dev.msgrelay.server.config.AdminConfig;
import java.io.IOException;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Option;

/** Options of {@link AdminConfig}. */
final class AdminOptions {
    private static final Logger LOG = LoggerFactory.getLogger("relay");
    private static final String NONE = "none";

    /** Options whose values are never shown. */
    static final Set<String> SECRET = Set.of("admin-token");

    @Option(
            names = "--admin",
            paramLabel = "ADDRESS",
            description = "Address of the admin port, which shows the relay's state by HTTP: a page, /metrics, "
                    + "/health/live, /health/ready, /connections, /config, /events. none: no admin port. Beyond "
                    + "loopback it needs TLS, as https://0.0.0.0:7402, and --admin-token.%n  Default: 127.0.0.1:7402, "
                    + "and no admin port if that is taken.")
    private String admin;

    @Option(
            names = "--admin-token",
            paramLabel = "HASH",
            description = "The hash, sha256:HEX, of the token that requests to the admin port must show: as "
                    + "'Authorization: Bearer TOKEN', or as the password in a browser. /health needs no token. POST "
                    + "/reload needs the token as Bearer, and does what SIGHUP does.")
    private String adminToken;

    @Option(
            names = "--metrics-names",
            paramLabel = "N|NAME,...",
            defaultValue = "0",
            description = "At /metrics, the lag and rate of subscribers by name: of the N that are furthest behind, or "
                    + "of those with these names; at most 1,000. 0: no client makes a series.")
    private String metricsNames;

    @Option(
            names = "--health",
            paramLabel = "ADDRESS:PORT",
            description = "A further port for /health/live and /health/ready alone, in the clear and without a token: "
                    + "for probes and load balancers. :7403 is port 7403 of all addresses.")
    private String health;

    /**
     * The admin port's configuration; null: there is to be none.
     *
     * @throws IllegalArgumentException the message names the option, its value and the right form
     */
    AdminConfig config() {
        if (NONE.equals(admin)) {
            return null;
        }
        return AdminConfig.parse(
                        admin == null ? AdminConfig.DEFAULT_HOST + ":" + AdminConfig.DEFAULT_PORT : admin, adminToken)
                .withMetricsNames(metricsNames);
    }

    /**
     * Checks the options before anything is started.
     *
     * @throws IllegalArgumentException as {@link #config}; or the port is to speak TLS, and the relay has none
     */
    void check(boolean hasTls) {
        AdminConfig config = config();
        if (health != null) {
            AdminConfig.health(health);
        }
        if (config != null && config.tls() && !hasTls) {
            throw new IllegalArgumentException("admin " + admin + " needs --tls-cert and --tls-key");
        }
    }

    /**
     * Starts a port without TLS before the relay. Returns null if there is to be none, or one with TLS, which has to
     * wait for the relay.
     *
     * @param configuration reads the configuration again
     * @throws IOException --admin names the port's address, and that cannot be listened on
     */
    AdminServer startBefore(Supplier<Reload> configuration) throws IOException {
        AdminConfig config = config();
        if (config == null || config.tls()) {
            return null;
        }
        try {
            return AdminServer.startBefore(config, configuration);
        } catch (IOException e) {
            if (admin != null) {
                throw e;
            }
            // A warning only: of several relays on a host, one has the default port.
            LOG.warn("no admin port: {}; --admin chooses another one, or none", e.getMessage());
            return null;
        }
    }

    /**
     * Starts the port for health alone, before the relay; null: there is to be none.
     *
     * @throws IOException its address cannot be listened on
     */
    AdminServer startHealth() throws IOException {
        return health == null ? null : AdminServer.startBefore(AdminConfig.health(health), null);
    }

    /**
     * Gives the relay to a port that was started before, or starts a port with TLS. Returns the port; null: there is
     * none.
     *
     * @param before the port that was started before; null: none
     * @throws IOException the port with TLS cannot listen
     */
    AdminServer start(AdminServer before, RelayServer relay, Supplier<Reload> configuration) throws IOException {
        AdminConfig config = config();
        if (before != null) {
            before.serve(relay);
        }
        return before == null && config != null && config.tls()
                ? AdminServer.start(relay, config, configuration)
                : before;
    }
}
