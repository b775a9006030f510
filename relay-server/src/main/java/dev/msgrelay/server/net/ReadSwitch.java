package dev.msgrelay.server.net;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;

/** Switches the reading of a socket off and on again. Owned by its channel's thread. */
public final class ReadSwitch {
    private final Channel channel;
    private final Runnable gone;
    private boolean refused;

    /** @param gone is run where the channel was closed while it was registered nowhere, and so could not tell */
    public ReadSwitch(Channel channel, Runnable gone) {
        this.channel = channel;
        this.gone = gone;
    }

    public void off() {
        channel.config().setAutoRead(false);
    }

    /** A read was refused, see {@link SocketReads.Reader#refused}: the bytes are read once reading is switched on. */
    public void refused() {
        refused = true;
    }

    /** Whether a read was refused since reading was switched on last. */
    public boolean hasRefused() {
        return refused;
    }

    /**
     * Reads again. Netty's epoll transport forgets a socket that ended while it was not read: no event of it is of interest
     * any more, so it is taken out of the epoll set, and switching reading on again then fails. Registered anew it is read to
     * its end.
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
                    // Nor is it watched any more for room for what was being written.
                    channel.flush();
                } else {
                    gone.run();
                }
            });
        });
    }
}
