package dev.msgrelay.cluster;

import io.aeron.archive.client.ArchiveException;
import io.aeron.exceptions.AeronEvent;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.agrona.ErrorHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Errors that Aeron reports. Errors that differ in their numbers alone are of one kind, which is logged again only
 * after a minute without it. The last error is kept as the cause of the node's end. Any thread.
 */
final class AeronErrors implements ErrorHandler {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    /** Aeron's text about a follower that does not catch up, perhaps only since its leader has ended. */
    private static final String CATCH_UP = "failed to join catchup log";

    /** Reports in a row that show a lasting cause. */
    private static final int OFTEN = 5;

    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int MOST_KINDS = 100;
    private static final Pattern NUMBER = Pattern.compile("[0-9]+");

    private final String who;
    private final LongSupplier nanoClock;
    // Time of the last report of each kind.
    private final Map<String, Long> reported = new HashMap<>();
    private String lastKind = "";
    private int times;
    private int wrongPositions;
    private boolean muted;
    private volatile Throwable cause;

    /** @param who the node's name, for people */
    AeronErrors(String who, LongSupplier nanoClock) {
        this.who = who;
        this.nanoClock = nanoClock;
    }

    @Override
    public synchronized void onError(Throwable e) {
        if (muted || e instanceof RelayService.Skipped) {
            return;
        }
        String text = String.valueOf(e.getMessage());
        String kind = kind(e);
        times = kind.equals(lastKind) ? times + 1 : 1;
        lastKind = kind;
        boolean isNew = add(kind);
        if (e instanceof AeronEvent) {
            if (isNew) {
                LOG.info("{}: {}", who, text);
            }
            return;
        }
        cause = e;
        if (isOfMemory(e)) {
            // The thread that has thrown it ends, and the node logs the cause.
            return;
        }
        if (isNew) {
            LOG.warn("{}: {}", who, e.toString());
        } else if (times == OFTEN && text.contains(CATCH_UP)) {
            LOG.warn(
                    "{} does not get what it has missed: where the others have dropped that, it has to be restored, by"
                            + " relay-cluster restore --replace",
                    who);
        }
    }

    /** Whether access to a mapped file has failed: a file system is full, or a disk is broken. */
    static boolean isOfMemory(Throwable e) {
        for (Throwable each = e; each != null; each = each.getCause()) {
            if (each instanceof InternalError) {
                return true;
            }
        }
        return false;
    }

    /** An error's class and its text without numbers. */
    static String kind(Throwable e) {
        return NUMBER.matcher(e.getClass().getName() + ' ' + e.getMessage()).replaceAll("#");
    }

    /** Records a report. Returns whether there was none of its kind in the minute before. */
    synchronized boolean add(String kind) {
        long now = nanoClock.getAsLong();
        if (reported.size() >= MOST_KINDS && !reported.containsKey(kind)) {
            reported.clear();
        }
        Long before = reported.put(kind, now);
        return before == null || now - before > QUIET_NANOS;
    }

    /**
     * The handler of the consensus. A leader of Aeron may use a position of its predecessor's log though its own log
     * differs there (aeron#2147). If no message begins at this position, all its elections fail. A start from the last
     * snapshot mends that.
     *
     * @param hopeless gets the error after which the node cannot go on
     */
    ErrorHandler ofConsensus(Consumer<Throwable> hopeless) {
        return e -> {
            onError(e);
            if (countWrongPositions(e) == OFTEN) {
                hopeless.accept(new IllegalStateException(
                        "no message of its own log begins where it has to go on; it goes on from its last snapshot"
                                + " when it is started again",
                        e));
            }
        };
    }

    /** Number of reports in a row, up to this one, that no message begins at a position. */
    private synchronized int countWrongPositions(Throwable e) {
        boolean wrong =
                e instanceof ArchiveException archive && archive.errorCode() == ArchiveException.INVALID_POSITION;
        wrongPositions = wrong ? wrongPositions + 1 : 0;
        return wrongPositions;
    }

    /** Ignores all later reports: the node is being closed. */
    synchronized void mute() {
        muted = true;
    }

    Throwable cause() {
        Throwable last = cause;
        return last == null ? new IllegalStateException("Aeron has ended") : last;
    }
}
