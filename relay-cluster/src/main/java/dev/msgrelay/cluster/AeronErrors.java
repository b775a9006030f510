package dev.msgrelay.cluster;

import io.aeron.exceptions.AeronEvent;
import org.agrona.ErrorHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Errors that Aeron reports of a node: logged once in a row each, and the last one kept as the cause of an end. Any thread. */
final class AeronErrors implements ErrorHandler {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    /** Words with which Aeron reports, once and again, that a follower does not catch up; its leader may just have gone. */
    private static final String CATCH_UP = "failed to join catchup log";

    /** Reports in a row after which a leader that has just gone is not the reason. */
    private static final int OFTEN = 5;

    private final String who;
    private String lastText = "";
    private int times;
    private boolean muted;
    private volatile Throwable cause;

    /** @param who names the node, for people */
    AeronErrors(String who) {
        this.who = who;
    }

    @Override
    public synchronized void onError(Throwable e) {
        if (muted || e instanceof RelayService.Skipped) {
            return;
        }
        String text = String.valueOf(e.getMessage());
        times = text.equals(lastText) ? times + 1 : 1;
        lastText = text;
        if (e instanceof AeronEvent) {
            if (times == 1) {
                LOG.info("{}: {}", who, text);
            }
            return;
        }
        cause = e;
        if (times == 1) {
            LOG.warn("{}: {}", who, e.toString());
        } else if (times == OFTEN && text.contains(CATCH_UP)) {
            LOG.warn(
                    "{} does not get what it has missed: where the others have dropped that, it has to be restored, by"
                            + " relay-cluster restore --replace",
                    who);
        }
    }

    /** Passes over all later reports: the node is being closed. */
    synchronized void mute() {
        muted = true;
    }

    /** Returns the last error, for people. */
    Throwable cause() {
        Throwable last = cause;
        return last == null ? new IllegalStateException("Aeron has ended") : last;
    }
}
