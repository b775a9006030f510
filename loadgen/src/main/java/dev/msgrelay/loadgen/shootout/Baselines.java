package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.lane.End;
import dev.msgrelay.loadgen.result.Places;
import dev.msgrelay.loadgen.result.Places.Place;
import dev.msgrelay.loadgen.result.Regime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** What a lane gave without a relay, and what runs through one made of that, round by round. */
final class Baselines {
    private static final double MEGA = 1e6;

    private Baselines() {}

    /** Where a baseline's bytes come from: they go to the subscribers, unless only publishers are across the link. */
    static End from(Places places) {
        return places.subscribers() == Place.FAR ? End.NEAR : End.FAR;
    }

    /**
     * For people, one line each.
     *
     * @param baselines by round
     * @param cells the lane's runs; only those that count are set against a baseline
     */
    static List<String> lines(
            String lane, Places places, Map<Integer, Rig.Baseline> baselines, Map<LoadPoint, List<Taken>> cells) {
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
            String of = against(runs, baselines, places);
            if (!of.isEmpty()) {
                lines.add("  " + Records.parameters(point, 0).load() + ": " + of);
            }
        });
        return lines;
    }

    /** "0.993 (0.991 .. 0.994) of the raw stream, 0.992 (0.990 .. 0.993) of iperf3". */
    private static String against(List<Taken> runs, Map<Integer, Rig.Baseline> baselines, Places places) {
        List<Taken> valid = counted(runs).stream()
                .filter(run -> baselines.containsKey(run.round()))
                .toList();
        Spread raw = Spread.of(
                valid, run -> bytes(run, places) / baselines.get(run.round()).rawBytesPerSecond());
        Spread iperf = Spread.of(valid, run -> bytes(run, places) / iperf(baselines.get(run.round())));
        if (!raw.isKnown()) {
            return "";
        }
        return ratio(raw) + " of the raw stream" + (iperf.isKnown() ? ", " + ratio(iperf) + " of iperf3" : "");
    }

    /** As for a cell's other figures: valid, unmarked, and of the one regime that most of them were taken in. */
    private static List<Taken> counted(List<Taken> runs) {
        List<Taken> fit = runs.stream()
                .filter(run -> run.isWhole() && run.failures().isEmpty())
                .filter(run ->
                        run.outcome().marks().isEmpty() && run.hops().regime().isSteady())
                .toList();
        Map<Regime, List<Taken>> regimes = fit.stream()
                .collect(Collectors.groupingBy(
                        run -> run.hops().regime(), () -> new EnumMap<>(Regime.class), Collectors.toList()));
        return regimes.values().stream()
                .reduce((one, other) -> other.size() > one.size() ? other : one)
                .orElse(List.of());
    }

    private static String ratio(Spread spread) {
        return String.format(Locale.ROOT, "%.3f (%.3f .. %.3f)", spread.median(), spread.min(), spread.max());
    }

    /**
     * What crossed the link in the direction of the baseline: all deliveries, which share the link as the baseline's one
     * connection has it alone; where only publishers are across, what they sent.
     */
    private static double bytes(Taken run, Places places) {
        return from(places) == End.NEAR
                ? run.result().received().traffic().bytesPerSecond()
                : run.result().published().traffic().bytesPerSecond();
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
