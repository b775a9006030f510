package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.measure.PathMtu;
import dev.msgrelay.loadgen.run.Contestant;
import dev.msgrelay.loadgen.run.Contestants;
import dev.msgrelay.loadgen.run.Load;
import java.io.IOException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** What lies between publishers and subscribers. */
final class ThroughOptions extends ContestantFit {
    private static final int MAX_BUFFER = 64 << 20;

    @Mixin
    private RelayOptions relay;

    @Option(names = "--in-process", description = "The publishers are threads in the relay's own JVM, at full speed.")
    private boolean inProcess;

    @Option(
            names = "--through",
            paramLabel = "WHAT",
            defaultValue = "relay",
            description =
                    "What lies between: relay; plain, the plain relay of the ceilings; sslhandler, the same over TLS by"
                            + " Netty's SslHandler; c, the reference relay in C, which"
                            + " needs a C compiler; direct, pre-packed frames to one subscriber that only counts; nothing, the"
                            + " publisher straight to one subscriber (${DEFAULT-VALUE}).")
    private Through through;

    @Option(
            names = "--buffer",
            paramLabel = "BYTES",
            description = "Of the reads of plain and c, or of the writes of direct (one segment of the path).")
    private Integer buffer;

    RelayOptions relay() {
        return relay;
    }

    /**
     * @throws ParameterException naming what does not fit together
     */
    Contestant contestant(Load load) throws IOException {
        int batch = load.writes().messages();
        refuse(batch > 0 && through == Through.DIRECT, "--batch and --through direct exclude each other");
        refuse(
                buffer != null
                        && (through == Through.RELAY || through == Through.SSLHANDLER || through == Through.NOTHING),
                "--buffer needs --through plain, c or direct");
        refuse(inProcess && through != Through.RELAY, "--in-process and --through " + through + " exclude each other");
        if (through != Through.RELAY) {
            relay.refuseAll("--through " + through);
        }
        if (inProcess) {
            checkInProcess(load);
            return relay.inProcess(runLength(load));
        }
        String what = "--through " + through;
        checkClients(load, what, through == Through.RELAY, through == Through.RELAY || through == Through.C);
        if (through != Through.RELAY) {
            checkPorts(load, what, through == Through.SSLHANDLER);
        }
        refuse(
                load.content().types() > 1 && through == Through.DIRECT,
                "--types " + load.content().types() + " and --through direct exclude each other");
        int max = through == Through.C ? Contestants.MAX_C_READ : MAX_BUFFER;
        if (buffer != null) {
            within("--buffer", buffer, 1, max);
        }
        int size = buffer == null ? PathMtu.loopbackSegment() : buffer;
        refuse(
                through != Through.RELAY && through != Through.C && load.publishers() != 1,
                "--through " + through + " takes one publisher, not " + load.publishers());
        refuse(
                through != Through.RELAY && load.slow().count() > 0,
                "--slow-readers need a relay that knows policies, not --through " + through);
        refuse(
                through == Through.DIRECT && (load.subscribers() != 1 || load.isChecked()),
                "--through direct takes one subscriber that only counts: give --check none");
        refuse(
                through == Through.DIRECT && load.rate() > 0,
                "--rate " + load.rate() + " and --through direct exclude each other");
        refuse(
                through == Through.DIRECT && load.writes().bytes() > 0,
                "--write-size and --through direct exclude each other: give --buffer");
        refuse(through == Through.NOTHING && load.subscribers() != 1, "--through nothing takes one subscriber");
        return switch (through) {
            case RELAY -> relay.contestant(load);
            case PLAIN, SSLHANDLER, C -> reference(load, what, through, size);
            case DIRECT -> Contestants.direct(size);
            case NOTHING -> Contestants.none();
        };
    }
}
