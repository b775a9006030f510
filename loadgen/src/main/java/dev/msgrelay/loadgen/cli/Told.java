package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.result.Json;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Origin;
import dev.msgrelay.loadgen.result.Results.Site;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that prints what it found, as text or as JSON. */
abstract class Told implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    final CommandSpec spec() {
        return spec;
    }

    final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    final PrintWriter err() {
        return spec.commandLine().getErr();
    }

    /** This command, with the arguments that it was given. */
    final Origin origin() {
        return Origin.now(spec.name(), spec.commandLine().getParseResult().originalArgs());
    }

    /** Nothing yet, of this host. */
    final Results nothingYet() {
        return Results.of(origin(), List.of(Site.here()));
    }

    final void print(Results results) throws IOException {
        Json.write(results, out());
        out().flush();
    }

    final void print(String text) {
        out().print(text);
        out().flush();
    }

    /**
     * @throws ParameterException with this message, where something is wrong
     */
    final void refuse(boolean wrong, String message) {
        Limits.refuse(spec, wrong, message);
    }

    final void within(String option, long value, long min, long max) {
        Limits.within(spec, option, value, min, max);
    }
}
