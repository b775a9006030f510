package dev.msgrelay.server.harness;

import dev.msgrelay.protocol.Epochs;
import dev.msgrelay.server.connection.Durability;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.StreamHead;
import java.util.Map;

/** A journal that has got as far as a test says. */
public final class FakeDurability implements Durability {
    private final Map<Long, Long> forks;
    private final StreamHead written = new StreamHead();
    private final StreamHead forced = new StreamHead();
    private long wantedWritten;
    private long wantedForced;
    private Epochs epochs = Epochs.NONE;
    private boolean failed;
    private Runnable listener = () -> {};

    /** @param forks of earlier epochs, and {@link #TODAY} of the present one */
    public FakeDurability(Map<Long, Long> forks) {
        this.forks = forks;
        written.set(0, 1);
        forced.set(0, 1);
    }

    public void written(Mark upTo) {
        written.set(upTo.position(), upTo.sequence());
        listener.run();
    }

    /** All before this place is forced, and written. */
    public void forced(Mark upTo) {
        if (written.position() < upTo.position()) {
            written.set(upTo.position(), upTo.sequence());
        }
        forced.set(upTo.position(), upTo.sequence());
        listener.run();
    }

    public void epochs(Epochs told) {
        epochs = told;
    }

    public void fail() {
        failed = true;
        listener.run();
    }

    /** The farthest position that somebody waits to be written. */
    public long wantedWritten() {
        return wantedWritten;
    }

    /** The farthest position that somebody waits to be forced. */
    public long wantedForced() {
        return wantedForced;
    }

    @Override
    public long forkOf(long epoch) {
        return forks.getOrDefault(epoch, UNKNOWN);
    }

    @Override
    public Life life() {
        long today = forks.keySet().stream()
                .filter(epoch -> forks.get(epoch) == TODAY)
                .findAny()
                .orElseThrow();
        return new Life(today, epochs);
    }

    @Override
    public boolean keepsStream() {
        return true;
    }

    @Override
    public StreamHead written() {
        return written;
    }

    @Override
    public StreamHead forced() {
        return forced;
    }

    @Override
    public boolean failed() {
        return failed;
    }

    @Override
    public void wantWritten(long position) {
        wantedWritten = Math.max(wantedWritten, position);
    }

    @Override
    public void wantForced(long position) {
        wantedForced = Math.max(wantedForced, position);
    }

    @Override
    public void onMoved(Runnable whom) {
        listener = whom;
    }
}
