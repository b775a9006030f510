package dev.msgrelay.loadgen.run;

import dev.msgrelay.loadgen.site.SiteProcess;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;

/** A process that has said something; it is gone, or on a host that hangs, where nothing ends it. */
final class FakeProcess implements SiteProcess {
    private final String said;
    private final CountDownLatch gone;
    private volatile boolean killed;
    private volatile boolean awaited;

    FakeProcess(String said, boolean gone) {
        this.said = said;
        this.gone = new CountDownLatch(gone ? 0 : 1);
    }

    boolean isKilled() {
        return killed;
    }

    /** Whether anybody waited for its end. */
    boolean isAwaited() {
        return awaited;
    }

    @Override
    public long pid() {
        return -1;
    }

    /** Its end is that of the process. */
    @Override
    public InputStream stdout() {
        return new SequenceInputStream(
                new ByteArrayInputStream(said.getBytes(StandardCharsets.UTF_8)), new InputStream() {
                    @Override
                    public int read() throws IOException {
                        try {
                            gone.await();
                            return -1;
                        } catch (InterruptedException e) {
                            throw new InterruptedIOException();
                        }
                    }
                });
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
        return gone.getCount() > 0;
    }

    @Override
    public int exitCode() {
        return 0;
    }

    /** As if the time had passed. */
    @Override
    public boolean awaitExit(long millis) {
        awaited = true;
        return !isAlive();
    }

    @Override
    public void terminate() {}

    @Override
    public void kill() {
        killed = true;
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
