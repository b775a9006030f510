package dev.msgrelay.loadgen.rig;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A process that has said something; it is gone, or on a host that hangs, where nothing ends it. */
final class FakeProcess extends Process {
    private final String said;
    private final CountDownLatch gone;
    private volatile boolean killed;
    private volatile boolean awaited;

    FakeProcess(String said, boolean gone) {
        this.said = said;
        this.gone = new CountDownLatch(gone ? 0 : 1);
    }

    @Override
    public ProcessHandle toHandle() {
        return (ProcessHandle) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ProcessHandle.class}, (proxy, method, args) -> false);
    }

    boolean isKilled() {
        return killed;
    }

    boolean isAwaited() {
        return awaited;
    }

    @Override
    public long pid() {
        return -1;
    }

    /** Its end is that of the process. */
    @Override
    public InputStream getInputStream() {
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
    public InputStream getErrorStream() {
        return InputStream.nullInputStream();
    }

    @Override
    public OutputStream getOutputStream() {
        return OutputStream.nullOutputStream();
    }

    @Override
    public boolean isAlive() {
        return gone.getCount() > 0;
    }

    @Override
    public int exitValue() {
        return 0;
    }

    @Override
    public boolean waitFor(long time, TimeUnit unit) {
        awaited = true;
        return !isAlive();
    }

    @Override
    public int waitFor() throws InterruptedException {
        gone.await();
        return 0;
    }

    @Override
    public void destroy() {}

    @Override
    public Process destroyForcibly() {
        killed = true;
        return this;
    }
}
