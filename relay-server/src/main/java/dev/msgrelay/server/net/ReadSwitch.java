package dev.msgrelay.server.net;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;

/** Switches the reading of a socket off and on again. Owned by its channel's thread. */
public final class ReadSwitch {
    private final Channel channel;
    private final Runnable gone;
    private boolean refused;

    /** @param gone run if the channel was closed while it was registered nowhere, and so reported nothing */
    public ReadSwitch(Channel channel, Runnable gone) {
        this.channel = channel;
        this.gone = gone;
    }

    public void off() {
        channel.config().setAutoRead(false);
    }

    /** Takes note of a refused read, see {@link SocketReads.Reader#refused}. */
    public void refused() {
        refused = true;
    }

    /** Whether a read was refused since reading was switched on last. */
    public boolean hasRefused() {
        return refused;
    }

    /**
     * Reads again. A socket that ended while it was not read is no longer in Netty's epoll set, and reading fails;
     * registered anew, it is read to its end.
     */
    @SuppressWarnings("deprecation") // as in Listener: a loop of one's own
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
                    // Room for a write under way is not watched any more, either.
                    channel.flush();
                } else {
                    gone.run();
                }
            });
        });
    }
}
