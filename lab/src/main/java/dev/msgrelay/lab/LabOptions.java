package dev.msgrelay.lab;

import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** What all experiments of the lab can be told. */
public final class LabOptions {
    /** Of {@code --rounds}. */
    static final int MAX_ROUNDS = 101;

    /** Of a quick run: the least that has a median. */
    private static final int QUICK_ROUNDS = 3;

    @Option(names = "--quick", description = "Short runs of little data: for a look, not for the record.")
    private boolean quick;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "How often everything is measured, after a warm-up (" + Claim.MIN_ROUNDS + ", the least for a"
                    + " verdict; with --quick " + QUICK_ROUNDS + ").")
    private Integer rounds;

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

    /** As on a command line that says nothing. */
    public LabOptions() {}

    LabOptions(boolean quick, int rounds, Path directory) {
        this.quick = quick;
        this.rounds = rounds;
        this.directory = directory;
    }

    boolean quick() {
        return quick;
    }

    /** How often every contestant is measured, after the warm-up. */
    int rounds() {
        return rounds != null ? rounds : quick ? QUICK_ROUNDS : Claim.MIN_ROUNDS;
    }

    Path directory() {
        return directory;
    }

    /** Null: no such file. */
    Path json() {
        return json;
    }

    /** Null: no such file. */
    Path html() {
        return html;
    }

    /** Before the run, which may take long. */
    void checkFiles(CommandSpec command) {
        checkWritable(command, "--json", json);
        checkWritable(command, "--html", html);
    }

    private static void checkWritable(CommandSpec command, String option, Path file) {
        Path parent = file == null ? null : file.toAbsolutePath().getParent();
        if (file != null && (Files.isDirectory(file) || parent == null || !Files.isWritable(parent))) {
            throw new ParameterException(
                    command.commandLine(), option + " '" + file + "' is not a file that can be written");
        }
    }
}
