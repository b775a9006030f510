package dev.msgrelay.server.net;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;

/** Switches the reading of a socket off and on. Owned by its channel's thread. */
public final class ReadSwitch {
    /**
     * Ends a read that Netty begins while reading is switched off: the socket was ready before, or has ended since.
     * Netty has no other way to refuse a read. No stack trace: it would tell nothing.
     */
    public static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;
        public static final Refused INSTANCE = new Refused();

        private Refused() {
            super("reading is switched off", null, false, false);
        }
    }

    private final Channel channel;
    private final Runnable gone;
    private boolean refused;

    /** @param gone run if the channel was closed while it was registered with no loop, where Netty reports no close */
    public ReadSwitch(Channel channel, Runnable gone) {
        this.channel = channel;
        this.gone = gone;
    }

    public void off() {
        channel.config().setAutoRead(false);
    }

    /**
     * Refuses a read, and returns the exception to throw. Nothing is lost: the bytes are read once reading is switched
     * on.
     */
    public Refused refuse() {
        refused = true;
        return Refused.INSTANCE;
    }

    /** Whether a read was refused since reading was last switched on. */
    public boolean hasRefused() {
        return refused;
    }

    /**
     * Switches reading on. Netty's epoll transport takes a socket out of the epoll set if it ends while reading is off,
     * and switching reading on then fails. So a socket with a refused read is registered anew, and is then read to its
     * end.
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
                    // After the new registration nobody watches for room for the pending write: flush again.
                    channel.flush();
                } else {
                    gone.run();
                }
            });
        });
    }
}
