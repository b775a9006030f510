package dev.msgrelay.loadgen.run;

import dev.msgrelay.loadgen.site.SiteProcess;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** A process that has said something; it is gone, or nothing but force ends it. */
final class FakeProcess implements SiteProcess {
    private final String said;
    private volatile boolean alive;
    private volatile boolean killed;

    FakeProcess(String said, boolean gone) {
        this.said = said;
        this.alive = !gone;
    }

    boolean isKilled() {
        return killed;
    }

    @Override
    public long pid() {
        return -1;
    }

    @Override
    public InputStream stdout() {
        return new ByteArrayInputStream(said.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public InputStream stderr() {
        return InputStream.nullInputStream();
    }

    @Override
    public OutputStream stdin() {
        return OutputStream.nullOutputStream();
    }

    @Override
    public boolean isAlive() {
        return alive;
    }

    @Override
    public int exitCode() {
        return 0;
    }

    /** As if the time had passed. */
    @Override
    public boolean awaitExit(long millis) {
        return !alive;
    }

    @Override
    public void terminate() {}

    @Override
    public void kill() {
        killed = true;
        alive = false;
    }

    @Override
    public long cpuNanos() {
        return -1;
    }

    @Override
    public long peakResidentBytes() {
        return -1;
    }
}
