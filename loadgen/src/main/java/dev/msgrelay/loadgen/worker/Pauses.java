package dev.msgrelay.loadgen.worker;

import com.grack.nanojson.JsonObject;
import java.util.concurrent.TimeUnit;

/**
 * Times in which nothing happened, within the measured part of a run: the longest one, and how many were {@link
 * #LONG_NANOS} or longer. One thread notes them; others may ask when it has ended, or be a moment behind.
 */
public final class Pauses {
    /** Longer than any wait for a core among threads that share it fairly. */
    public static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private long longest;
    private long count;
    private long total;

    /** Nothing happened between these two moments; only what of it lies in the window counts. */
    void note(long from, long to, Window window) {
        long pause = Math.min(to, window.end()) - Math.max(from, window.begin());
        if (pause > longest) {
            longest = pause;
        }
        if (pause >= LONG_NANOS) {
            count++;
            total += pause;
        }
    }

    /** As a worker reports them. */
    public JsonObject json() {
        JsonObject json = new JsonObject();
        json.put("longestNanos", longest);
        json.put("count", count);
        json.put("totalNanos", total);
        return json;
    }
}
