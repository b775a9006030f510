package dev.msgrelay.loadgen.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoundsTest {
    private static final Path SCRATCH = Path.of("unused");

    private final List<String> happened = new ArrayList<>();
    private double hop = 50;

    @Test
    void contestantsRunInTurnWithTheHopBetweenTheRounds() throws Exception {
        TableResult result = run(2, counting("A"), counting("B"), counting("C"));
        assertThat(happened).containsExactly("A0", "B0", "C0", "hop", "A1", "B1", "C1", "hop", "A2", "B2", "C2", "hop");
        assertThat(result.isComplete()).isTrue();
        assertThat(result.rounds()).hasSize(2).allMatch(RoundResult::isSteady);
        assertThat(result.figure(result.row("B"), Tables.SPEED)).isEqualTo(new Figure(1.5, 1, 2, 2));
    }

    @Test
    void aWarmUpIsNotCounted() throws Exception {
        TableResult result = run(1, counting("A"));
        assertThat(result.row("A").measurements()).hasSize(1);
        assertThat(result.figure(result.row("A"), Tables.SPEED).median()).isEqualTo(1);
    }

    @Test
    void whoLosesSomethingHasNoTimeAndIsNotTriedAgain() throws Exception {
        TableResult result = run(3, counting("A"), new Fake("B") {
            @Override
            Measurement measure(Go go) throws WrongResultException {
                if (go.round() == 2) {
                    throw new WrongResultException("99 of 100 messages came");
                }
                return Measurement.of(Tables.SPEED, 7);
            }
        });
        RowResult failed = result.row("B");
        assertThat(failed.failed()).isTrue();
        assertThat(failed.failure()).isEqualTo("99 of 100 messages came");
        assertThat(failed.measurements()).isEmpty();
        assertThat(result.figure(failed, Tables.SPEED).isPresent()).isFalse();
        assertThat(happened).contains("B2").doesNotContain("B3").contains("A3");
    }

    @Test
    void aFailureOfInputOrOutputIsTheContestantsToo() throws Exception {
        TableResult result = run(2, new Fake("A") {
            @Override
            Measurement measure(Go go) throws IOException {
                throw new IOException("connection refused");
            }
        });
        assertThat(result.row("A").failure()).isEqualTo("connection refused");
        assertThat(happened).containsExactly("A0", "hop", "hop", "hop");
    }

    @Test
    void soIsABug() throws Exception {
        TableResult result = run(1, new Fake("A") {
            @Override
            Measurement measure(Go go) {
                throw new IllegalStateException("a bug");
            }
        });
        assertThat(result.row("A").failure()).isEqualTo("java.lang.IllegalStateException: a bug");
    }

    @Test
    void whatThereIsWhenInterruptedCanBeAskedFor() {
        Rounds rounds = rounds(5, counting("A"), new Fake("B") {
            @Override
            Measurement measure(Go go) throws IOException {
                if (go.round() == 2) {
                    Thread.currentThread().interrupt();
                    throw new ClosedByInterruptException();
                }
                return Measurement.of(Tables.SPEED, 7);
            }
        });
        assertThatThrownBy(rounds::run).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        TableResult result = rounds.result();
        assertThat(result.isComplete()).isFalse();
        assertThat(result.row("B").failed()).isFalse();
        assertThat(result.counted()).as("the round that was broken off").containsExactly(0);
        assertThat(result.figure(result.row("A"), Tables.SPEED)).isEqualTo(new Figure(1, 1, 1, 1));
    }

    @Test
    void aRoundDuringWhichTheMachineChangedIsMarked() throws Exception {
        TableResult result = run(3, new Fake("A") {
            @Override
            Measurement measure(Go go) {
                hop = go.round() == 2 ? 230 : hop;
                return Measurement.of(Tables.SPEED, go.round());
            }
        });
        assertThat(result.rounds()).extracting(RoundResult::isSteady).containsExactly(true, false, true);
        assertThat(result.counted()).containsExactly(0, 2);
    }

    private TableResult run(int wanted, Contestant... contestants) throws InterruptedException {
        Rounds rounds = rounds(wanted, contestants);
        rounds.run();
        return rounds.result();
    }

    private Rounds rounds(int wanted, Contestant... contestants) {
        return new Rounds(
                Tables.table(Tables.SPEED, List.of(contestants)),
                wanted,
                SCRATCH,
                () -> {
                    happened.add("hop");
                    return hop;
                },
                LabObserver.NONE);
    }

    private Contestant counting(String name) {
        return new Fake(name) {
            @Override
            Measurement measure(Go go) {
                return Measurement.of(Tables.SPEED, go.round());
            }
        };
    }

    private abstract class Fake implements Contestant {
        private final String name;

        Fake(String name) {
            this.name = name;
        }

        abstract Measurement measure(Go go) throws IOException, WrongResultException;

        @Override
        public String name() {
            return name;
        }

        @Override
        public Measurement go(Go go) throws IOException, WrongResultException {
            happened.add(name + go.round());
            return measure(go);
        }
    }
}
