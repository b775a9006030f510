package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.shootout.ShootoutSettings.SearchSettings;
import java.time.Duration;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Whether a rate is searched, and what it has to keep to. */
final class SearchOptions {
    private static final int MAX_PROBES = 200;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--find-max-rate",
            description = "Instead of rounds: search, for every load on every lane, the highest rate at which all is"
                    + " sent, nothing is lost, and the p99 stays within --p99, counted from when a message was due, so"
                    + " that late sends are in it; to 5 %%. A rate counts where 3 of 4 runs pass.")
    private boolean find;

    @Option(
            names = "--p99",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "With --find-max-rate: what the 99th percentile of the latency may be (5ms).")
    private Duration p99;

    @Option(
            names = "--max-probes",
            paramLabel = "N",
            description = "With --find-max-rate: runs of one search at most (40).")
    private Integer probes;

    @Option(
            names = "--search-time",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "With --find-max-rate: how long one search takes at most (10m).")
    private Duration time;

    /**
     * @param paced whether rates are given
     * @return null where no rate is searched
     * @throws ParameterException naming what does not fit together
     */
    SearchSettings settings(boolean paced) {
        if (!find) {
            refuse(p99 != null, "--p99 needs --find-max-rate");
            refuse(probes != null, "--max-probes needs --find-max-rate");
            refuse(time != null, "--search-time needs --find-max-rate");
            return null;
        }
        refuse(paced, "--find-max-rate and --rate exclude each other");
        refuse(p99 != null && p99.isZero(), "--p99 0 is not above 0");
        refuse(time != null && time.isZero(), "--search-time 0 is not above 0");
        if (probes != null) {
            Limits.within(spec, "--max-probes", probes, 1, MAX_PROBES);
        }
        return new SearchSettings(
                (p99 == null ? Duration.ofMillis(5) : p99).toNanos(),
                probes == null ? 40 : probes,
                (time == null ? Duration.ofMinutes(10) : time).toNanos());
    }

    private void refuse(boolean wrong, String message) {
        if (wrong) {
            throw new ParameterException(spec.commandLine(), message);
        }
    }
}
