package dev.msgrelay.lab;

import dev.msgrelay.lab.Contestant.Go;
import dev.msgrelay.lab.LabResult.ExperimentResult;
import dev.msgrelay.lab.TableResult.Row;
import dev.msgrelay.loadgen.host.Machine;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Runs the experiments in order. In each table, all contestants take turns. The command's thread owns it. */
final class LabRun {
    private final Experiment.Settings settings;
    private final Consumer<String> progress;
    private final BooleanSupplier stopping;
    private final List<ExperimentResult> results = new ArrayList<>();
    private boolean interrupted;

    /**
     * A failure that follows a signal is regarded as its consequence: {@code stopping} tells whether there was a
     * signal.
     */
    LabRun(Experiment.Settings settings, Consumer<String> progress, BooleanSupplier stopping) {
        this.settings = settings;
        this.progress = progress;
        this.stopping = stopping;
    }

    /** Checks disk space and open files before anything starts. The message of the exception has the amounts needed. */
    void check(List<Experiment> experiments) throws IOException {
        List<String> missing = experiments.stream()
                .flatMap(experiment -> experiment.needs().shortfalls(settings.directory()).stream()
                        .map(shortfall -> experiment.name() + ": " + shortfall))
                .toList();
        if (!missing.isEmpty()) {
            throw new IOException(String.join("; ", missing));
        }
    }

    /** Runs an experiment, and returns all results so far. After an interrupt the results are incomplete and marked. */
    LabResult run(Experiment experiment) {
        List<TableResult> tables = new ArrayList<>();
        String failure = null;
        try {
            Path scratch = scratch();
            try {
                for (LabTable table : experiment.tables().get()) {
                    measure(experiment.name() + ": " + table.id(), table, scratch, tables);
                }
            } finally {
                remove(scratch);
            }
        } catch (InterruptedException e) {
            interrupted = true;
        } catch (IOException e) {
            failure = e.getMessage();
        } finally {
            experiment.end().run();
        }
        List<String> remarks = experiment.needs().remarks(Runtime.getRuntime().availableProcessors());
        results.add(new ExperimentResult(experiment, tables, remarks, failure));
        return new LabResult(Machine.here(), settings.quick(), settings.rounds(), List.copyOf(results), interrupted);
    }

    /**
     * Measures a table. Round 0 is the warm-up. The order A, B, C alternates with C, B, A, so that a slow change of the
     * machine affects all contestants alike.
     */
    private void measure(String title, LabTable table, Path scratch, List<TableResult> tables)
            throws InterruptedException {
        List<Row> rows = new ArrayList<>();
        table.contestants().forEach(one -> rows.add(new Row(one.name(), one.setting(), List.of(), null)));
        try {
            for (int round = 0; round <= settings.rounds(); round++) {
                String where = round == 0 ? "warm-up" : "round " + round + " of " + settings.rounds();
                for (int turn = 0; turn < rows.size(); turn++) {
                    int i = round > 0 && round % 2 == 0 ? rows.size() - 1 - turn : turn;
                    Row row = rows.get(i);
                    if (!row.failed()) {
                        progress.accept(title + ", " + where + ", " + row.label());
                        rows.set(i, go(row, table.contestants().get(i), new Go(scratch, round)));
                    }
                }
            }
        } finally {
            tables.add(new TableResult(table, rows));
        }
    }

    /** Runs one go. After a single failure, a contestant has no figures. */
    private Row go(Row row, Contestant contestant, Go go) throws InterruptedException {
        try {
            Measurement measurement = contestant.work().go(go);
            return go.isWarmUp() ? row : row.and(measurement);
        } catch (ClosedByInterruptException e) {
            Thread.interrupted();
            throw new InterruptedException();
        } catch (WrongResultException | IOException | RuntimeException e) {
            if (stopping.getAsBoolean()) {
                throw new InterruptedException();
            }
            boolean told = e.getMessage() != null && !(e instanceof RuntimeException);
            return new Row(row.name(), row.setting(), List.of(), told ? e.getMessage() : e.toString());
        }
    }

    private Path scratch() throws IOException {
        try {
            return Files.createTempDirectory(settings.directory(), "relay-lab-");
        } catch (IOException e) {
            throw new IOException("cannot make a directory in " + settings.directory() + ": " + e.getMessage(), e);
        }
    }

    private static void remove(Path directory) throws IOException {
        try (Stream<Path> walk = Files.walk(directory)) {
            for (Path one : walk.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(one);
            }
        }
    }
}
