package dev.msgrelay.simulation;

import dev.msgrelay.server.connection.EngineLoop;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A loop of the engine whose selector never blocks. Where it would, the loop is left at just that point, its flag up
 * that says it sleeps; it is driven on only when something wakes it that would wake a thread: a task, a signal, a
 * socket, the time. So a signal that is never given is noticed: what it should have started never comes.
 */
final class SimLoop {
    private static final int NEVER = -1;

    /** Thrown where a loop would block: it stays where it is, asleep, until something wakes it. */
    static final RuntimeException ASLEEP = new IllegalStateException("asleep");

    private final World world;
    private final String name;
    final List<SimChannel> channels = new ArrayList<>();
    final EngineLoop loop;
    // What other threads do in the moment between its last look and its sleep.
    Runnable beforeSleep = () -> {};
    private boolean asleep;
    private boolean woken;
    private long deadline = NEVER;

    SimLoop(World world) {
        this.world = world;
        name = "loop " + world.loops.size();
        loop = new EngineLoop(executor -> new Selector(), world.clock);
        world.loops.add(this);
    }

    /** One cycle, unless it sleeps and nothing has woken it; answers whether it did anything. */
    boolean cycle() {
        if (asleep) {
            if (loop.asleep() && channels.stream().noneMatch(SimChannel::ready) && !overslept() && !tasks()) {
                return false;
            }
            asleep = false;
            woken = true;
        }
        goRound();
        return true;
    }

    /** One cycle of a loop that sleeps, for nothing: whatever it finds to do then, it should have been woken for. */
    void poke() {
        woken = true;
        goRound();
    }

    /** Netty closes what is left on a loop that ends: those who were refused, whom no table lists. */
    void end() {
        for (SimChannel channel : List.copyOf(channels)) {
            channel.close();
        }
        tasks();
    }

    private void goRound() {
        world.current = this;
        loop.cycle();
        world.current = null;
        woken = false;
    }

    /** Whether what happens just now happens on its thread: what the test does itself, the first loop would do. */
    boolean isCurrent() {
        return this == (world.current == null ? world.loops.get(0) : world.current);
    }

    private boolean tasks() {
        world.current = this;
        boolean any = loop.io().runNonBlockingTasks(0) > 0;
        world.current = null;
        return any;
    }

    private boolean overslept() {
        return deadline != NEVER && world.now() - deadline >= 0;
    }

    @Override
    public String toString() {
        return name;
    }

    /** The selector: looks at all sockets, in an order of its own each time. */
    private final class Selector implements IoHandler {
        @Override
        public int run(IoHandlerContext context) {
            int ready = 0;
            List<SimChannel> now = new ArrayList<>(channels);
            Collections.rotate(now, now.isEmpty() ? 0 : world.below(now.size()));
            for (SimChannel channel : now) {
                if (channel.ready()) {
                    channel.handle();
                    ready++;
                }
            }
            if (ready == 0 && !woken && context.canBlock()) {
                beforeSleep.run();
                if (context.canBlock()) {
                    deadline = context.deadlineNanos();
                    asleep = true;
                    throw ASLEEP;
                }
            }
            return ready;
        }

        @Override
        public IoRegistration register(IoHandle handle) {
            throw new UnsupportedOperationException("channels of the simulation register by themselves");
        }

        @Override
        public void wakeup() {
            // One thread: nobody calls this from another one.
        }

        @Override
        public boolean isCompatible(Class<? extends IoHandle> handleType) {
            return false;
        }
    }
}
