package dev.msgrelay.loadgen.shootout;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** What a lane gave without a relay, and what runs through one made of that, round by round. */
final class Baselines {
    private static final double MEGA = 1e6;

    private Baselines() {}

    /**
     * For people, one line each.
     *
     * @param baselines by round
     * @param cells the lane's runs; only valid ones are set against a baseline
     */
    static List<String> lines(String lane, Map<Integer, Rig.Baseline> baselines, Map<LoadPoint, List<Taken>> cells) {
        List<String> lines = new ArrayList<>();
        if (baselines.isEmpty()) {
            return lines;
        }
        Spread raw = Spread.of(baselines.values(), Rig.Baseline::rawBytesPerSecond);
        Spread iperf = Spread.of(baselines.values(), Baselines::iperf);
        lines.add(String.format(
                Locale.ROOT,
                "%s without a relay: raw stream %,.1f MB/s, %s (medians of %d)",
                lane,
                raw.median() / MEGA,
                iperf.isKnown()
                        ? String.format(Locale.ROOT, "iperf3 %,.1f MB/s", iperf.median() / MEGA)
                        : "no iperf3: " + reason(baselines.values()),
                baselines.size()));
        cells.forEach((point, runs) -> {
            String of = against(runs, baselines);
            if (!of.isEmpty()) {
                lines.add("  " + Records.parameters(point, 0).load() + ": " + of);
            }
        });
        return lines;
    }

    /** "0.993 (0.991 .. 0.994) of the raw stream, 0.992 (0.990 .. 0.993) of iperf3". */
    private static String against(List<Taken> runs, Map<Integer, Rig.Baseline> baselines) {
        List<Taken> valid = runs.stream()
                .filter(run -> run.isWhole() && run.failures().isEmpty() && baselines.containsKey(run.round()))
                .toList();
        Spread raw =
                Spread.of(valid, run -> bytes(run) / baselines.get(run.round()).rawBytesPerSecond());
        Spread iperf = Spread.of(valid, run -> bytes(run) / iperf(baselines.get(run.round())));
        if (!raw.isKnown()) {
            return "";
        }
        return ratio(raw) + " of the raw stream" + (iperf.isKnown() ? ", " + ratio(iperf) + " of iperf3" : "");
    }

    private static String ratio(Spread spread) {
        return String.format(Locale.ROOT, "%.3f (%.3f .. %.3f)", spread.median(), spread.min(), spread.max());
    }

    /** All deliveries: they share the link, as the baseline's one connection has it alone. */
    private static double bytes(Taken run) {
        return run.result().received().traffic().bytesPerSecond();
    }

    private static double iperf(Rig.Baseline baseline) {
        return baseline.iperf3().available() ? baseline.iperf3().bytesPerSecond() : Double.NaN;
    }

    private static String reason(Collection<Rig.Baseline> baselines) {
        return baselines.stream()
                .map(baseline -> baseline.iperf3().reason())
                .filter(Objects::nonNull)
                .findFirst()
                .orElse("");
    }
}
