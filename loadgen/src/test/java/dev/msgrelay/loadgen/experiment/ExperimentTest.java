package dev.msgrelay.loadgen.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.loadgen.experiment.Experiment.Until;
import dev.msgrelay.loadgen.experiment.LoadRuns.Given;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.SubscriberResult;
import dev.msgrelay.loadgen.plan.SubscriberResult.Faults;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.loadgen.rig.Contestants;
import dev.msgrelay.loadgen.rig.Plan;
import dev.msgrelay.loadgen.rig.RunException;
import dev.msgrelay.loadgen.rig.RunObserver;
import java.nio.channels.ClosedChannelException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The engine, with a clock, a machine and contestants that are made up. */
class ExperimentTest {
    private static final long RUN_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final FakeMeter meter = new FakeMeter();
    private final List<String> order = new ArrayList<>();
    private final List<String> begun = new ArrayList<>();
    private final List<String> notices = new ArrayList<>();
    private final List<Integer> kept = new ArrayList<>();
    private final Experiment experiment = experiment(2);

    @Test
    void cellsTakeTurns() throws Exception {
        List<Run> runs = experiment.rounds(cells("A", "B", "C"), Until.rounds(3));
        assertThat(String.join("", order)).isEqualTo("ABCCBAABC");
        assertThat(runs).extracting(run -> run.record().moment().round()).containsExactly(1, 1, 1, 2, 2, 2, 3, 3, 3);
        assertThat(runs).extracting(Run::number).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8);
        assertThat(runs).allMatch(run -> run.record().counts()).isEqualTo(experiment.runs());
        assertThat(kept).as("after every run").containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9);
    }

    @Test
    void twoCellsRunABBA() throws Exception {
        experiment.rounds(cells("A", "B"), Until.rounds(4));
        assertThat(String.join("", order)).isEqualTo("ABBAABBA");
    }

    /** Of some the system says nothing, or only which file it was. */
    @Test
    void everyFailureIsToldInWords() throws Exception {
        assertThat(experiment
                        .measure("", plan("A", number -> "NO_FILE /no/such", false), 1)
                        .failures())
                .containsExactly("/no/such: it is not there");
        assertThat(experiment
                        .measure("", plan("B", number -> "CLOSED", false), 1)
                        .failures())
                .containsExactly("java.nio.channels.ClosedChannelException");
    }

    @Test
    void theNextRunSaysWhichItIsAndHowMuchIsLeft() throws Exception {
        List<Plan> cells = cells("A", "B");
        experiment.expect(cells, 2);
        experiment.rounds(cells, Until.rounds(2));
        assertThat(begun)
                .containsExactly(
                        "round 1/2, run 1/4, A, about 20 s left",
                        // A run was planned with 5 s and takes 10.
                        "round 1/2, run 2/4, B, about 30 s left",
                        "round 2/2, run 3/4, B, about 20 s left",
                        "round 2/2, run 4/4, A, about 10 s left");
    }

    /** What the machine did takes a run away; what the contestant did never does. */
    @Test
    void aRunThatTheMachineDisturbedDoesNotCountAndOneThatStoodStillDoes() throws Exception {
        Run disturbed = experiment.measure("", plan("A", number -> "DISTURBED", false), 1);
        assertThat(disturbed.record().counts()).isFalse();
        assertThat(disturbed.record().outcome().environment()).isNotEmpty();
        assertThat(disturbed.failures()).isEmpty();
        Run still = experiment.measure("", plan("B", number -> "STILL", false), 1);
        assertThat(still.record().counts()).isTrue();
        assertThat(still.record().outcome().observed()).hasSize(1);
    }

    @Test
    void whatItsCellFindsWrongMakesARunInvalidAndIsToldAtOnce() throws Exception {
        Run run = experiment
                .rounds(List.of(plan("A", number -> "FAIL 3 lost", false)), Until.rounds(1))
                .get(0);
        assertThat(run.isWhole()).isTrue();
        assertThat(run.record().counts()).isFalse();
        assertThat(run.failures()).containsExactly("subscriber 0: 3 messages lost");
        assertThat(notices).containsExactly("FAIL A: subscriber 0: 3 messages lost");
    }

    @Test
    void noRoundBeginsThatWouldProbablyEndTooLate() throws Exception {
        Until until = new Until(100, 7 * RUN_NANOS, runs -> false);
        assertThat(experiment.rounds(cells("A", "B"), until)).hasSize(6);
    }

    @Test
    void theFirstRoundRunsHoweverLittleTimeThereIs() throws Exception {
        assertThat(experiment.rounds(cells("A", "B"), new Until(100, 1, runs -> false)))
                .hasSize(2);
    }

    @Test
    void enoughIsEnoughAfterAnyRun() throws Exception {
        assertThat(experiment.rounds(cells("A", "B"), new Until(100, Long.MAX_VALUE, runs -> runs.size() == 5)))
                .hasSize(5);
    }

    @Test
    void aRunThatDoesNotComeToItsEndIsKeptAndTheOthersGoOn() throws Exception {
        List<Run> runs = experiment.rounds(
                List.of(plan("A", number -> number == 0 ? "END relay died" : "", false), fake("B")), Until.rounds(2));
        assertThat(runs).hasSize(4);
        assertThat(runs.get(0).isWhole()).isFalse();
        assertThat(runs.get(0).record().outcome().partial()).isTrue();
        assertThat(runs.get(0).failures()).containsExactly("relay died");
        assertThat(runs.get(3).record().counts()).isTrue();
    }

    @Test
    void aGroupIsGivenUpAfterSoManyInARow() throws Exception {
        Plan broken = plan("A", number -> number % 3 == 0 ? "" : "END agent gone", false);
        List<Run> runs = experiment.rounds(List.of(broken, fake("B")), Until.rounds(6));
        assertThat(order)
                .filteredOn("A"::equals)
                .as("one that came to its end, and two that did not")
                .hasSize(3);
        assertThat(runs).hasSize(9);
        assertThat(notices).endsWith("A is given up: 2 runs in a row did not come to their end");
    }

    @Test
    void anInterruptEndsItAndWhatThereIsIsThere() {
        Plan last = plan("B", number -> number == 1 ? "INTERRUPT" : "", false);
        assertThatThrownBy(() -> experiment.rounds(List.of(fake("A"), last), Until.rounds(9)))
                .isInstanceOf(InterruptedException.class);
        assertThat(experiment.runs()).hasSize(2);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void aRunThatFailsBecauseTheProcessIsAskedToEndIsNone() {
        Plan cell = plan("A", number -> "ASKED relay ended with exit code 130", false);
        assertThatThrownBy(() -> experiment.rounds(List.of(cell), Until.rounds(2)))
                .isInstanceOf(InterruptedException.class);
        assertThat(experiment.runs()).isEmpty();
        assertThat(notices).isEmpty();
    }

    @Test
    void aSignalThatComesAMomentAfterTheChildrenDiedIsWaitedFor() {
        Thread tested = Thread.currentThread();
        Plan cell = plan(
                "A",
                number -> {
                    new Thread(tested::interrupt).start();
                    return "END relay ended with exit code 130";
                },
                false);
        assertThatThrownBy(() -> experiment.rounds(List.of(cell), Until.rounds(2)))
                .isInstanceOf(InterruptedException.class);
        assertThat(experiment.runs()).isEmpty();
    }

    private Experiment experiment(int giveUpAfter) {
        return new Experiment(
                meter::nanoTime, meter::isEndAsked, listener(), () -> kept.add(kept.size() + 1), giveUpAfter);
    }

    private RunObserver listener() {
        return new RunObserver() {
            @Override
            public void notice(String line) {
                notices.add(line);
            }

            @Override
            public void begins(String where) {
                begun.add(where);
            }
        };
    }

    private List<Plan> cells(String... names) {
        return Stream.of(names).map(name -> plan(name, number -> "", true)).toList();
    }

    private Plan fake(String name) {
        return plan(name, number -> "", false);
    }

    /** The fate of each run is told by its number. A run is planned with five seconds. */
    private Plan plan(String name, LongFunction<String> fate, boolean takesTime) {
        AtomicLong runs = new AtomicLong();
        Timing timing = new Timing(Duration.ofSeconds(1), Duration.ofSeconds(1));
        return Plan.here(name, Contestants.plain(1), Load.oneToOne(100), timing, (plan, round, observer) -> {
            order.add(name);
            meter.now += takesTime ? RUN_NANOS : 0;
            String[] words = fate.apply(runs.getAndIncrement()).split(" ", 2);
            Given given = new Given(1_000, 1);
            switch (words[0]) {
                case "END" -> throw new RunException(words[1]);
                case "NO_FILE" -> throw new NoSuchFileException(words[1]);
                case "CLOSED" -> throw new ClosedChannelException();
                case "INTERRUPT" -> throw new InterruptedException();
                case "ASKED" -> {
                    meter.endAsked = true;
                    throw new RunException(words[1]);
                }
                case "DISTURBED" -> given = given.beside(0.4);
                case "STILL" -> given = given.stoodStill(150);
                case "FAIL" ->
                    given = given.of(new SubscriberResult(
                            0, 1, new Faults(3, 0, 0, 0, 0, 0), SubscriberResult.Told.NOTHING, null, 0));
                default -> {
                    // it goes well
                }
            }
            return LoadRuns.record(plan.load(), timing, round, given);
        });
    }
}
