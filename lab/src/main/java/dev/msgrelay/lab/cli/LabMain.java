package dev.msgrelay.lab.cli;

import dev.msgrelay.lab.Claim;
import dev.msgrelay.lab.Experiment;
import dev.msgrelay.lab.Lab;
import dev.msgrelay.lab.asyncfiles.AsyncFilesExperiment;
import dev.msgrelay.lab.batching.BatchingExperiment;
import dev.msgrelay.lab.eventlog.EventLogExperiment;
import dev.msgrelay.lab.files.FilesExperiment;
import dev.msgrelay.lab.readers.ReadersExperiment;
import dev.msgrelay.lab.senders.SendersExperiment;
import dev.msgrelay.loadgen.cli.LoadgenMain;
import dev.msgrelay.loadgen.cli.Options;
import dev.msgrelay.protocol.cli.ShortHelp;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code loadgen lab}: a separate program, which the start script runs like a command of loadgen. */
@ShortHelp(examples = {"loadgen lab list", "loadgen lab files --quick", "loadgen lab all --html lab.html"})
@Command(
        name = "loadgen lab",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Runs the articles' experiments again on this machine, with the relay's own code among the contestants.",
            "Every result is checked; one that is wrong is shown as FAILED, with no time.",
            "Exits 1 when a row is FAILED."
        })
public final class LabMain extends Options implements Callable<Integer> {
    @Parameters(
            paramLabel = "EXPERIMENT",
            description =
                    "readers, batching, files, async-files, event-log, senders; 'all' of them; 'list' describes them.")
    private List<String> names = List.of();

    @Option(names = "--quick", description = "Short runs of little data: for a look, not for the record.")
    private boolean quick;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "How often everything is measured, after a warm-up (" + Claim.MIN_ROUNDS + ", the least for a"
                    + " verdict; with --quick 3).")
    private Integer rounds;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            description = "How long one go measures (1s to 5s, by experiment); 'files' writes whole files instead.")
    private Duration duration;

    @Option(
            names = "--size",
            split = ",",
            paramLabel = "MB",
            description = "Size of the file of 'files'; several give a table each (400; the article: 400,8000).")
    private List<Integer> sizes;

    @Option(
            names = "--dir",
            paramLabel = "DIRECTORY",
            description = "Where temporary files go; they are removed (the system's place for such).")
    private Path directory = Path.of(System.getProperty("java.io.tmpdir"));

    @Option(names = "--json", paramLabel = "FILE", description = "Write all figures to this file.")
    private Path json;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "Write a page with the claims, plots and tables to this file.")
    private Path html;

    public static void main(String[] args) {
        LoadgenMain.run(new LabMain(), args);
    }

    static List<Experiment> experiments(Experiment.Settings settings) {
        return List.of(
                ReadersExperiment.of(settings),
                BatchingExperiment.of(settings),
                FilesExperiment.of(settings),
                AsyncFilesExperiment.of(settings),
                EventLogExperiment.of(settings),
                SendersExperiment.of(settings));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        check();
        int asked = rounds != null ? rounds : quick ? 3 : Claim.MIN_ROUNDS;
        Experiment.Settings settings = new Experiment.Settings(quick, asked, duration, sizes, directory);
        List<Experiment> all = experiments(settings);
        PrintWriter out = spec().commandLine().getOut();
        if (names.equals(List.of("list"))) {
            for (Experiment one : all) {
                out.printf(Locale.ROOT, "%-12s %s%n%-12s %s%n", one.name(), one.question(), "", one.article());
            }
            out.flush();
            return 0;
        }
        return new Lab(settings, json, html, out, spec().commandLine().getErr()).run(chosen(all));
    }

    private void check() {
        refuseZero("--duration", duration);
        if (rounds != null) {
            within("--rounds", rounds, 1, 101);
        }
        if (sizes != null) {
            sizes.forEach(size -> within("--size", size, 1, 1_000_000));
        }
        checkWritable("--json", json);
        checkWritable("--html", html);
    }

    /** Checks before a long run that the file can be written. */
    private void checkWritable(String option, Path file) {
        Path parent = file == null ? null : file.toAbsolutePath().getParent();
        boolean wrong = file != null && (Files.isDirectory(file) || parent == null || !Files.isWritable(parent));
        refuse(wrong, option + " '" + file + "' is not a file that can be written");
    }

    private List<Experiment> chosen(List<Experiment> all) {
        List<String> known = all.stream().map(Experiment::name).toList();
        if (names.equals(List.of("all"))) {
            return all;
        }
        refuse(names.isEmpty(), "which experiment? " + String.join(", ", known));
        for (String name : names) {
            refuse(!known.contains(name), "'" + name + "' is no experiment: " + String.join(", ", known));
        }
        return names.stream().map(name -> all.get(known.indexOf(name))).toList();
    }
}
