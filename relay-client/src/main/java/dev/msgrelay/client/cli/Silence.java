package dev.msgrelay.client.cli;

import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.protocol.text.PrintableText;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A line on stderr, once, for a subscriber that is connected and has got no message for {@link #PATIENCE}: to whom, and
 * what it waits for. A thread of its own prints it, since the subscriber's waits for the relay.
 */
final class Silence {
    static final Duration PATIENCE = Duration.ofSeconds(5);

    private final String waitsFor;
    private final boolean quiet;
    private final PrintWriter err;
    private RelaySubscriber subscriber; // this and the following are guarded by this object's lock
    private String connected;
    private boolean ended;

    /** @param waitsFor the wanted messages in words */
    Silence(String waitsFor, boolean quiet, PrintWriter err) {
        this.waitsFor = waitsFor;
        this.quiet = quiet;
        this.err = err;
    }

    void watch(RelaySubscriber watched) {
        subscriber = watched;
        if (quiet) {
            return;
        }
        Thread watch = new Thread(this::watch, "silence");
        watch.setDaemon(true);
        watch.start();
    }

    /** Takes note of a connection that is made or lost. */
    synchronized void event(SessionEvent event) {
        if (event instanceof SessionEvent.Connected || event instanceof SessionEvent.ConnectedPlain) {
            connected = event.text();
            notifyAll();
        } else if (event instanceof SessionEvent.Lost) {
            connected = null;
        }
    }

    synchronized void stopWatching() {
        ended = true;
        notifyAll();
    }

    private synchronized void watch() {
        try {
            while (!ended && subscriber.messages() == 0) {
                if (connected == null) {
                    wait();
                    continue;
                }
                String before = connected;
                long until = System.nanoTime() + PATIENCE.toNanos();
                long left;
                while (!ended && before.equals(connected) && (left = until - System.nanoTime()) > 0) {
                    TimeUnit.NANOSECONDS.timedWait(this, left);
                }
                if (!ended && before.equals(connected) && subscriber.messages() == 0) {
                    err.println(PrintableText.line("no message for " + PATIENCE.toSeconds() + " s: " + connected
                            + ", waiting for " + waitsFor));
                    err.flush();
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
