package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.compare.Comparer;
import dev.msgrelay.loadgen.compare.Comparison;
import dev.msgrelay.loadgen.compare.ComparisonReport;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.Shootout;
import dev.msgrelay.loadgen.result.files.ResultFileException;
import dev.msgrelay.loadgen.result.files.ShootoutReader;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code loadgen compare}: is b faster than a, or is that noise? */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Sets the results of one shootout against another's: cells of equal parameters, runs that are valid, whole and"
                    + " unmarked, and only of one regime of the machine's cores. Prints the ratio of b to a with its 95 %%"
                    + " interval, and says when it is noise. docs/results.md has the method.",
            "Exits 1 when nothing can be compared."
        })
final class CompareCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "A", description = "results.json, or the directory that it is in.")
    private Path a;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "B",
            description = "The other; with --lanes it may be left out.")
    private Path b;

    @Option(
            names = "--lanes",
            paramLabel = "LANE",
            split = ",",
            description = "Set a lane of A against another lane of B. Of one shootout alone they are paired.")
    private List<String> lanes = List.of();

    @Option(
            names = "--paired",
            description = "A and B were measured in turn, round by round: pair their runs, so that what changed from"
                    + " round to round does not count. Needs 6 rounds; unpaired, 4 runs on each side are enough.")
    private boolean paired;

    @Option(names = "--any-machine", description = "Compare although machine, JDK or kernel differ; says in what.")
    private boolean anyMachine;

    @Option(names = "--json", description = "Print JSON instead of a table.")
    private boolean json;

    @Override
    public Integer call() throws ResultFileException {
        if (b == null && lanes.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "what with? give B, or --lanes of A");
        }
        Shootout one = ShootoutReader.figures(a);
        Shootout other = b == null ? one : ShootoutReader.figures(b);
        Comparison comparison = compare(one, other);
        ComparisonReport report = new ComparisonReport(comparison);
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(report.json());
        } else {
            out.print(report.table());
        }
        out.flush();
        return comparison.cells().isEmpty() ? 1 : 0;
    }

    private Comparison compare(Shootout one, Shootout other) {
        boolean inTurn = paired || !lanes.isEmpty() && one.equals(other);
        Comparer comparer = new Comparer(one, other, inTurn);
        if (lanes.isEmpty()) {
            return comparer.allLanes(anyMachine);
        }
        if (lanes.size() != 2) {
            throw new ParameterException(spec.commandLine(), "--lanes takes two names, not " + lanes.size());
        }
        lane(one, lanes.get(0));
        lane(other, lanes.get(1));
        return comparer.lanes(lanes.get(0), lanes.get(1), anyMachine);
    }

    private void lane(Shootout shootout, String name) {
        if (shootout.lane(name).isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--lanes '" + name + "' is none of "
                            + shootout.lanes().stream().map(LaneResult::name).collect(Collectors.joining(", ")));
        }
    }
}
