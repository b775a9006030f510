package dev.msgrelay.client;

import java.lang.ref.WeakReference;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Sends a sign of life once a heartbeat for a subscriber that holds back reading, such as for a handler that takes
 * long. It ends with the connection, or once nobody has the subscriber any more. One thread serves all subscribers of
 * the process; it ends a moment after the last one.
 */
final class SignsOfLife implements Runnable {
    private static final int IDLE_SECONDS = 1;

    private static final ScheduledThreadPoolExecutor TIMER = timer();

    private final WeakReference<RelayLink> link;
    private final int everyMillis;

    private SignsOfLife(RelayLink link) {
        this.link = new WeakReference<>(link);
        this.everyMillis = link.heartbeatMillis();
    }

    /** Begins for a connection that has its WELCOME. */
    static void scheduleFor(RelayLink link) {
        if (link.heartbeatMillis() > 0) {
            new SignsOfLife(link).later();
        }
    }

    @Override
    public void run() {
        RelayLink present = link.get();
        if (present != null && present.heartbeatMillis() > 0) {
            present.signOfLife();
            later();
        }
    }

    private void later() {
        TIMER.schedule(this, everyMillis, TimeUnit.MILLISECONDS);
    }

    private static ScheduledThreadPoolExecutor timer() {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, run -> {
            Thread thread = new Thread(run, "relay-signs-of-life");
            thread.setDaemon(true);
            return thread;
        });
        timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        return timer;
    }
}
