package dev.msgrelay.lab;

import dev.msgrelay.lab.Contestant.Go;
import dev.msgrelay.lab.Contestant.Work;
import dev.msgrelay.lab.TableResult.Round;
import dev.msgrelay.lab.TableResult.Row;
import dev.msgrelay.loadgen.measure.Machine;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Runs experiments one after the other. The command's thread owns it. */
final class LabRun {
    private static final long SIGNAL_MILLIS = 100;

    private final LabOptions options;
    private final HopMeter hops;
    private final LabProgress progress;
    private final List<LabResult.ExperimentResult> results = new ArrayList<>();

    /** How long a cache line takes from core to core: {@link dev.msgrelay.loadgen.measure.CoreHop}, or a test's. */
    @FunctionalInterface
    interface HopMeter {
        double measureNanos() throws InterruptedException;
    }

    LabRun(LabOptions options, HopMeter hops, LabProgress progress) {
        this.options = options;
        this.hops = hops;
        this.progress = progress;
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

    /**
     * Runs one more experiment. When the thread is interrupted the result is what there is by then, and says so.
     *
     * @return all that this object has run so far
     */
    LabResult run(Experiment experiment) {
        boolean interrupted = false;
        progress.experiment();
        List<TableResult> tables = new ArrayList<>();
        List<String> remarks = new ArrayList<>();
        String failure = null;
        try {
            run(experiment, tables, remarks);
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

    private void run(Experiment experiment, List<TableResult> tables, List<String> remarks)
            throws IOException, InterruptedException {
        List<LabTable> wanted = experiment.tables();
        remarks.addAll(experiment.needs().remarks(Needs.Room.here(options.directory())));
        remarks.addAll(experiment.remarks());
        Path scratch = scratch();
        try {
            for (LabTable table : wanted) {
                progress.table(table.contestants().size() * (options.rounds() + 1));
                Rounds rounds = new Rounds(experiment.name(), table, scratch);
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
     * One table: every contestant once to warm up, then all of them in turn, A B C A B C, so that a machine that drifts
     * hurts all alike, with the core-to-core hop between the rounds. A round during which the machine changed is measured
     * again, at most as many as were asked for.
     */
    private final class Rounds {
        private final String experiment;
        private final LabTable table;
        private final Path scratch;
        private final List<List<Measurement>> measured = new ArrayList<>();
        private final String[] failures;
        private final List<Round> rounds = new ArrayList<>();

        Rounds(String experiment, LabTable table, Path scratch) {
            this.experiment = experiment;
            this.table = table;
            this.scratch = scratch;
            failures = new String[table.contestants().size()];
            table.contestants().forEach(contestant -> measured.add(new ArrayList<>()));
        }

        void run() throws InterruptedException {
            for (int i = 0; i < failures.length; i++) {
                go(i, "warm-up", 0);
            }
            int wanted = options.rounds();
            int steady = 0;
            double before = hops.measureNanos();
            for (int round = 1; steady < wanted && round <= 2 * wanted; round++) {
                rounds.add(new Round(before, Double.NaN));
                for (int i = 0; i < failures.length; i++) {
                    if (failures[i] == null) {
                        go(i, "round " + round + "/" + Math.max(round, wanted), round);
                    }
                }
                Round complete = new Round(before, hops.measureNanos());
                rounds.set(round - 1, complete);
                before = complete.hopAfter();
                steady += complete.isSteady() ? 1 : 0;
            }
        }

        /** One failure is enough: no time is told of such a contestant. */
        private void go(int index, String when, int round) throws InterruptedException {
            Contestant contestant = table.contestants().get(index);
            progress.go(experiment, table.id(), when, contestant.label());
            Work work = round == 0 ? contestant.warmUp() : contestant.work();
            try {
                Measurement measurement = work.go(new Go(scratch, round));
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                if (round > 0) {
                    measured.get(index).add(measurement);
                }
            } catch (ClosedByInterruptException e) {
                Thread.interrupted();
                throw new InterruptedException();
            } catch (WrongResultException | IOException | RuntimeException e) {
                // What is interrupted may fail in any way. And a signal from a terminal goes to child processes as
                // well:
                // we may hear of their end before we are interrupted ourselves. Then this sleep ends it.
                Thread.sleep(SIGNAL_MILLIS);
                boolean told = e.getMessage() != null && !(e instanceof RuntimeException);
                failures[index] = told ? e.getMessage() : e.toString();
                measured.get(index).clear();
            }
        }

        /** What there is so far. */
        TableResult result() {
            List<Row> rows = new ArrayList<>();
            for (int i = 0; i < failures.length; i++) {
                Contestant contestant = table.contestants().get(i);
                rows.add(new Row(contestant.name(), contestant.setting(), measured.get(i), failures[i]));
            }
            return new TableResult(table, rows, rounds);
        }
    }
}
