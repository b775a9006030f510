package dev.msgrelay.server.net;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;

/** Switches the reading of a socket off and on again. Owned by its channel's thread. */
public final class ReadSwitch {
    private final Channel channel;
    private final Runnable gone;
    private boolean refused;

    /** @param gone run if the channel was closed while it was registered with no loop, which Netty does not report */
    public ReadSwitch(Channel channel, Runnable gone) {
        this.channel = channel;
        this.gone = gone;
    }

    public void off() {
        channel.config().setAutoRead(false);
    }

    /** Called by {@link SocketReads.Reader#refused}. */
    public void refused() {
        refused = true;
    }

    /** Whether a read was refused since the last call of {@link #on}. */
    public boolean hasRefused() {
        return refused;
    }

    /**
     * Switches reading on. A socket whose input ended while reading was off is no longer in Netty's epoll set. So it is
     * registered anew, and read to its end.
     */
    @SuppressWarnings("deprecation") // Netty deprecates registration with a loop of one's choice
    public void on() {
        if (!refused) {
            channel.config().setAutoRead(true);
            return;
        }
        refused = false;
        EventLoop loop = channel.eventLoop();
        channel.deregister().addListener(done -> {
            channel.config().setAutoRead(true);
            loop.register(channel).addListener(registered -> {
                if (registered.isSuccess()) {
                    // A new registration does not wait for room in the socket to continue a write.
                    channel.flush();
                } else {
                    gone.run();
                }
            });
        });
    }
}
