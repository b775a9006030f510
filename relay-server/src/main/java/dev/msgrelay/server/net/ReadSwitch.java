package dev.msgrelay.server.net;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;

/** A switch of a socket's reading. Owned by its channel's thread. */
public final class ReadSwitch {
    /**
     * The end of a read that Netty does although there is nowhere to read to: of a socket that was ready before reading was
     * switched off, or that has ended since. Netty knows no other way to refuse. A stack trace would say nothing.
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

    /** @param gone is run where the channel was closed while it was registered nowhere, and so could not tell */
    public ReadSwitch(Channel channel, Runnable gone) {
        this.channel = channel;
        this.gone = gone;
    }

    public void off() {
        channel.config().setAutoRead(false);
    }

    /** Returns what a read that shall not be has to throw. Nothing is lost: the bytes are read once reading is switched on. */
    public Refused refuse() {
        refused = true;
        return Refused.INSTANCE;
    }

    /** Returns whether a read was refused since reading was switched on last. */
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
                    // Netty no longer watches for room for the write in flight, either.
                    channel.flush();
                } else {
                    gone.run();
                }
            });
        });
    }
}
