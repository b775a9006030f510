package dev.msgrelay.server.cli;

import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.admin.AdminServer;
import dev.msgrelay.server.admin.AdminServer.Reload;
import dev.msgrelay.server.config.AdminConfig;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The ports for HTTP, before they are started.
 *
 * @param admin the admin port; null: there is to be none
 * @param named whether the settings name its address; otherwise it may be missing
 * @param health the port for health alone; null: there is to be none
 */
record AdminPorts(AdminConfig admin, boolean named, AdminConfig health) {
    private static final String USUAL = AdminConfig.DEFAULT_HOST + ":" + AdminConfig.DEFAULT_PORT;

    /**
     * The ports that the settings ask for.
     *
     * @param hasTls whether the relay has TLS
     * @throws IllegalArgumentException a value is wrong, or the port is to speak TLS and the relay has none; the
     *     message names the setting, its value and the right form
     */
    static AdminPorts of(Settings settings, boolean hasTls) {
        String place = settings.value(Settings.ADMIN);
        AdminConfig admin = Form.NONE.equals(place)
                ? null
                : AdminConfig.parse(place == null ? USUAL : place, settings.value(Settings.ADMIN_TOKEN))
                        .withMetricsNames(settings.value("metrics-names"));
        String health = settings.value("health");
        AdminPorts ports = new AdminPorts(admin, place != null, health == null ? null : AdminConfig.health(health));
        if (ports.hasTls() && !hasTls) {
            throw new IllegalArgumentException("admin " + place + " needs --tls-cert and --tls-key");
        }
        return ports;
    }

    private boolean hasTls() {
        return admin != null && admin.tls();
    }

    /**
     * Starts a port without TLS before the relay. Returns null if there is to be none, or one with TLS, which has to
     * wait for the relay.
     *
     * @param configuration reads the configuration again
     * @param missing takes a warning where there is no port since its usual address is taken: of several relays on a
     *     host, one has it
     * @throws IOException the settings name the port's address, and that cannot be listened on
     */
    AdminServer startBefore(Supplier<Reload> configuration, Consumer<String> missing) throws IOException {
        if (admin == null || admin.tls()) {
            return null;
        }
        try {
            return AdminServer.startBefore(admin, Optional.of(configuration));
        } catch (IOException e) {
            if (named) {
                throw e;
            }
            missing.accept("no admin port: " + e.getMessage() + "; --admin chooses another one, or none");
            return null;
        }
    }

    /**
     * Starts the port for health alone, before the relay; null: there is to be none.
     *
     * @throws IOException its address cannot be listened on
     */
    AdminServer startHealth() throws IOException {
        return health == null ? null : AdminServer.startBefore(health, Optional.empty());
    }

    /**
     * Gives the relay to a port that was started before, or starts a port with TLS. Returns the port; null: there is
     * none.
     *
     * @param before the port that was started before; null: none
     * @throws IOException the port with TLS cannot listen
     */
    AdminServer start(AdminServer before, RelayServer relay, Supplier<Reload> configuration) throws IOException {
        if (before != null) {
            before.serve(relay);
            return before;
        }
        return hasTls() ? AdminServer.start(relay, admin, configuration) : null;
    }
}
