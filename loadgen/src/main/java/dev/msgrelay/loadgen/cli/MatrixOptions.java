package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.load.BodySizes;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.shootout.Matrix;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** What is sent: every combination of these lists is measured. */
final class MatrixOptions extends Options {
    @Option(
            names = "--body",
            paramLabel = "SIZES",
            split = ",",
            defaultValue = "100",
            description =
                    "Bytes of every message's body, at least 16, or MIN-MAX, every size equally often: a list like"
                            + " 16,100,16-1000 (${DEFAULT-VALUE}).")
    private List<String> bodies = new ArrayList<>();

    @Option(
            names = "--publishers",
            paramLabel = "P",
            split = ",",
            defaultValue = "1",
            description = "Connections that publish: a list like 1,4 (${DEFAULT-VALUE}).")
    private List<Integer> publishers = new ArrayList<>();

    @Option(
            names = "--subscribers",
            paramLabel = "S",
            split = ",",
            defaultValue = "1",
            description = "Connections that subscribe: a list like 1,8,64 (${DEFAULT-VALUE}).")
    private List<Integer> subscribers = new ArrayList<>();

    @Option(
            names = "--rate",
            paramLabel = "R",
            split = ",",
            defaultValue = "0",
            description = "Messages a second of each publisher, open loop on a fixed schedule: a list; 0: as fast as it"
                    + " goes (${DEFAULT-VALUE}).")
    private List<Integer> rates = new ArrayList<>();

    Matrix matrix() {
        each("--publishers", publishers, 1, LoadOptions.MAX_CONNECTIONS);
        each("--subscribers", subscribers, 1, LoadOptions.MAX_CONNECTIONS);
        each("--rate", rates, 0, Load.MAX_RATE);
        return new Matrix(sizes(), publishers, subscribers, rates);
    }

    boolean isPaced() {
        return rates.stream().anyMatch(rate -> rate > 0);
    }

    private void each(String option, List<Integer> values, int min, int max) {
        values.forEach(value -> within(option, value, min, max));
    }

    private List<BodySizes> sizes() {
        return bodies.stream()
                .map(text -> parsed("--body ", text, BodySizes::parse))
                .distinct()
                .toList();
    }
}
