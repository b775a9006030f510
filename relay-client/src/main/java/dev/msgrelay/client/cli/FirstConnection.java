package dev.msgrelay.client.cli;

import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.protocol.cli.ExitCodes;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The first connection of a command. A connection that is lost later is made again; one that was never made, perhaps
 * because of a wrong port, ends the command once each endpoint has failed, unless --reconnect says otherwise. The
 * thread that owns the connection calls {@link #event}; any thread asks for the outcome.
 */
final class FirstConnection {
    private final int endpoints;
    private final boolean patient;
    private final CompletableFuture<Void> made = new CompletableFuture<>();
    private int failed;

    /** @param patient whether the client's policy alone says how often it is tried */
    FirstConnection(int endpoints, boolean patient) {
        this.endpoints = endpoints;
        this.patient = patient;
    }

    /** Takes an event; returns whether it is worth telling. */
    boolean event(SessionEvent event) {
        if (event instanceof SessionEvent.Connected || event instanceof SessionEvent.ConnectedPlain) {
            made.complete(null);
        } else if (event instanceof SessionEvent.GaveUp gaveUp) {
            made.completeExceptionally(gaveUp.cause());
        } else if (event instanceof SessionEvent.Lost lost && !patient && !made.isDone() && ++failed >= endpoints) {
            made.completeExceptionally(lost.cause());
        }
        return !made.isCompletedExceptionally();
    }

    /** Whether there is none, and will be none. */
    boolean hasFailed() {
        return made.isCompletedExceptionally();
    }

    /**
     * Waits for the connection.
     *
     * @throws IOException it was not made, or not within {@code atMost}: then with the message {@code late}
     */
    void await(Duration atMost, String late) throws IOException, InterruptedException {
        try {
            made.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new CodedException(ExitCodes.MISSED, late);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getCause());
        }
    }
}
