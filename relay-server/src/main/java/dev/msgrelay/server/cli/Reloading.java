package dev.msgrelay.server.cli;

import dev.msgrelay.protocol.text.Durations;
import dev.msgrelay.protocol.text.SecretText;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.access.AccessPolicy;
import dev.msgrelay.server.access.Identity;
import dev.msgrelay.server.admin.AdminServer.Reload;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.config.RelayOption;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.PicocliException;

/** SIGHUP and POST /reload: reads the configuration again while the relay runs. Any thread. */
final class Reloading {
    /**
     * All settings, read at one moment.
     *
     * @param options by their names, with their values
     * @param description for people
     */
    record Fresh(Map<String, OptionSpec> options, RelayConfig config, String description) {}

    interface Reader {
        /**
         * @throws IllegalArgumentException a value is wrong; the message names it
         * @throws PicocliException likewise
         */
        Fresh read() throws IOException;
    }

    private static final Logger LOG = LoggerFactory.getLogger("relay");

    /** Settings that a reload takes over, if TLS is on before and after. */
    private static final Set<String> TLS_FILES = Set.of("tls-cert", "tls-key", "tls-clients", "tls-clients-optional");

    /** Settings whose default follows from others: their values in a configuration. */
    private static final Map<String, Function<RelayConfig, String>> FOLLOWING = Map.of(
            "log-size", config -> Form.SIZE.written(config.stream().logBytes()),
            "ring-size", config -> Form.SIZE.written(config.stream().ringBytes()),
            "pin-size", config -> Form.SIZE.written(config.limits().pinBytes()),
            "assembly-size", config -> Form.SIZE.written(config.limits().assemblyBytes()),
            "replay-size", config -> Form.SIZE.written(config.limits().replayBytes()),
            "name-hold", config -> Durations.format(config.limits().nameHold()));

    private final Map<String, OptionSpec> atStart;
    private final Reader reader;
    // The policy in force; null: there is none.
    private AccessPolicy access;
    private volatile RelayServer running;
    private boolean hungUp;

    /** @param atStart the options that the relay was started with, by their names */
    Reloading(Map<String, OptionSpec> atStart, Reader reader) {
        this.atStart = atStart;
        this.reader = reader;
    }

    /** The relay; null: it is still being started. */
    RelayServer relay() {
        return running;
    }

    /** A SIGHUP during the start is kept until the relay runs. */
    synchronized void hangup() {
        if (running == null) {
            hungUp = true;
            LOG.info("SIGHUP during the start: the configuration is read again once the relay runs");
        } else {
            reload();
        }
    }

    synchronized void started(RelayServer relay, RelayConfig config) {
        access = config.access();
        running = relay;
        if (hungUp) {
            reload();
        }
    }

    /** Takes the settings that can change, or none if anything is wrong. Logs the result. */
    synchronized Reload reload() {
        RelayServer relay = running;
        if (relay == null) {
            return refused("configuration not taken: the relay is still being started");
        }
        try {
            Fresh fresh = reader.read();
            RelayConfig config = fresh.config();
            if (access != null && config.access() == null && !config.insecure()) {
                throw new IllegalArgumentException(
                        "there is no access block any more, and every client might publish and"
                                + " read everything: put it back, or say insecure = true");
            }
            relay.reload(config);
            List<String> lines = new ArrayList<>();
            lines.add("configuration read again: " + fresh.description());
            boolean same = Objects.equals(identities(config.access()), identities(access));
            lines.add(same ? "access as before" : "access changed");
            access = config.access();
            boolean tlsRead = config.tls().on() && relay.config().tls().on();
            if (tlsRead) {
                lines.add(relay.tls().text());
            }
            lines.forEach(told -> log(Level.INFO, told));
            // The warnings were logged when the files were loaded.
            lines.addAll(relay.tls().warnings());
            Set<String> taken = new HashSet<>(tlsRead ? TLS_FILES : Set.of());
            taken.add(RelayOption.INSECURE.name());
            List<String> restarts = restartsNeeded(relay.config(), fresh, taken);
            restarts.forEach(told -> log(Level.WARN, told));
            lines.addAll(restarts);
            return new Reload(true, lines);
        } catch (IllegalArgumentException | PicocliException | IOException e) {
            return refused("configuration not taken, the one before holds: " + e.getMessage());
        }
    }

    private static Reload refused(String why) {
        log(Level.ERROR, why);
        return new Reload(false, List.of(why));
    }

    private static void log(Level level, String line) {
        LOG.atLevel(level).addKeyValue("event", "reload").log(line);
    }

    /** Null: everybody may do everything. */
    private static List<Identity> identities(AccessPolicy policy) {
        return policy == null ? null : policy.identities();
    }

    /**
     * Lines about options that have changed since the start, and need a restart.
     *
     * @param now the configuration of the start
     * @param taken names of the options that were taken
     */
    private List<String> restartsNeeded(RelayConfig now, Fresh fresh, Set<String> taken) {
        List<String> lines = new ArrayList<>();
        atStart.forEach((name, option) -> {
            OptionSpec then = fresh.options().get(name);
            Function<RelayConfig, String> follows = FOLLOWING.get(name);
            String is = follows == null ? valueText(option) : follows.apply(now);
            String wouldBe = follows == null ? valueText(then) : follows.apply(fresh.config());
            boolean same = follows == null ? Objects.equals(option.getValue(), then.getValue()) : is.equals(wouldBe);
            if (!taken.contains(name) && !same) {
                lines.add(name + " takes a restart: "
                        + (name.equals(Settings.ADMIN_TOKEN)
                                ? "it has changed"
                                : "it is " + is + " and would be " + wouldBe));
            }
        });
        return lines;
    }

    /** The option's value as it was written, or could be. */
    static String valueText(OptionSpec option) {
        Object value = option.getValue();
        if (value == null || value instanceof Boolean) {
            return value == null ? "not set" : value.toString();
        }
        List<String> flags = option.originalStringValues();
        return flags.isEmpty() ? option.defaultValueString() : SecretText.file(String.join(",", flags));
    }
}
