package dev.msgrelay.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import dev.msgrelay.lab.Contestant.Work;
import dev.msgrelay.loadgen.experiment.Listener;
import dev.msgrelay.loadgen.experiment.Meter;
import dev.msgrelay.loadgen.experiment.Run;
import dev.msgrelay.loadgen.render.HtmlWriter;
import dev.msgrelay.loadgen.result.Spread;
import dev.msgrelay.loadgen.run.RunObserver;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;

/** A made-up experiment from its needs to its report. */
class LabRunTest {
    @TempDir
    private Path directory;

    private final List<String> happened = new ArrayList<>();

    static final Listener SILENT = new Listener() {
        @Override
        public void notice(String line) {}

        @Override
        public RunObserver begins(String where) {
            return RunObserver.NONE;
        }
    };

    static final Meter METER = new Meter() {
        @Override
        public long nanoTime() {
            return 0;
        }

        @Override
        public boolean isEndAsked() {
            return false;
        }
    };

    @Test
    void contestantsRunInTurn() throws Exception {
        TableResult result = table(2, counting("A"), counting("B"), counting("C"));
        assertThat(happened).containsExactly("A0", "B0", "C0", "A1", "B1", "C1", "C2", "B2", "A2");
        assertThat(result.rows())
                .allSatisfy(row -> assertThat(row.goes()).hasSize(2).allMatch(Run::counts));
        assertThat(figure(result, "B")).isEqualTo(new Spread(1.5, 1, 2));
    }

    @Test
    void whoLosesSomethingHasNoTimeAndIsNotTriedAgain() throws Exception {
        TableResult result = table(3, counting("A"), named("B", go -> {
            if (go.round() == 2) {
                throw new WrongResultException("99 of 100 messages came");
            }
            return Measurement.of(Tables.SPEED, 7);
        }));
        assertThat(result.row("B").failure()).isEqualTo("99 of 100 messages came");
        assertThat(result.row("B").goes()).isEmpty();
        assertThat(figure(result, "B").isKnown()).isFalse();
        assertThat(happened).contains("B2").doesNotContain("B3").contains("A3");
    }

    @Test
    void aFailureOfInputOrOutputIsTheContestantsToo() throws Exception {
        TableResult result = table(2, named("A", go -> {
            throw new IOException("connection refused");
        }));
        assertThat(result.row("A").failure()).isEqualTo("connection refused");
        assertThat(happened).containsExactly("A0");
    }

    @Test
    void soIsABug() throws Exception {
        TableResult result = table(1, named("A", go -> {
            throw new IllegalStateException("a bug");
        }));
        assertThat(result.row("A").failure()).isEqualTo("java.lang.IllegalStateException: a bug");
    }

