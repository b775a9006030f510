package dev.msgrelay.server;

import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.assembly.RelayEngine;
import dev.msgrelay.server.connection.Session;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.stream.WindowGate;
import dev.msgrelay.server.subscribe.SendGroup;
import io.netty.channel.Channel;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The connections of a relay as only a test may see them: with their channels, and with fields that it can spoil. */
public final class Sessions {
    /** The thread of the core. */
    public static final String CORE = "relay-loop-0";

    private Sessions() {}

    public static Collection<Session> of(RelayServer relay) {
        return List.copyOf(relay.engine().services().table().live());
    }

    public static Channel channel(Session session) {
        return session.channel();
    }

    /** Messages that one has taken, or handed to its socket. */
    public static long messages(Session session) {
        return session.role().report(0).messages();
    }

    /** Takes away what a connection needs for its next step; on its thread. */
    public static void takeAway(Session session, String field) {
        List<Object> parts = new ArrayList<>(List.of(session, session.dialogue(), session.role()));
        if (session.kind() == Role.PUBLISHER) {
            parts.add(get(session.role(), "intake"));
        }
        for (Object part : parts) {
            if (field(part.getClass(), field) != null) {
                set(part, field, null);
                return;
            }
        }
        throw new AssertionError("no part of " + session.role() + " has a field " + field);
    }

    @SuppressWarnings("unchecked") // whoever asks knows what it is
    public static <T> T get(Object of, String field) {
        try {
            return (T) known(of, field).get(of);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    /** The gate before the log of an engine. */
    public static WindowGate gate(RelayEngine engine) {
        return get(get(engine, "duty"), "gate");
    }

    /** The groups of live subscribers of an engine, one for each loop that may send to them, the core's first. */
    public static SendGroup[] groups(RelayEngine engine) {
        return get(get(get(engine, "duty"), "sends"), "groups");
    }

    /** Sets one; on the thread that owns it. */
    public static void set(Object of, String field, Object value) {
        try {
            known(of, field).set(of, value);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    /** Does something on a connection's thread, and waits until it is done. */
    public static void onItsThread(Session session, Runnable task) throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        session.execute(() -> {
            try {
                task.run();
                done.complete(null);
            } catch (Throwable t) {
                done.completeExceptionally(t);
            }
        });
        done.get(Await.LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    public static String thread(Session session) {
        String[] name = new String[1];
        try {
            onItsThread(session, () -> name[0] = Thread.currentThread().getName());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        return name[0];
    }

    public static long used(RelayServer relay, Part part) {
        return relay.engine().services().budget().pool(part).used();
    }

    private static Field known(Object of, String name) {
        Field field = field(of.getClass(), name);
        if (field == null) {
            throw new AssertionError(of.getClass() + " has no field " + name);
        }
        return field;
    }

    private static Field field(Class<?> type, String name) {
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            try {
                Field field = at.getDeclaredField(name);
                field.setAccessible(true);
                return field;
            } catch (NoSuchFieldException e) {
                // Of the class above, then.
            }
        }
        return null;
    }
}
