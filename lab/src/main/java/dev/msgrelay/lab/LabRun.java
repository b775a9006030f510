package dev.msgrelay.lab;

import dev.msgrelay.lab.Contestant.Go;
import dev.msgrelay.lab.TableResult.Row;
import dev.msgrelay.loadgen.experiment.Cell;
import dev.msgrelay.loadgen.experiment.Experiment.Until;
import dev.msgrelay.loadgen.experiment.Keeper;
import dev.msgrelay.loadgen.experiment.Listener;
import dev.msgrelay.loadgen.experiment.Meter;
import dev.msgrelay.loadgen.experiment.Run;
import dev.msgrelay.loadgen.host.Machine;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunObserver;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Runs experiments one after the other, each of its tables as cells of one engine. The command's thread owns it. */
final class LabRun {
    private final LabOptions options;
    private final Meter meter;
    private final Listener listener;
    private final List<LabResult.ExperimentResult> results = new ArrayList<>();

    LabRun(LabOptions options, Meter meter, Listener listener) {
        this.options = options;
        this.meter = meter;
        this.listener = listener;
    }

    /**
     * Says what is missing before anything starts.
     *
     * @throws IOException naming it, with the number needed
     */
    void check(List<Experiment> experiments) throws IOException {
        Needs.Room room = Needs.Room.here(options.directory());
        List<String> missing = new ArrayList<>();
        for (Experiment experiment : experiments) {
            for (String shortfall : experiment.needs().shortfalls(room)) {
                missing.add(experiment.name() + ": " + shortfall);
            }
        }
        if (!missing.isEmpty()) {
            throw new IOException(String.join("; ", missing));
        }
    }

    LabResult run(Experiment experiment) {
        return run(experiment, experiment.name());
    }

    /**
     * Runs one more experiment. When the thread is interrupted the result is what there is by then, and says so.
     *
     * @param which of several, for people: "2/6 readers"
     * @return all that this object has run so far
     */
    LabResult run(Experiment experiment, String which) {
        boolean interrupted = false;
        List<TableResult> tables = new ArrayList<>();
        List<String> remarks = new ArrayList<>();
        String failure = null;
        try {
            run(experiment, which, tables, remarks);
        } catch (InterruptedException e) {
            interrupted = true;
        } catch (IOException e) {
            failure = e.getMessage();
        } finally {
            experiment.end();
        }
        results.add(new LabResult.ExperimentResult(
                experiment.name(), experiment.question(), experiment.article(), tables, remarks, failure));
        return new LabResult(Machine.here(), options.quick(), options.rounds(), results, interrupted);
    }

    private void run(Experiment experiment, String which, List<TableResult> tables, List<String> remarks)
            throws IOException, InterruptedException {
        List<LabTable> wanted = experiment.tables();
        remarks.addAll(experiment.needs().remarks(Needs.Room.here(options.directory())));
        remarks.addAll(experiment.remarks());
        Path scratch = scratch();
        try {
            for (LabTable table : wanted) {
                Rounds rounds = new Rounds(which, table, scratch);
                try {
                    rounds.run();
                } finally {
                    tables.add(rounds.result());
                }
            }
        } finally {
            remove(scratch);
        }
    }

    /** A directory for an experiment's files. */
    private Path scratch() throws IOException {
        try {
            return Files.createTempDirectory(options.directory(), "relay-lab-");
        } catch (IOException e) {
            throw new IOException("cannot make a directory in " + options.directory() + ": " + e.getMessage(), e);
        }
    }

    /** What is within comes before what it is in. */
    private static void remove(Path directory) throws IOException {
        List<Path> all;
        try (Stream<Path> walk = Files.walk(directory)) {
            all = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path one : all) {
            Files.deleteIfExists(one);
        }
    }

    /**
     * One table: every contestant once to warm up, then all of them in turn: what the machine does to one it
     * does to all. One failure is enough: no time is told of such a
     * contestant.
     */
    private final class Rounds {
        private final String title;
        private final LabTable table;
        private final List<GoCell> cells;
        private final dev.msgrelay.loadgen.experiment.Experiment<Measurement> engine =
                new dev.msgrelay.loadgen.experiment.Experiment<>(meter, listener, Keeper.nothing(listener), 1);

        Rounds(String which, LabTable table, Path scratch) {
            this.title = which + ": " + table.id();
            this.table = table;
            cells = table.contestants().stream()
                    .map(contestant -> new GoCell(contestant, scratch))
                    .toList();
        }

        void run() throws InterruptedException {
            for (GoCell cell : cells) {
                engine.measure(title + ", warm-up, ", cell, 0);
            }
            engine.expect(cells, options.rounds());
            engine.rounds(title, cells, Until.rounds(options.rounds()));
        }

        /** What there is so far. */
        TableResult result() {
            return new TableResult(table, cells.stream().map(this::row).toList());
        }

        private Row row(GoCell cell) {
            List<Run<Measurement>> runs =
                    engine.runs().stream().filter(run -> run.cell() == cell).toList();
            String failure = runs.stream()
                    .flatMap(run -> run.failures().stream())
                    .findFirst()
                    .orElse(null);
            List<Run<Measurement>> goes = runs.stream()
                    .filter(run -> run.round() > 0 && failure == null)
                    .toList();
            return new Row(cell.contestant.name(), cell.contestant.setting(), goes, failure);
        }
    }

    /** A contestant as a cell of the engine: its first go is the warm-up. */
    private static final class GoCell implements Cell<Measurement> {
        private final Contestant contestant;
        private final Path scratch;
        private int round;
        private Duration longest = Duration.ZERO;

        GoCell(Contestant contestant, Path scratch) {
            this.contestant = contestant;
            this.scratch = scratch;
        }

        @Override
        public String name() {
            return contestant.label();
        }

        @Override
        public Duration estimate() {
            return longest;
        }

        @Override
        public Measurement measure(RunObserver observer) throws RunException, InterruptedException {
            long start = System.nanoTime();
            Go go = new Go(scratch, round++);
            try {
                return (go.round() == 0 ? contestant.warmUp() : contestant.work()).go(go);
            } catch (ClosedByInterruptException e) {
                Thread.interrupted();
                throw new InterruptedException();
            } catch (WrongResultException | IOException e) {
                throw new RunException(e.getMessage() == null ? e.toString() : e.getMessage());
            } catch (RuntimeException e) {
                throw new RunException(e.toString());
            } finally {
                longest = Duration.ofNanos(System.nanoTime() - start);
            }
        }
    }
}