    @Test
    void whatIsInterruptedIsMarkedAndLeavesNothing() {
        LabResult result = run(5, counting("A"), named("B", go -> {
            Files.writeString(go.scratch().resolve("file" + go.round()), "text");
            if (go.round() == 2) {
                Thread.currentThread().interrupt();
                throw new ClosedByInterruptException();
            }
            return Measurement.of(Tables.SPEED, 7);
        }));
        assertThat(Thread.interrupted()).isFalse();
        assertThat(result.interrupted()).isTrue();
        TableResult table = result.experiments().get(0).tables().get(0);
        assertThat(table.row("B").failed()).isFalse();
        assertThat(table.row("B").goes()).hasSize(1);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aRunHasFiguresClaimsVerdictsAndFailedRows() throws Exception {
        LabResult result = run(5, named("A", go -> Measurement.of(Tables.SPEED, 10 * go.round())), named("B", go -> {
            throw new WrongResultException("1 byte is missing");
        }));
        assertThat(result.failed()).isTrue();
        assertThat(text(result))
                .contains("made-up: Is A faster?")
                .contains("article: Made up, 1999; one host")
                .containsPattern("speed \\(MB/s\\) +article")
                .containsPattern("A +30 \\[10 50] +16-18")
                .containsPattern("B +FAILED")
                .contains("FAILED B: 1 byte is missing")
                .contains("5 rounds, 5 of 5 goes counted: median [least most]")
                .contains("- \"A is faster\": cannot tell: B FAILED")
                .contains("- \"A has 10 to 50\": holds");

        JsonObject json = JsonParser.object().from(new LabReport(result).json());
        assertThat(json.getString("schema")).isEqualTo("relay-lab/3");
        JsonObject table =
                json.getArray("experiments").getObject(0).getArray("tables").getObject(0);
        JsonObject speed =
                table.getArray("rows").getObject(0).getObject("figures").getObject("speed");
        assertThat(speed.getDouble("median")).isEqualTo(30);
        assertThat(speed.getObject("article").getDouble("high")).isEqualTo(18);
        assertThat(speed.getArray("rounds")).containsExactly(10.0, 20.0, 30.0, 40.0, 50.0);
        JsonObject failed = table.getArray("rows").getObject(1);
        assertThat(failed.getString("failure")).isEqualTo("1 byte is missing");
        assertThat(failed.getObject("figures").getObject("speed").isNull("median"))
                .isTrue();
        JsonObject claim = table.getArray("claims").getObject(0);
        assertThat(claim.getString("claim")).isEqualTo("A is faster");
        assertThat(claim.getString("direction")).isEqualTo("cannot tell");
        assertThat(claim.isNull("size")).isTrue();
        assertThat(table.getArray("columns").getObject(0).getString("better")).isEqualTo("higher");
    }

    @Test
    void theClaimsAreTheFirstTableOfThePage() {
        LabResult result = run(5, counting("A"), named("B", go -> Measurement.of(Tables.SPEED, 1)));
        String html = HtmlWriter.html(new LabReport(result).page());
        assertThat(html).contains("What the articles claim", "A is faster", "made-up: one");
        assertThat(html.indexOf("What the articles claim")).isLessThan(html.indexOf("The one table"));
        assertThat(html.indexOf("A is faster")).isEqualTo(html.lastIndexOf("A is faster"));
    }

    @Test
    void whatIsMissingIsSaidBeforeAnythingStarts() {
        MadeUp experiment = new MadeUp(new Needs(Long.MAX_VALUE, 0, 1));
        LabRun run = new LabRun(new LabOptions(true, 3, directory), METER, SILENT);
        assertThatThrownBy(() -> run.check(List.of(experiment)))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("made-up: 9,223,372,036,855 MB needed in " + directory);
    }

    @Test
    void anExperimentThatCannotBeRunDoesNotHinderTheNext() {
        MadeUp cannot = new MadeUp(new Needs(0, 0, 1)) {
            @Override
            public List<LabTable> tables() throws IOException {
                throw new IOException("no such lane");
            }
        };
        MadeUp can = new MadeUp(new Needs(0, 0, 1), counting("A"), counting("B"));
        LabRun run = new LabRun(new LabOptions(true, 1, directory), METER, SILENT);
        run.run(cannot);
        LabResult result = run.run(can);
        assertThat(result.experiments()).hasSize(2);
        assertThat(text(result)).contains("FAILED: no such lane");
        assertThat(result.experiments().get(1).tables()).hasSize(1);
        assertThat(can.ended).isTrue();
        assertThat(cannot.ended).isTrue();
        assertThat(HtmlWriter.html(new LabReport(result).page())).contains("FAILED: no such lane", "made-up: one");
    }

    private static String text(LabResult result) {
        return new LabReport(result).text(result.experiments().get(0));
    }

    private static Spread figure(TableResult table, String row) {
        return table.figure(table.row(row), Tables.SPEED);
    }

    private TableResult table(int rounds, Contestant... contestants) {
        return run(rounds, contestants).experiments().get(0).tables().get(0);
    }

    private LabResult run(int rounds, Contestant... contestants) {
        return new LabRun(new LabOptions(true, rounds, directory), METER, SILENT)
                .run(new MadeUp(new Needs(0, 0, 1), contestants));
    }

    private Contestant counting(String name) {
        return named(name, go -> Measurement.of(Tables.SPEED, go.round()));
    }

    private Contestant named(String name, Work work) {
        return new Contestant(name, "", go -> {
            happened.add(name + go.round());
            return work.go(go);
        });
    }

    @Command(name = "made-up")
    private static class MadeUp extends Experiment {
        private final Needs wanted;
        private final List<Contestant> contestants;
        private boolean ended;

        MadeUp(Needs wanted, Contestant... contestants) {
            super("Is A faster?", new Article("Made up", 1999, "one host"));
            this.wanted = wanted;
            this.contestants = List.of(contestants);
        }

        @Override
        public String name() {
            return "made-up";
        }

        @Override
        protected void check(CommandSpec command) {
            // no options
        }

        @Override
        public void end() {
            ended = true;
        }

        @Override
        public Needs needs() {
            return wanted;
        }

        @Override
        public List<LabTable> tables() throws IOException {
            List<Claim> claims = contestants.size() < 2
                    ? List.of()
                    : List.of(
                            Claim.better("A is faster", Tables.SPEED, "A", "B"),
                            Claim.within("A has 10 to 50", Tables.SPEED, "A", 10, 50));
            return List.of(new LabTable(
                    "one",
                    "The one table",
                    List.of(Tables.SPEED),
                    contestants,
                    ArticleFigures.of(List.of(Tables.SPEED), "A | 16-18"),
                    table -> Claim.judge(claims, table),
                    List.of()));
        }
    }
}
