package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.lab.Experiment;
import dev.msgrelay.loadgen.lab.asyncfiles.AsyncFilesExperiment;
import dev.msgrelay.loadgen.lab.asyncfiles.AsyncFilesOptions;
import dev.msgrelay.loadgen.lab.batching.BatchingExperiment;
import dev.msgrelay.loadgen.lab.batching.BatchingOptions;
import dev.msgrelay.loadgen.lab.eventlog.EventLogExperiment;
import dev.msgrelay.loadgen.lab.eventlog.EventLogOptions;
import dev.msgrelay.loadgen.lab.files.FilesExperiment;
import dev.msgrelay.loadgen.lab.files.FilesOptions;
import dev.msgrelay.loadgen.lab.readers.ReaderOptions;
import dev.msgrelay.loadgen.lab.readers.ReadersExperiment;
import dev.msgrelay.loadgen.lab.senders.SendersExperiment;
import dev.msgrelay.loadgen.lab.senders.SendersOptions;
import java.util.List;

/** The experiments that there are, in the order in which {@code lab all} runs them. */
final class LabExperiments {
    private LabExperiments() {}

    /** All, with their default options; smaller ones for a quick look. */
    static List<Experiment> all(boolean quick) {
        return List.of(
                new ReadersExperiment(ReaderOptions.defaults(quick)),
                new BatchingExperiment(BatchingOptions.defaults(quick)),
                new FilesExperiment(FilesOptions.defaults(quick)),
                new AsyncFilesExperiment(AsyncFilesOptions.defaults(quick)),
                new EventLogExperiment(EventLogOptions.defaults(quick)),
                new SendersExperiment(SendersOptions.defaults(quick)));
    }
}
