package dev.msgrelay.server.cli;

import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.admin.AdminServer;
import dev.msgrelay.server.admin.AdminServer.Reload;
import dev.msgrelay.server.config.AdminConfig;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Supplier;

/** The admin port and the health-only port, if the settings ask for them. Main thread; any thread may close them. */
final class AdminPorts implements AutoCloseable {
    private static final String USUAL = AdminConfig.DEFAULT_HOST + ":" + AdminConfig.DEFAULT_PORT;

    private final Optional<AdminConfig> adminConfig;
    private final Optional<AdminConfig> healthConfig;
    // Whether the settings name the address of the admin port; if not, the relay may also run without the port.
    private final boolean named;
    // Both ports are empty until they are started.
    private Optional<AdminServer> admin = Optional.empty();
    private Optional<AdminServer> health = Optional.empty();

    /**
     * @throws IllegalArgumentException a value is wrong, or the port needs TLS and the relay has none; the message
     *     names the setting, its value and the right form
     */
    AdminPorts(Settings settings, boolean relayHasTls) {
        String place = settings.value(Settings.ADMIN);
        named = place != null;
        adminConfig = Form.NONE.equals(place)
                ? Optional.empty()
                : Optional.of(AdminConfig.parse(named ? place : USUAL, settings.value(Settings.ADMIN_TOKEN))
                        .withMetricsNames(settings.value("metrics-names")));
        healthConfig = Optional.<String>ofNullable(settings.value("health")).map(AdminConfig::health);
        if (hasTls() && !relayHasTls) {
            throw new IllegalArgumentException("admin " + place + " needs --tls-cert and --tls-key");
        }
    }

    private boolean hasTls() {
        return adminConfig.isPresent() && adminConfig.get().tls();
    }

    /**
     * Starts the ports that have no TLS, before the relay starts.
     *
     * @return a warning if the admin port's usual address is taken, for example by another relay on this host. The
     *     relay then starts without the admin port.
     * @throws IOException the settings name an address that cannot be listened on
     */
    Optional<String> startBefore(Supplier<Reload> configuration) throws IOException {
        if (healthConfig.isPresent()) {
            health = Optional.of(AdminServer.startBefore(healthConfig.get(), Optional.empty()));
        }
        try {
            if (adminConfig.isPresent() && !hasTls()) {
                admin = Optional.of(AdminServer.startBefore(adminConfig.get(), Optional.of(configuration)));
            }
            return Optional.empty();
        } catch (IOException e) {
            if (named) {
                throw e;
            }
            return Optional.of("no admin port: " + e.getMessage() + "; --admin chooses another one, or none");
        }
    }

    void recovering(int segments, int of) {
        health.ifPresent(port -> port.recovering(segments, of));
        admin.ifPresent(port -> port.recovering(segments, of));
    }

    /**
     * Hands the relay to the ports that were started before the relay, and starts an admin port with TLS.
     *
     * @throws IOException the port with TLS cannot listen
     */
    void serve(RelayServer relay, Supplier<Reload> configuration) throws IOException {
        health.ifPresent(port -> port.serve(relay));
        admin.ifPresent(port -> port.serve(relay));
        if (hasTls()) {
            admin = Optional.of(AdminServer.start(relay, adminConfig.get(), configuration));
        }
    }

    Optional<AdminServer> admin() {
        return admin;
    }

    Optional<AdminServer> health() {
        return health;
    }

    @Override
    public void close() {
        admin.ifPresent(AdminServer::close);
        health.ifPresent(AdminServer::close);
    }
}
