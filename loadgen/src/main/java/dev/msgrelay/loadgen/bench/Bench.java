package dev.msgrelay.loadgen.bench;

import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunObserver;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/** Runs cases, each in turn with its ceilings. The controller's thread owns it. */
public final class Bench {
    private final Function<String, RunObserver> observers;
    private long leftMillis;

    /**
     * @param observers makes an observer for the run that is described
     */
    public Bench(Function<String, RunObserver> observers) {
        this.observers = observers;
    }

    /** Says how much work lies ahead, so that it can be shown how much is left. */
    public void expect(List<BenchCase> cases) {
        leftMillis = cases.stream().mapToLong(BenchCase::estimatedMillis).sum();
    }

    /** As {@link #expect}, for contenders that are tried once. */
    public void expectAll(List<Contender> contenders) {
        leftMillis = contenders.stream().mapToLong(Contender::estimatedMillis).sum();
    }

    /** Runs one case. */
    public CaseResult run(BenchCase benchCase) throws IOException, RunException, InterruptedException {
        List<Sample> tries = new ArrayList<>();
        for (Contender candidate : benchCase.ceilings()) {
            tries.add(take(benchCase.id() + ", trying " + candidate.name(), candidate));
        }
        List<Contender> ceilings = tries.stream()
                .sorted(Comparator.comparingDouble(Sample::rate).reversed())
                .limit(BenchCase.CEILINGS_PER_ROUND)
                .map(Sample::contender)
                .toList();
        List<Round> rounds = new ArrayList<>();
        for (int i = 1; i <= benchCase.rounds(); i++) {
            rounds.add(round(benchCase, ceilings, i));
        }
        return new CaseResult(benchCase, tries, rounds);
    }

    /** Tries each contender once: a calibration. */
    public List<Sample> tryAll(List<Contender> contenders) throws IOException, RunException, InterruptedException {
        List<Sample> samples = new ArrayList<>();
        for (Contender contender : contenders) {
            samples.add(take(contender.name(), contender));
        }
        return samples;
    }

    /** A ceiling, ours, the other ceiling; the next round the other way round, so that nobody always goes first. */
    private Round round(BenchCase benchCase, List<Contender> ceilings, int number)
            throws IOException, RunException, InterruptedException {
        List<Contender> order = new ArrayList<>(benchCase.ours());
        if (!ceilings.isEmpty()) {
            order.add(0, ceilings.get(0));
            order.addAll(ceilings.subList(1, ceilings.size()));
        }
        if (number % 2 == 0) {
            Collections.reverse(order);
        }
        List<Sample> samples = new ArrayList<>();
        for (Contender contender : order) {
            samples.add(take(
                    benchCase.id() + " " + number + "/" + benchCase.rounds() + ", " + contender.name(), contender));
        }
        return new Round(samples);
    }

    private Sample take(String what, Contender contender) throws IOException, RunException, InterruptedException {
        String left = leftMillis > 0 ? " (about " + (leftMillis / 60_000 + 1) + " min left)" : "";
        Sample sample = Sample.take(contender, observers.apply("[" + what + left + "] "));
        leftMillis -= contender.estimatedMillis();
        return sample;
    }
}
