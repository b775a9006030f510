package dev.msgrelay.lab;

import dev.msgrelay.loadgen.run.RunException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** One article's experiment; its options are those of the command of the same name. */
@Command(mixinStandardHelpOptions = true, sortOptions = false)
public abstract class Experiment implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @ParentCommand
    private Runner runner;

    @Mixin
    private LabOptions lab = new LabOptions();

    private final String question;
    private final Article article;

    /** Runs experiments: the command that they are commands of. */
    @FunctionalInterface
    public interface Runner {
        /** The exit code. */
        int run(CommandSpec command, LabOptions options, List<Experiment> experiments)
                throws IOException, RunException, InterruptedException;
    }

    protected Experiment(String question, Article article) {
        this.question = question;
        this.article = article;
    }

    /**
     * Where an experiment comes from.
     *
     * @param title of the article, or what it is about
     * @param year when it was written; 0 where it does not say
     * @param conditions the author's machine and network, as far as the article tells
     */
    public record Article(String title, int year, String conditions) {
        /** "Smart Batching, 2011". */
        public String citation() {
            return year == 0 ? title : title + ", " + year;
        }
    }

    /** As on the command line. */
    public String name() {
        return getClass().getAnnotation(Command.class).name();
    }

    /** What it asks, in a line. */
    public final String question() {
        return question;
    }

    public final Article article() {
        return article;
    }

    /** What must be there before it starts. */
    public abstract Needs needs();

    /** What was left out on this machine, and why; asked after {@link #tables}. */
    public List<String> remarks() {
        return List.of();
    }

    /** What is to be measured, in order. Starts nothing yet. */
    public abstract List<LabTable> tables() throws IOException, InterruptedException;

    /** Ends what the goes share, such as a process that sends to all of them; called once after the last one. */
    public void end() {}

    /**
     * Looks at the options of the command line.
     *
     * @throws picocli.CommandLine.ParameterException naming a value and its limits
     */
    protected abstract void check(CommandSpec command);

    @Override
    public final Integer call() throws IOException, RunException, InterruptedException {
        check(spec);
        return runner.run(spec, lab, List.of(this));
    }

    /** Has all its own options as they are by default. */
    public final Experiment with(LabOptions options) {
        lab = options;
        return this;
    }

    protected final boolean quick() {
        return lab.quick();
    }
}
