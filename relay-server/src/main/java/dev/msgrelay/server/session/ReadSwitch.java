package dev.msgrelay.server.session;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;

/** Switches the reading of a socket off and on again. Owned by its session's thread. */
final class ReadSwitch {
    /** Ends a read that Netty does although reading is switched off. No stack trace: it says nothing. */
    static final class SwitchedOff extends RuntimeException {
        private static final long serialVersionUID = 1L;
        static final SwitchedOff INSTANCE = new SwitchedOff();

        private SwitchedOff() {
            super("reading is switched off", null, false, false);
        }
    }

    private final Channel channel;
    private final Runnable gone;
    private boolean readWhileOff;

    /** @param gone is run where the channel was closed while it was registered nowhere, and so could not tell */
    ReadSwitch(Channel channel, Runnable gone) {
        this.channel = channel;
        this.gone = gone;
    }

    void off() {
        channel.config().setAutoRead(false);
    }

    /** A half-closed socket is read once more even though reading is switched off: ends that, nothing is lost. */
    SwitchedOff refuseRead() {
        readWhileOff = true;
        return SwitchedOff.INSTANCE;
    }

    /**
     * Reads again. Netty's epoll transport forgets a socket that ended while it was not read: no event of it is of interest
     * any more, so it is taken out of the epoll set, and switching reading on again then fails. Registered anew it is read to
     * its end.
     */
    @SuppressWarnings("deprecation") // as in Listener: a loop of one's own
    void on() {
        if (!readWhileOff) {
            channel.config().setAutoRead(true);
            return;
        }
        readWhileOff = false;
        EventLoop loop = channel.eventLoop();
        channel.deregister().addListener(done -> {
            channel.config().setAutoRead(true);
            loop.register(channel).addListener(registered -> {
                if (!registered.isSuccess()) {
                    gone.run();
                }
            });
        });
    }
}
