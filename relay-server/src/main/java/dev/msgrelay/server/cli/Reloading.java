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
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.PicocliException;

/** Reads the configuration again while the relay runs, at SIGHUP and POST /reload. Any thread. */
final class Reloading {
    /** All settings, as they were read at one moment. The keys of {@code options} are the options' names. */
    record Fresh(Map<String, OptionSpec> options, RelayConfig config, String description) {}

    /** Throws IllegalArgumentException or PicocliException if a value is wrong; the message names the value. */
    interface Reader {
        Fresh read() throws IOException;
    }

    private static final Logger LOG = LoggerFactory.getLogger("relay");

    /** Settings that a reload takes over, if TLS is on before and after. */
    private static final Set<String> TLS_FILES = Set.of("tls-cert", "tls-key", "tls-clients", "tls-clients-optional");

    private final Map<String, OptionSpec> atStart;
    private final Reader reader;
    // The policy in force; null if every client may do everything.
    private AccessPolicy access;
    private volatile RelayServer running;
    private boolean hungUp;

    /** @param atStart the options of the start; the keys are their names */
    Reloading(Map<String, OptionSpec> atStart, Reader reader) {
        this.atStart = atStart;
        this.reader = reader;
    }

    /**
     * Reads the configuration again at each SIGHUP, on a thread of its own. The JDK's class for signals is not part of
     * Java's API, and the compiler warns of it, so it is loaded by name.
     *
     * @return false if this system or JVM has no such signal, or ignores it, as in a process that nohup has started
     */
    boolean handleHangup() {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            MethodHandle run = MethodHandles.lookup().bind(this, "hangup", MethodType.methodType(void.class));
            Object runs = MethodHandleProxies.asInterfaceInstance(handler, MethodHandles.dropArguments(run, 0, signal));
            Object before = signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance("HUP"), runs);
            return before != handler.getField("SIG_IGN").get(null);
        } catch (ReflectiveOperationException | LinkageError e) {
            return false;
        }
    }

    /** The relay; null while it is being started. */
    RelayServer relay() {
        return running;
    }

    /** A SIGHUP during the start is kept until the relay runs. */
    private synchronized void hangup() {
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

    /** Takes over the settings that can change, or none if one is wrong, and logs the result. */
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
            boolean same = identities(config.access()).equals(identities(access));
            lines.add(same ? "access as before" : "access changed");
            access = config.access();
            boolean tlsRead = config.tls().on() && relay.config().tls().on();
            if (tlsRead) {
                lines.add(relay.tls().text());
            }
            lines.forEach(told -> log(Level.INFO, told));
            // These warnings were logged when the files were loaded.
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

    private static Optional<List<Identity>> identities(AccessPolicy policy) {
        return Optional.ofNullable(policy).map(AccessPolicy::identities);
    }

    /** The values in use of the options whose default follows from other options. The keys are the options' names. */
    private static Map<String, String> valuesInUse(RelayConfig config) {
        return Map.of(
                RelayOption.LOG_SIZE.name(), Form.SIZE.written(config.stream().logBytes()),
                RelayOption.RING_SIZE.name(), Form.SIZE.written(config.stream().ringBytes()),
                RelayOption.PIN_SIZE.name(), Form.SIZE.written(config.limits().pinBytes()),
                RelayOption.ASSEMBLY_SIZE.name(),
                        Form.SIZE.written(config.limits().assemblyBytes()),
                RelayOption.REPLAY_SIZE.name(),
                        Form.SIZE.written(config.limits().replayBytes()),
                RelayOption.NAME_HOLD.name(), Durations.format(config.limits().nameHold()));
    }

    /** Lines about options that have changed since the start and need a restart. Options in {@code taken} need none. */
    private List<String> restartsNeeded(RelayConfig now, Fresh fresh, Set<String> taken) {
        List<String> lines = new ArrayList<>();
        Map<String, String> inUse = valuesInUse(now);
        Map<String, String> later = valuesInUse(fresh.config());
        atStart.forEach((name, option) -> {
            OptionSpec then = fresh.options().get(name);
            String is = inUse.getOrDefault(name, valueText(option));
            String wouldBe = later.getOrDefault(name, valueText(then));
            boolean same =
                    inUse.containsKey(name) ? is.equals(wouldBe) : Objects.equals(option.getValue(), then.getValue());
            if (!taken.contains(name) && !same) {
                lines.add(name + " takes a restart: "
                        + (name.equals(Settings.ADMIN_TOKEN)
                                ? "it has changed"
                                : "it is " + is + " and would be " + wouldBe));
            }
        });
        return lines;
    }

    /** The option's value as the user gave it; a secret is left out. */
    static String valueText(OptionSpec option) {
        Object value = option.getValue();
        if (value == null || value instanceof Boolean) {
            return value == null ? "not set" : value.toString();
        }
        List<String> flags = option.originalStringValues();
        return flags.isEmpty() ? option.defaultValueString() : SecretText.file(String.join(",", flags));
    }
}
