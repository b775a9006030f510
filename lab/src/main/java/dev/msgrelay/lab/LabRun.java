package dev.msgrelay.lab;

import dev.msgrelay.lab.Contestant.Go;
import dev.msgrelay.lab.Experiment.Settings;
import dev.msgrelay.lab.LabResult.ExperimentResult;
import dev.msgrelay.lab.TableResult.Row;
import dev.msgrelay.loadgen.host.Machine;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The lab's loop: experiments in order, in each table every contestant in turn. The command's thread owns it. */
final class LabRun {
    private final Settings settings;
    private final Consumer<String> progress;
    private final BooleanSupplier stopping;
    private final List<ExperimentResult> results = new ArrayList<>();
    private boolean interrupted;

    /**
     * @param stopping whether the process was asked to end: failures behind that are the signal's
     */
    LabRun(Settings settings, Consumer<String> progress, BooleanSupplier stopping) {
        this.settings = settings;
        this.progress = progress;
        this.stopping = stopping;
    }

    /**
     * Names what is missing before anything starts.
     *
     * @throws IOException naming it, with the number needed
     */
    void check(List<Experiment> experiments) throws IOException {
        List<String> missing = experiments.stream()
                .flatMap(experiment -> experiment.needs().shortfalls(settings.directory()).stream()
                        .map(shortfall -> experiment.name() + ": " + shortfall))
                .toList();
        if (!missing.isEmpty()) {
            throw new IOException(String.join("; ", missing));
        }
    }

    /**
     * Runs one more experiment. When the thread is interrupted the result is what there is by then, and says so.
     *
     * @return all that this object has run so far
     */
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
        return new LabResult(Machine.here(), settings.quick(), settings.rounds(), results, interrupted);
    }

    /** Round 0 is the warm-up. A, B, C is followed by C, B, A: a drift of the machine meets all alike. */
    private void measure(String title, LabTable table, Path scratch, List<TableResult> tables)
            throws InterruptedException {
        List<Goes> rows = table.contestants().stream().map(Goes::new).toList();
        try {
            for (int round = 0; round <= settings.rounds(); round++) {
                List<Goes> order = new ArrayList<>(rows);
                if (round > 0 && round % 2 == 0) {
                    Collections.reverse(order);
                }
                String where = round == 0 ? "warm-up" : "round " + round + " of " + settings.rounds();
                for (Goes row : order) {
                    if (row.failure == null) {
                        progress.accept(title + ", " + where + ", " + row.contestant.label());
                        go(row, new Go(scratch, round));
                    }
                }
            }
        } finally {
            tables.add(new TableResult(table, rows.stream().map(Goes::row).toList()));
        }
    }

    /** The goes of a contestant. One failure is enough: no figure of such a contestant is told. */
    private static final class Goes {
        private final Contestant contestant;
        private final List<Measurement> measured = new ArrayList<>();
        private String failure;

        Goes(Contestant contestant) {
            this.contestant = contestant;
        }

        Row row() {
            return new Row(contestant.name(), contestant.setting(), failure == null ? measured : List.of(), failure);
        }
    }

    private void go(Goes row, Go go) throws InterruptedException {
        try {
            Measurement measurement = row.contestant.work().go(go);
            if (!go.isWarmUp()) {
                row.measured.add(measurement);
            }
        } catch (ClosedByInterruptException e) {
            Thread.interrupted();
            throw new InterruptedException();
        } catch (WrongResultException | IOException | RuntimeException e) {
            if (stopping.getAsBoolean()) {
                throw new InterruptedException();
            }
            boolean told = e.getMessage() != null && !(e instanceof RuntimeException);
            row.failure = told ? e.getMessage() : e.toString();
        }
    }

    /** A directory for an experiment's files. */
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
