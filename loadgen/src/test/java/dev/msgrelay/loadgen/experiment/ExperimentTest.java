package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.result.Cell;

import dev.msgrelay.loadgen.result.RunRecord.Observed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.loadgen.experiment.Experiment.Until;
import dev.msgrelay.loadgen.rig.RunException;
import dev.msgrelay.loadgen.rig.RunObserver;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The engine, with a clock, a machine and contestants that are made up. */
class ExperimentTest {
    private static final long RUN_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final Observed STILL = new Observed(Observed.Kind.STOOD_STILL, "nothing came");

    private final FakeMeter meter = new FakeMeter();
    private final List<String> order = new ArrayList<>();
    private final List<String> begun = new ArrayList<>();
    private final List<String> notices = new ArrayList<>();
    private final List<Integer> kept = new ArrayList<>();
    private final Experiment<String> experiment = experiment(2);

    @Test
    void cellsTakeTurns() throws Exception {
        List<Run<String>> runs = experiment.rounds("", cells("A", "B", "C"), Until.rounds(3));
        assertThat(String.join("", order)).isEqualTo("ABCCBAABC");
        assertThat(runs).extracting(Run::round).containsExactly(1, 1, 1, 2, 2, 2, 3, 3, 3);
        assertThat(runs).extracting(Run::number).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8);
        assertThat(runs).allMatch(Run::counts).isEqualTo(experiment.runs());
        assertThat(kept).as("after every run").containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9);
    }

    @Test
    void twoCellsRunABBA() throws Exception {
        experiment.rounds("", cells("A", "B"), Until.rounds(4));
        assertThat(String.join("", order)).isEqualTo("ABBAABBA");
    }

    /** Of some the system says nothing, or only which file it was. */
    @Test
    void everyFailureIsToldInWords() throws Exception {
        assertThat(experiment
                        .measure("", new Fake("A", number -> "NO_FILE /no/such", false), 1)
                        .failures())
                .containsExactly("/no/such: no such file or directory");
        assertThat(experiment
                        .measure("", new Fake("B", number -> "CLOSED", false), 1)
                        .failures())
                .containsExactly("java.nio.channels.ClosedChannelException");
    }

    @Test
    void theNextRunSaysWhichItIsAndHowMuchIsLeft() throws Exception {
        List<Cell<String>> cells = cells("A", "B");
        experiment.expect(cells, 2);
        experiment.rounds("unix", cells, Until.rounds(2));
        assertThat(begun)
                .containsExactly(
                        "unix, round 1/2, run 1/4, A, about 20 s left",
                        // A run was planned with 5 s and takes 10.
                        "unix, round 1/2, run 2/4, B, about 30 s left",
                        "unix, round 2/2, run 3/4, B, about 20 s left",
                        "unix, round 2/2, run 4/4, A, about 10 s left");
    }

    /** What the machine did takes a run away; what the contestant did never does. */
    @Test
    void aRunThatTheMachineDisturbedDoesNotCountAndOneThatStoodStillDoes() throws Exception {
        Run<String> disturbed = experiment.measure("", new Fake("A", number -> "DISTURBED", false), 1);
        assertThat(disturbed.counts()).isFalse();
        assertThat(disturbed.outcome().environment()).isNotEmpty();
        assertThat(disturbed.failures()).isEmpty();
        Run<String> still = experiment.measure("", new Fake("B", number -> "STILL", false), 1);
        assertThat(still.counts()).isTrue();
        assertThat(still.outcome().observed()).containsExactly(STILL);
    }

    @Test
    void whatItsCellFindsWrongMakesARunInvalidAndIsToldAtOnce() throws Exception {
        Run<String> run = experiment
                .rounds("", List.of(new Fake("A", number -> "FAIL 3 lost", false)), Until.rounds(1))
                .get(0);
        assertThat(run.isWhole()).isTrue();
        assertThat(run.counts()).isFalse();
        assertThat(run.failures()).containsExactly("3 lost");
        assertThat(notices).containsExactly("FAIL A: 3 lost");
    }

    @Test
    void noRoundBeginsThatWouldProbablyEndTooLate() throws Exception {
        Until<String> until = new Until<>(100, 100, 7 * RUN_NANOS, runs -> false);
        assertThat(experiment.rounds("", cells("A", "B"), until)).hasSize(6);
    }

    @Test
    void theFirstRoundRunsHoweverLittleTimeThereIs() throws Exception {
        assertThat(experiment.rounds("", cells("A", "B"), new Until<>(100, 100, 1, runs -> false)))
                .hasSize(2);
    }

    @Test
    void enoughIsEnoughAfterAnyRun() throws Exception {
        assertThat(experiment.rounds(
                        "", cells("A", "B"), new Until<>(100, 100, Long.MAX_VALUE, runs -> runs.size() == 5)))
                .hasSize(5);
    }

    @Test
    void aRunThatDoesNotComeToItsEndIsKeptAndTheOthersGoOn() throws Exception {
        List<Run<String>> runs = experiment.rounds(
                "",
                List.of(new Fake("A", number -> number == 0 ? "END relay died" : "", false), fake("B")),
                Until.rounds(2));
        assertThat(runs).hasSize(4);
        assertThat(runs.get(0).isWhole()).isFalse();
        assertThat(runs.get(0).outcome().partial()).isTrue();
        assertThat(runs.get(0).failures()).containsExactly("relay died");
        assertThat(runs.get(3).counts()).isTrue();
    }

    @Test
    void aGroupIsGivenUpAfterSoManyInARow() throws Exception {
        Cell<String> broken = new Fake("A", number -> number % 3 == 0 ? "" : "END agent gone", false);
        List<Run<String>> runs = experiment.rounds("", List.of(broken, fake("B")), Until.rounds(6));
        assertThat(order)
                .filteredOn("A"::equals)
                .as("one that came to its end, and two that did not")
                .hasSize(3);
        assertThat(runs).hasSize(9);
        assertThat(notices).endsWith("A is given up: 2 runs in a row did not come to their end");
    }

    @Test
    void anInterruptEndsItAndWhatThereIsIsThere() {
        Cell<String> last = new Fake("B", number -> number == 1 ? "INTERRUPT" : "", false);
        assertThatThrownBy(() -> experiment.rounds("", List.of(fake("A"), last), Until.rounds(9)))
                .isInstanceOf(InterruptedException.class);
        assertThat(experiment.runs()).hasSize(2);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void aRunThatFailsBecauseTheProcessIsAskedToEndIsNone() {
        Cell<String> cell = new Fake("A", number -> "ASKED relay ended with exit code 130", false);
        assertThatThrownBy(() -> experiment.rounds("", List.of(cell), Until.rounds(2)))
                .isInstanceOf(InterruptedException.class);
        assertThat(experiment.runs()).isEmpty();
        assertThat(notices).isEmpty();
    }

    @Test
    void aSignalThatComesAMomentAfterTheChildrenDiedIsWaitedFor() {
        Thread tested = Thread.currentThread();
        Cell<String> cell = new Fake(
                "A",
                number -> {
                    new Thread(tested::interrupt).start();
                    return "END relay ended with exit code 130";
                },
                false);
        assertThatThrownBy(() -> experiment.rounds("", List.of(cell), Until.rounds(2)))
                .isInstanceOf(InterruptedException.class);
        assertThat(experiment.runs()).isEmpty();
    }

    @Test
    void aDiskThatIsFullIsToldOnceAndEndsNothing() throws Exception {
        Keeper keeper = new Keeper(
                () -> {
                    throw new IOException("no room");
                },
                listener());
        new Experiment<String>(meter, listener(), keeper, 2).rounds("", cells("A"), Until.rounds(3));
        assertThat(notices).containsExactly("results cannot be written: no room; the runs go on");
        assertThat(keeper.hasFailed()).isTrue();
    }

    private Experiment<String> experiment(int giveUpAfter) {
        return new Experiment<>(
                meter, listener(), new Keeper(() -> kept.add(kept.size() + 1), listener()), giveUpAfter);
    }

    private Listener listener() {
        return new Listener() {
            @Override
            public void notice(String line) {
                notices.add(line);
            }

            @Override
            public RunObserver begins(String where) {
                begun.add(where);
                return RunObserver.NONE;
            }
        };
    }

    private List<Cell<String>> cells(String... names) {
        return Stream.of(names)
                .<Cell<String>>map(name -> new Fake(name, number -> "", true))
                .toList();
    }

    private List<Cell<String>> instant(String... names) {
        return Stream.of(names).<Cell<String>>map(this::fake).toList();
    }

    private Cell<String> fake(String name) {
        return new Fake(name, number -> "", false);
    }

    /** What each run comes to is told by its number. */
    private final class Fake implements Cell<String> {
        private final String name;
        private final LongFunction<String> fate;
        private final boolean takesTime;
        private long runs;

        Fake(String name, LongFunction<String> fate, boolean takesTime) {
            this.name = name;
            this.fate = fate;
            this.takesTime = takesTime;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public Duration estimate() {
            return Duration.ofSeconds(5);
        }

        @Override
        public String measure(RunObserver observer) throws IOException, RunException, InterruptedException {
            order.add(name);
            meter.now += takesTime ? RUN_NANOS : 0;
            String[] words = fate.apply(runs++).split(" ", 2);
            switch (words[0]) {
                case "END" -> throw new RunException(words[1]);
                case "NO_FILE" -> throw new NoSuchFileException(words[1]);
                case "CLOSED" -> throw new ClosedChannelException();
                case "INTERRUPT" -> throw new InterruptedException();
                case "ASKED" -> {
                    meter.endAsked = true;
                    throw new RunException(words[1]);
                }
                default -> {
                    return words[0].equals("FAIL") ? words[1] : words[0];
                }
            }
        }

        @Override
        public List<String> failures(String result) {
            return result.matches("|DISTURBED|STILL") ? List.of() : List.of(result);
        }

        @Override
        public List<String> environment(String result) {
            return result.equals("DISTURBED") ? List.of("others worked") : List.of();
        }

        @Override
        public List<Observed> observed(String result) {
            return result.equals("STILL") ? List.of(STILL) : List.of();
        }
    }
}
