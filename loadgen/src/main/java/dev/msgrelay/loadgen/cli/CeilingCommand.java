package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.host.NetInterfaces;
import dev.msgrelay.loadgen.host.SystemTree;
import dev.msgrelay.loadgen.link.Link;
import dev.msgrelay.loadgen.report.CeilingReport;
import dev.msgrelay.protocol.FrameLayout;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code loadgen ceiling}: what a link could give, by arithmetic. */
@Command(
        name = "ceiling",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Computes what a link could give at most: messages and bytes a second in each direction.",
            "With every segment full (batched), and with one message a segment. Measures nothing; docs/measuring.md has the"
                    + " arithmetic. MB/s count bodies and their 8-byte headers."
        })
final class CeilingCommand extends Told {
    private static final int MAX_SUBSCRIBERS = 10_000;
    private static final int MAX_SIZES = 100;

    @Mixin
    private LinkOptions linkOptions;

    @Option(
            names = "--body",
            paramLabel = "BYTES",
            split = ",",
            defaultValue = "16,100,1000,10000",
            description = "Bytes of every message's body, one or more sizes (${DEFAULT-VALUE}).")
    private List<Integer> bodies = new ArrayList<>();

    @Option(
            names = "--subscribers",
            paramLabel = "N",
            description = "Subscribers across the link: they share the egress (${DEFAULT-VALUE}).")
    private int subscribers = 1;

    @Option(names = "--json", description = "Print the figures as JSON instead of a table.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        within("--body: number of sizes", bodies.size(), 1, MAX_SIZES);
        bodies.forEach(body -> within("--body", body, 0, FrameLayout.MAX_MAX_BODY));
        within("--subscribers", subscribers, 1, MAX_SUBSCRIBERS);
        Link link = linkOptions.link(new NetInterfaces(SystemTree.ofThisHost()));
        CeilingReport report = new CeilingReport(link, bodies, subscribers);
        print(json ? report.json() + "\n" : report.table());
        return 0;
    }
}
