package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.measure.PathMtu;
import dev.msgrelay.loadgen.plain.CPrograms;
import dev.msgrelay.loadgen.run.InProcessMiddle;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.Middle;
import dev.msgrelay.loadgen.run.Middles;
import java.io.IOException;
import java.util.Locale;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What lies between publishers and subscribers. */
final class MiddleOptions {
    private static final int MAX_BUFFER = 64 << 20;

    /** What it can be. */
    enum Through {
        RELAY,
        PLAIN,
        C,
        DIRECT,
        NOTHING;

        /** As on the command line. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Mixin
    private RelayOptions relay;

    @Option(names = "--in-process", description = "The publishers are threads in the relay's own JVM, at full speed.")
    private boolean inProcess;

    @Option(
            names = "--through",
            paramLabel = "WHAT",
            defaultValue = "relay",
            description =
                    "What lies between: relay; plain, the plain relay of the ceilings; c, the reference relay in C, which"
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
    Middle middle(Load load) throws IOException {
        int batch = load.writes().messages();
        refuse(batch > 0 && through == Through.DIRECT, "--batch and --through direct exclude each other");
        refuse(
                buffer != null && (through == Through.RELAY || through == Through.NOTHING),
                "--buffer needs --through plain, c or direct");
        refuse(inProcess && through != Through.RELAY, "--in-process and --through " + through + " exclude each other");
        checkClients(load);
        if (through != Through.RELAY) {
            relay.refuseAll("--through " + through);
        }
        if (inProcess) {
            refuse(load.writes().bytes() > 0, "--write-size and --in-process exclude each other");
            refuse(load.rate() > 0, "--in-process and --rate " + load.rate() + " exclude each other");
            return relay.inProcess(batch == 0 ? InProcessMiddle.USUAL_RUN : batch);
        }
        int max = through == Through.C ? Middles.MAX_C_READ : MAX_BUFFER;
        int size = within("--buffer", buffer, PathMtu.loopbackSegment(), max);
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
            case RELAY -> relay.middle();
            case PLAIN -> Middles.plain(size);
            case C -> c(load, size);
            case DIRECT -> Middles.direct(size);
            case NOTHING -> Middles.none();
        };
    }

    private Middle c(Load load, int readSize) {
        refuse(
                load.body().max() > CPrograms.MAX_BODY,
                "--body " + load.body() + " is over the limit of --through c, " + CPrograms.MAX_BODY);
        String obstacle = CPrograms.obstacle();
        refuse(!obstacle.isEmpty(), "--through c: " + obstacle);
        return Middles.c(readSize);
    }

    private void checkClients(Load load) {
        if (inProcess) {
            ClientOptions.checkOwnPublishers(spec, load, "--in-process");
        } else if (through == Through.DIRECT || through == Through.PLAIN || through == Through.NOTHING) {
            ClientOptions.check(spec, load, "--through " + through, false, false);
            refuse(
                    load.content().types() > 1 && through == Through.DIRECT,
                    "--types " + load.content().types() + " and --through direct exclude each other");
        } else {
            ClientOptions.check(spec, load, "--through " + through, through == Through.RELAY, true);
        }
    }

    private int within(String option, Integer value, int otherwise, int max) {
        if (value == null) {
            return otherwise;
        }
        Limits.within(spec, option, value, 1, max);
        return value;
    }

    private void refuse(boolean wrong, String message) {
        if (wrong) {
            throw new ParameterException(spec.commandLine(), message);
        }
    }
}
