package dev.msgrelay.testing.scripted;

import dev.msgrelay.testing.Directories;
import dev.msgrelay.testing.scripted.Case.Step;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Plays a case, once: the relay's part, and the part of the client's user if there is a driver. */
final class CaseRun implements AutoCloseable {
    private static final ScheduledExecutorService WATCH = Executors.newSingleThreadScheduledExecutor(run -> {
        Thread thread = new Thread(run, "deadlines of cases");
        thread.setDaemon(true);
        return thread;
    });

    /** Verbs that wait for a connection, which does not come from a client that has given up. */
    private static final Set<String> ACCEPTS = Set.of("accept", "accept-after");

    private final Case played;
    private final Driver driver;
    private final Duration patience;
    private final Path directory;
    private final Variables variables = new Variables();
    private final RelayPart relay;
    private final UserPart user;

    /**
     * @param driver null: the relay's part alone
     * @param patience limit on each step
     */
    CaseRun(Case played, Driver driver, Duration patience) throws IOException {
        this.played = played;
        this.driver = driver;
        this.patience = patience;
        this.variables.put("congestion", Congestion.here().other());
        this.directory = Directories.forSockets("relay-case");
        this.relay = new RelayPart(played, variables, directory);
        this.user = driver == null ? null : new UserPart(driver, relay, variables, directory, patience);
    }

    /** The addresses of the case's relays, by their names. */
    Map<String, String> endpoints() {
        return relay.endpoints();
    }

    /** @throws AssertionError the client did something else */
    void play(Long loopValue) throws Exception {
        if (loopValue != null) {
            variables.put(played.loop().variable(), loopValue);
        }
        for (Step step : played.steps()) {
            AtomicLong late = new AtomicLong();
            ScheduledFuture<?> watch = WATCH.schedule(
                    () -> {
                        late.set(1);
                        relay.abort();
                    },
                    patience.toMillis(),
                    TimeUnit.MILLISECONDS);
            if (driver != null && ACCEPTS.contains(step.verb())) {
                driver.onError(relay::abort);
            }
            try {
                play(step);
                if (late.get() == 1) {
                    // What the client does as the relay goes away is no answer to this step.
                    throw new AssertionError("late");
                }
            } catch (AssertionError | Exception e) {
                String why = late.get() == 1 ? "not within " + patience.toMillis() + " ms" : reason(e);
                String loop = loopValue == null ? "" : ", " + played.loop().variable() + " = " + loopValue;
                String sent = relay.lastFrames();
                String said =
                        driver == null ? "" : "\n  the client's last events in this case:\n    " + driver.lastWords();
                throw new AssertionError(
                        step + loop + ": " + why + "\n  " + played.file() + ":" + step.line()
                                + (sent.isEmpty() ? "" : "\n  its last frames in this case:\n    " + sent) + said,
                        e);
            } finally {
                watch.cancel(false);
                if (driver != null) {
                    driver.onError(null);
                }
            }
        }
        if (user != null) {
            user.closeClient();
        }
    }

    @Override
    public void close() throws IOException {
        relay.abort();
        try (var files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
        }
        Files.deleteIfExists(directory);
    }

    private String reason(Throwable e) {
        String error = driver == null ? null : driver.error();
        if (e instanceof AssertionError) {
            return e.getMessage();
        }
        return error == null ? e.toString() : "the client reported " + error;
    }

    private void play(Step step) throws Exception {
        List<String> words = step.words().stream().map(variables::filled).toList();
        if (relay.play(step.verb(), words)) {
            return;
        }
        if (!UserPart.VERBS.contains(step.verb())) {
            throw new IllegalArgumentException("no step has the verb " + step.verb());
        }
        if (user != null) {
            user.play(step.verb(), words);
        }
    }
}
