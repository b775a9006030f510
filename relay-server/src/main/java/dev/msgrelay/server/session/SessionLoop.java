package dev.msgrelay.server.session;

import dev.msgrelay.server.core.EngineLoop;
import dev.msgrelay.server.net.Wall;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.util.function.Consumer;

/**
 * The loop of a connection's channel. Its thread alone may touch the connection's state, and each step there has a wall:
 * whatever the step throws ends this connection.
 *
 * @param onFailure told of whatever a step throws
 * @param onLost told why the channel, on its way to another loop, has not come there
 */
public record SessionLoop(Channel channel, Consumer<Throwable> onFailure, Consumer<Throwable> onLost) {
    public boolean isHere() {
        return channel.eventLoop().inEventLoop();
    }

    /** Has the loop's thread run a task behind the wall. Any thread. */
    public void execute(Runnable task) {
        EventLoop loop = channel.eventLoop();
        loop.execute(() -> {
            if (channel.eventLoop() == loop) {
                walled(task);
            } else {
                // The connection has moved meanwhile.
                execute(task);
            }
        });
    }

    /** Runs a step behind the wall; on the loop's thread. */
    public void walled(Runnable step) {
        Wall.run(step, onFailure);
    }

    /** Moves the connection to another loop, see {@link EngineLoop#move}. */
    public void moveTo(EngineLoop to, Runnable arrived) {
        EngineLoop.move(channel, to, there -> {
            if (there.isSuccess()) {
                walled(arrived);
            } else {
                onLost.accept(there.cause());
            }
        });
    }
}
