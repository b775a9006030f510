package dev.msgrelay.client.cli;

import dev.msgrelay.client.MessageHandler;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Runs a shell's command for each message, one after the other: the body on its standard input, the sequence and the
 * type in its environment. The message is never a part of the shell's text, since a publisher chooses it. The thread
 * that polls calls {@link #onMessage}; any thread stops it.
 */
final class MessageCommand implements MessageHandler {
    /** A command has failed, or was stopped; the message says which. */
    static final class EndedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        EndedException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** The shell's code of a command that it finds but may not run, and of one that it does not find. */
    private static final int NOT_RUN = 126;

    private static final int NOT_FOUND = 127;

    /** A shell tells a signal by a code above this one. */
    private static final int SIGNAL = 128;

    private static final int SIGINT = 2;

    /** Ctrl-C ends the command and this process; within this time the process has heard of it. */
    private static final long CTRL_C_MILLIS = 1_000;

    private static final long FIRST_WAIT_MILLIS = 100;
    private static final long LONGEST_WAIT_MILLIS = 10_000;

    /** Bytes of a body that are written at once. */
    private static final int PIECE = 8 << 10;

    private final String text;
    private final int retries;
    private final byte[] piece = new byte[PIECE];
    private final CountDownLatch stopped = new CountDownLatch(1);
    private Process present; // guarded by this object's lock

    /**
     * @param text text for the shell
     * @param retries number of times that a command which has failed is tried again
     */
    MessageCommand(String text, int retries) {
        this.text = text;
        this.retries = retries;
    }

    /** @throws EndedException the command has failed at this message, as often as it is tried; or {@link #stop} */
    @Override
    public void onMessage(long sequence, int type, ByteBuffer body) {
        try {
            int code = run(sequence, type, body);
            long wait = FIRST_WAIT_MILLIS;
            for (int left = retries; code != 0 && left > 0; left--) {
                if (stopped.await(wait, TimeUnit.MILLISECONDS)) {
                    throw new EndedException("stopped", null);
                }
                wait = Math.min(2 * wait, LONGEST_WAIT_MILLIS);
                code = run(sequence, type, body);
            }
            if (code != 0) {
                throw new EndedException(fault(code) + (sequence == 0 ? "" : " at message " + sequence), null);
            }
        } catch (InterruptedException e) {
            stop();
            Thread.currentThread().interrupt();
            throw new EndedException("interrupted", e);
        }
    }

    private int run(long sequence, int type, ByteBuffer body) throws InterruptedException {
        ProcessBuilder command = new ProcessBuilder("sh", "-c", text)
                .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        Map<String, String> environment = command.environment();
        environment.put("RELAY_SEQUENCE", Long.toString(sequence));
        environment.put("RELAY_TYPE", Integer.toString(type));
        Process process = start(command);
        try (OutputStream stdin = process.getOutputStream()) {
            for (int at = body.position(); at < body.limit(); at += piece.length) {
                int bytes = Math.min(piece.length, body.limit() - at);
                body.get(at, piece, 0, bytes);
                stdin.write(piece, 0, bytes);
            }
        } catch (IOException e) {
            // The command has not read all of it, which is its own affair.
        }
        int code = process.waitFor();
        boolean interrupted = code == SIGNAL + SIGINT && stopped.await(CTRL_C_MILLIS, TimeUnit.MILLISECONDS);
        if (interrupted || stopped.getCount() == 0) {
            throw new EndedException("stopped", null);
        }
        return code;
    }

    private synchronized Process start(ProcessBuilder command) {
        if (stopped.getCount() == 0) {
            throw new EndedException("stopped", null);
        }
        try {
            present = command.start();
            return present;
        } catch (IOException e) {
            throw new EndedException("--exec: cannot run sh: " + e.getMessage(), e);
        }
    }

    /** Ends the command that is running, and runs no further one. */
    synchronized void stop() {
        stopped.countDown();
        if (present != null) {
            present.descendants().forEach(ProcessHandle::destroy);
            present.destroy();
        }
    }

    private static String fault(int code) {
        String why =
                switch (code) {
                    case NOT_FOUND -> ": the shell does not find it";
                    case NOT_RUN -> ": the shell may not run it";
                    default -> "";
                };
        return "--exec: the command "
                + (code > SIGNAL ? "was ended by signal " + (code - SIGNAL) : "ended with code " + code + why);
    }
}
