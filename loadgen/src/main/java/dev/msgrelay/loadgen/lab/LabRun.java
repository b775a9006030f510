package dev.msgrelay.loadgen.lab;

import dev.msgrelay.loadgen.measure.Machine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Runs experiments one after the other. The command's thread owns it. */
public final class LabRun {
    private final LabOptions options;
    private final HopMeter hops;
    private final LabObserver observer;
    private final List<ExperimentResult> results = new ArrayList<>();

    public LabRun(LabOptions options, HopMeter hops, LabObserver observer) {
        this.options = options;
        this.hops = hops;
        this.observer = observer;
    }

    /**
     * Says what is missing before anything starts.
     *
     * @throws IOException naming it, with the number needed
     */
    public void check(List<Experiment> experiments) throws IOException {
        Room room = Room.here(options.directory());
        List<String> missing = new ArrayList<>();
        for (Experiment experiment : experiments) {
            for (String shortfall : experiment.needs(options).shortfalls(room)) {
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
     * @param number from 1, of so many: for the progress
     * @return all that this object has run so far
     */
    public LabResult run(Experiment experiment, int number, int of) {
        boolean interrupted = false;
        observer.experiment(experiment, number, of);
        try {
            run(experiment);
        } catch (InterruptedException e) {
            interrupted = true;
        }
        return new LabResult(Machine.here(), options, results, interrupted);
    }

    /** Whatever becomes of it, there is a result; the experiments behind it run in any case. */
    private void run(Experiment experiment) throws InterruptedException {
        List<TableResult> tables = new ArrayList<>();
        List<String> remarks = new ArrayList<>();
        String failure = null;
        try {
            run(experiment, tables, remarks);
        } catch (IOException e) {
            failure = e.getMessage();
        } finally {
            experiment.end();
            results.add(new ExperimentResult(
                    experiment.name(), experiment.question(), experiment.article(), tables, remarks, failure));
        }
    }

    private void run(Experiment experiment, List<TableResult> tables, List<String> remarks)
            throws IOException, InterruptedException {
        List<LabTable> wanted = experiment.tables(options);
        remarks.addAll(experiment.needs(options).remarks(Room.here(options.directory())));
        remarks.addAll(experiment.remarks());
        try (ScratchDirectory scratch = ScratchDirectory.in(options.directory())) {
            for (int i = 0; i < wanted.size(); i++) {
                LabTable table = wanted.get(i);
                observer.table(table, i + 1, wanted.size(), table.contestants().size() * (options.rounds() + 1));
                Rounds rounds = new Rounds(table, options.rounds(), scratch.path(), hops, observer);
                try {
                    rounds.run();
                } finally {
                    tables.add(rounds.result());
                }
            }
        }
    }
}
