package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.lab.files.DropCaches;
import dev.msgrelay.loadgen.lab.files.FilesExperiment;
import dev.msgrelay.loadgen.lab.files.FilesOptions;
import dev.msgrelay.loadgen.run.RunException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code loadgen lab files}. */
@Command(
        name = "files",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Writes and reads a file from start to end: RandomAccessFile, buffered streams, channel and buffer, memory-mapped;",
            "on a file that is there already, and on one that grows. Two files of each size are on the disk at a time."
        })
final class LabFilesCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private LabRunOptions run;

    @Option(
            names = "--size",
            split = ",",
            paramLabel = "MB",
            description = "Size of the file in MB; several give a table each (" + FilesOptions.SMALL + "; with --quick "
                    + FilesOptions.QUICK + "). The article: " + FilesOptions.SMALL + "," + FilesOptions.LARGE + ".")
    private List<Integer> sizes;

    @Option(names = "--force", description = "A write ends only once the device has it.")
    private boolean force;

    @Option(
            names = "--drop-caches",
            description = "Empty the page cache, of the whole machine, before each read; for root.")
    private boolean dropCaches;

    @Override
    public Integer call() throws IOException, RunException, InterruptedException {
        FilesOptions defaults = FilesOptions.defaults(run.quick());
        List<Integer> megabytes = sizes == null ? defaults.megabytes() : sizes;
        for (int size : megabytes) {
            Limits.within(spec, "--size", size, 1, FilesOptions.MAX);
        }
        if (dropCaches && !DropCaches.isAllowed()) {
            throw new ParameterException(
                    spec.commandLine(), "--drop-caches: " + DropCaches.SWITCH + " cannot be written by this user");
        }
        return run.run(List.of(new FilesExperiment(new FilesOptions(megabytes, force, dropCaches))));
    }
}
