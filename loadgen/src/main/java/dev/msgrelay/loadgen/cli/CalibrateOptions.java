package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.load.LoadMessage;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.protocol.FrameLayout;
import java.time.Duration;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What the ceilings are measured with. */
final class CalibrateOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--body",
            paramLabel = "BYTES",
            defaultValue = "100",
            description = "Bytes of every message's body, at least 16 (${DEFAULT-VALUE}).")
    private int body;

    @Option(names = "--unix", description = "Unix sockets instead of TCP.")
    private boolean unix;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            defaultValue = "3s",
            converter = DurationConverter.class,
            description = "Of each measurement (${DEFAULT-VALUE}).")
    private Duration duration;

    @Option(
            names = "--warmup",
            paramLabel = "TIME",
            defaultValue = "1s",
            converter = DurationConverter.class,
            description = "Before each measurement (${DEFAULT-VALUE}).")
    private Duration warmup;

    Load load() {
        Limits.within(spec, "--body", body, LoadMessage.MIN_BODY, FrameLayout.MAX_MAX_BODY);
        return Load.oneToOne(body).withUnix(unix);
    }

    Timing timing() {
        return Limits.timing(spec, warmup, duration);
    }
}
