package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.load.BodySizes;
import dev.msgrelay.loadgen.load.Schedule;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.shootout.Matrix;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What is sent: every combination of these lists is measured. */
final class MatrixOptions extends Options {
    @Option(
            names = "--body",
            paramLabel = "SIZES",
            defaultValue = "100",
            description =
                    "Bytes of every message's body, at least 16: a list like 16,100,1000,10000, and distributions:"
                            + " uniform:16-1000, file:PATH (lines of a size and how often it comes), sizes:16x3,1000x1;"
                            + " repeatable (${DEFAULT-VALUE}).")
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
            names = "--batch",
            paramLabel = "N",
            split = ",",
            defaultValue = "0",
            description = "Whole messages of a publisher's write, exactly so many: a list; 0: as many as fill a write,"
                    + " or at a fixed rate those that are due (${DEFAULT-VALUE}).")
    private List<Integer> batches = new ArrayList<>();

    @Option(
            names = "--rate",
            paramLabel = "R",
            split = ",",
            defaultValue = "0",
            description = "Messages a second of each publisher, open loop on a fixed schedule: a list; 0: as fast as it"
                    + " goes (${DEFAULT-VALUE}).")
    private List<Integer> rates = new ArrayList<>();

    @Option(
            names = "--burst",
            paramLabel = "N",
            split = ",",
            defaultValue = "1",
            description = "With --rate: so many messages are due at the same moment, and the moments lie so far apart"
                    + " that the rate holds; a list (${DEFAULT-VALUE}).")
    private List<Integer> bursts = new ArrayList<>();

    @Mixin
    private LoadOptions.RealTimeOption realTime;

    Matrix matrix() {
        each("--publishers", publishers, 1, LoadOptions.MAX_CONNECTIONS);
        each("--subscribers", subscribers, 1, LoadOptions.MAX_CONNECTIONS);
        each("--batch", batches, 0, LoadOptions.MAX_BATCH);
        each("--rate", rates, 0, Load.MAX_RATE);
        each("--burst", bursts, 1, Schedule.MAX_BURST);
        refuse(
                rates.stream().allMatch(rate -> rate == 0) && bursts.stream().anyMatch(burst -> burst > 1),
                "--burst needs --rate");
        Matrix matrix = new Matrix(sizes(), publishers, subscribers, batches, rates, bursts);
        for (int batch : batches) {
            matrix.bodies().forEach(body -> LoadOptions.checkWrite(this, batch, body));
            spaced("--batch", batch);
        }
        bursts.forEach(burst -> spaced("--burst", burst));
        return matrix;
    }

    /** Whether publishers of a fixed rate may run before others. */
    boolean realTime() {
        return realTime.isWanted();
    }

    boolean isPaced() {
        return rates.stream().anyMatch(rate -> rate > 0);
    }

    private void each(String option, List<Integer> values, int min, int max) {
        values.forEach(value -> within(option, value, min, max));
    }

    private void spaced(String option, int messages) {
        for (int rate : rates) {
            refuse(
                    rate > 0 && messages / rate > LoadOptions.MAX_SPACING_SECONDS,
                    option + " " + messages + " at --rate " + rate + " is one every " + messages / Math.max(1, rate)
                            + " s, over the limit of " + LoadOptions.MAX_SPACING_SECONDS);
        }
    }

    private List<BodySizes> sizes() {
        return elements().stream()
                .map(text -> parsed("--body ", text, BodySizes::parse))
                .distinct()
                .toList();
    }

    /** A comma separates sizes, but also the parts of a "sizes:" distribution, which look like 16x3. */
    private List<String> elements() {
        List<String> elements = new ArrayList<>();
        for (String list : bodies) {
            for (String element : list.split(",", -1)) {
                int last = elements.size() - 1;
                if (element.matches("\\d+x\\d+")
                        && last >= 0
                        && elements.get(last).startsWith("sizes:")) {
                    elements.set(last, elements.get(last) + "," + element);
                } else {
                    elements.add(element);
                }
            }
        }
        return elements;
    }
}
