package dev.msgrelay.loadgen.ssh;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A process of a second host, at the end of an ssh of its own: its streams and its exit code are that ssh's. What ssh
 * cannot do, signals and figures, is asked of the host by {@link HostTalk}.
 */
public final class SshProcess extends Process {
    /** A worker's result with the histograms of some hundred subscribers has a few megabytes. */
    private static final int MAX_LINE = 32 << 20;

    /** What a user's shell may say before it starts a command. */
    private static final int MAX_GREETING = 64 << 10;

    private static final int MAX_LAST_WORDS = 8 << 10;
    private static final long START_SECONDS = 20;
    private static final long END_SECONDS = 2;
    private static final String PID = SshHost.MARK + "pid ";

    private final Ssh ssh;
    private final Process process;
    private final InputStream stdout;
    private final Limited said;
    private final InputStream stderr;
    private long pidThere;
    private volatile HostTalk talk;
    private volatile String flooded = "";

    SshProcess(Ssh ssh, Process process) {
        this.ssh = ssh;
        this.process = process;
        this.stdout = new Limited(process.getInputStream());
        this.said = new Limited(process.getErrorStream());
        this.stderr = new SequenceInputStream(said, new LastWords());
    }

    /**
     * Waits until it has told its process id there.
     *
     * @throws IOException in one line that names the host; nothing is left of the process
     */
    void awaitStarted() throws IOException {
        CompletableFuture<Long> pid = new CompletableFuture<>();
        Thread reader = new Thread(() -> readPid(pid), "ssh-start");
        reader.setDaemon(true);
        reader.start();
        try {
            pidThere = pid.get(START_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            process.destroyForcibly();
            throw new IOException(e.getCause().getMessage(), e);
        } catch (TimeoutException e) {
            process.destroyForcibly();
            throw new IOException(ssh.host() + ": nothing was started within " + START_SECONDS + " s", e);
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private void readPid(CompletableFuture<Long> pid) {
        try {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            for (int read = 0; read < MAX_GREETING; read++) {
                int one = stdout.read();
                if (one < 0) {
                    throw failure();
                }
                if (one != '\n') {
                    line.write(one);
                    continue;
                }
                String text = line.toString(StandardCharsets.UTF_8);
                line.reset();
                if (text.startsWith(PID)) {
                    pid.complete(Long.parseLong(text.substring(PID.length()).trim()));
                    return;
                }
            }
            throw new IOException(
                    ssh.host() + ": its shell said more than " + MAX_GREETING + " bytes and no process id");
        } catch (IOException | NumberFormatException e) {
            pid.completeExceptionally(e);
        }
    }

    /** Why it is gone, for one line of a message: what it, or ssh, said at last. */
    IOException failure() throws IOException {
        try {
            String said = new String(stderr.readNBytes(MAX_LAST_WORDS), StandardCharsets.UTF_8);
            boolean ended = process.waitFor(END_SECONDS, TimeUnit.SECONDS);
            return ssh.failure(ended ? process.exitValue() : 0, said);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new IOException("interrupted", e);
        }
    }

    /** Has the host look after it: it is killed there when the talk ends. */
    void entrustTo(HostTalk host) {
        talk = host;
        host.tell("watch " + pidThere);
    }

    long pidThere() {
        return pidThere;
    }

    /** None here. */
    @Override
    public long pid() {
        return -1;
    }

    @Override
    public InputStream getInputStream() {
        return stdout;
    }

    @Override
    public InputStream getErrorStream() {
        return stderr;
    }

    @Override
    public OutputStream getOutputStream() {
        return process.getOutputStream();
    }

    @Override
    public int exitValue() {
        return process.exitValue();
    }

    @Override
    public int waitFor() throws InterruptedException {
        return process.waitFor();
    }

    @Override
    public boolean waitFor(long time, TimeUnit unit) throws InterruptedException {
        return process.waitFor(time, unit);
    }

    /** Asks it there to end (SIGTERM). */
    @Override
    public void destroy() {
        tell("term ");
    }

    /** Ends it there and the ssh here, and waits for neither. */
    @Override
    public Process destroyForcibly() {
        tell("kill ");
        // Its own would close its streams as well, and its last words would be lost.
        process.toHandle().destroyForcibly();
        return this;
    }

    private void tell(String signal) {
        if (talk != null && process.isAlive()) {
            talk.tell(signal + pidThere);
        }
    }

    /** What is read, as long as no line is longer than anyone may want to keep. One thread reads. */
    private final class Limited extends FilterInputStream {
        private int length;
        private boolean silent = true;

        Limited(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] bytes, int offset, int count) throws IOException {
            int read = in.read(bytes, offset, count);
            silent &= read <= 0;
            for (int i = 0; i < read; i++) {
                length = bytes[offset + i] == '\n' ? 0 : length + 1;
                if (length > MAX_LINE) {
                    flooded = "ended here: it said a line of more than " + (MAX_LINE >> 20) + " MiB\n";
                    destroyForcibly();
                    return -1;
                }
            }
            return read;
        }
    }

    /** What is to be said where nobody else says it; one line, or nothing. */
    private String lastWords() {
        if (!flooded.isEmpty()) {
            return flooded;
        }
        try {
            boolean broken = process.waitFor(END_SECONDS, TimeUnit.SECONDS) && process.exitValue() == Ssh.FAILED;
            return broken && said.silent
                    ? "the connection to " + ssh.host() + " broke, or the process was killed there\n"
                    : "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    /** Behind its stderr: why it was ended, if that was done here, or if ssh ended without a word. */
    private final class LastWords extends InputStream {
        private InputStream words;

        @Override
        public int read() throws IOException {
            if (words == null) {
                words = new ByteArrayInputStream(lastWords().getBytes(StandardCharsets.UTF_8));
            }
            return words.read();
        }
    }
}
