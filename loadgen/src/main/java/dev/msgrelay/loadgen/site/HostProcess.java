package dev.msgrelay.loadgen.site;

import dev.msgrelay.loadgen.measure.ProcessFigures;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.TimeUnit;

/** A process of this host. */
record HostProcess(Process process) implements SiteProcess {
    @Override
    public long pid() {
        return process.pid();
    }

    @Override
    public InputStream stdout() {
        return process.getInputStream();
    }

    @Override
    public InputStream stderr() {
        return process.getErrorStream();
    }

    @Override
    public OutputStream stdin() {
        return process.getOutputStream();
    }

    @Override
    public boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public int exitCode() {
        return process.exitValue();
    }

    @Override
    public boolean awaitExit(long millis) throws InterruptedException {
        return process.waitFor(millis, TimeUnit.MILLISECONDS);
    }

    @Override
    public void terminate() {
        // Process.destroy would close its streams as well, and its last words would be lost.
        process.toHandle().destroy();
    }

    @Override
    public void kill() {
        process.destroyForcibly();
    }

    @Override
    public long cpuNanos() {
        return ProcessFigures.cpuNanos(process.pid());
    }

    @Override
    public long peakResidentBytes() {
        return ProcessFigures.peakResidentBytes(process.pid());
    }
}
