package dev.msgrelay.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.lab.Contestant.Work;
import dev.msgrelay.lab.Experiment.Settings;
import dev.msgrelay.loadgen.plan.Json;
import dev.msgrelay.loadgen.render.HtmlPage;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A made-up experiment from its needs to its report. */
class LabRunTest {
    @TempDir
    private Path directory;

    private final List<String> happened = new ArrayList<>();
    private boolean ended;

    @Test
    void contestantsRunInTurn() throws Exception {
        TableResult result = table(2, counting("A"), counting("B"), counting("C"));
        assertThat(happened).containsExactly("A0", "B0", "C0", "A1", "B1", "C1", "C2", "B2", "A2");
        assertThat(result.rows()).allSatisfy(row -> assertThat(row.goes()).hasSize(2));
        assertThat(figure(result, "B")).isEqualTo(new Figure(1.5, 1, 2));
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
        assertThat(figure(result, "B").median()).isNaN();
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
                .contains("5 rounds: median [least most]")
                .contains("- \"A is faster\": cannot tell: B FAILED");

        JsonNode json = Json.parse(new LabReport(result).json());
        assertThat(json.path("schema").asString()).isEqualTo("relay-lab/4");
        JsonNode table = json.path("experiments").path(0).path("tables").path(0);
        JsonNode speed = table.path("rows").path(0).path("figures").path("speed");
        assertThat(speed.path("median").asDouble()).isEqualTo(30);
        assertThat(speed.path("article").path("high").asDouble()).isEqualTo(18);
        assertThat(speed.path("rounds")).hasToString("[10.0,20.0,30.0,40.0,50.0]");
        JsonNode failed = table.path("rows").path(1);
        assertThat(failed.path("failure").asString()).isEqualTo("1 byte is missing");
        assertThat(failed.path("figures").path("speed").path("median").isNull()).isTrue();
        JsonNode claim = table.path("claims").path(0);
        assertThat(claim.path("claim").asString()).isEqualTo("A is faster");
        assertThat(claim.path("direction").asString()).isEqualTo("cannot tell");
        assertThat(claim.path("size").isNull()).isTrue();
        JsonNode lines = table.path("charts").path(0).path("series");
        assertThat(lines).hasSize(1);
        assertThat(lines.path(0).path("points")).hasSize(5);
        assertThat(table.path("columns").path(0).path("better").asString()).isEqualTo("higher");
    }

    @Test
    void theClaimsAreTheFirstTableOfThePage() {
        LabResult result = run(5, counting("A"), named("B", go -> Measurement.of(Tables.SPEED, 1)));
        String html = HtmlPage.of("Lab", new LabReport(result).page());
        assertThat(html).contains("What the articles claim", "A is faster", "made-up: one");
        assertThat(html.indexOf("What the articles claim")).isLessThan(html.indexOf("The one table"));
        assertThat(html.indexOf("A is faster")).isEqualTo(html.lastIndexOf("A is faster"));
    }

    @Test
    void whatIsMissingIsSaidBeforeAnythingStarts() {
        Experiment experiment = madeUp(new Needs(Long.MAX_VALUE, 0, 1));
        LabRun run = new LabRun(settings(3), line -> {}, () -> false);
        assertThatThrownBy(() -> run.check(List.of(experiment)))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("made-up: 9,223,372,036,855 MB needed in " + directory);
    }

    private static String text(LabResult result) {
        return new LabReport(result).text(result.experiments().get(0));
    }

    private static Figure figure(TableResult table, String row) {
        return table.row(row).figure(Tables.SPEED);
    }

    private TableResult table(int rounds, Contestant... contestants) {
        return run(rounds, contestants).experiments().get(0).tables().get(0);
    }

    private LabResult run(int rounds, Contestant... contestants) {
        LabResult result =
                new LabRun(settings(rounds), line -> {}, () -> false).run(madeUp(new Needs(0, 0, 1), contestants));
        assertThat(ended).isTrue();
        return result;
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

    private Settings settings(int rounds) {
        return Tables.settings(rounds, null, directory);
    }

    private Experiment madeUp(Needs needs, Contestant... contestants) {
        List<Claim> claims =
                contestants.length < 2 ? List.of() : List.of(Claim.better("A is faster", Tables.SPEED, "A", "B"));
        LabTable table = new LabTable(
                "one",
                "The one table",
                List.of(Tables.SPEED),
                List.of(contestants),
                ArticleFigures.of(List.of(Tables.SPEED), "A | 16-18"),
                measured -> Claim.judge(claims, measured),
                List.of());
        return new Experiment(
                "made-up",
                "Is A faster?",
                "Made up, 1999",
                "one host",
                needs,
                () -> List.of(table),
                () -> ended = true);
    }

    @Test
    void aFailureBehindTheSignalIsTheSignals() {
        AtomicBoolean stopping = new AtomicBoolean();
        LabRun run = new LabRun(settings(2), line -> {}, stopping::get);
        LabResult result = run.run(madeUp(new Needs(0, 0, 1), named("A", go -> {
            stopping.set(true);
            throw new IOException("broken pipe");
        })));
        assertThat(result.interrupted()).isTrue();
        assertThat(result.failed()).isFalse();
    }

    /** The exit code is the lab's, with its reports in the files. */
    @Test
    void aFailedRowEndsTheLabWithOne() throws Exception {
        StringWriter out = new StringWriter();
        PrintWriter writer = new PrintWriter(out, true);
        Lab lab = new Lab(settings(1), directory.resolve("json"), directory.resolve("html"), writer, writer);
        assertThat(lab.run(List.of(madeUp(new Needs(0, 0, 1), counting("A"))))).isZero();
        Experiment failing = madeUp(new Needs(0, 0, 1), named("A", go -> {
            throw new WrongResultException("1 byte is missing");
        }));
        assertThat(lab.run(List.of(failing))).isOne();
        assertThat(out.toString()).contains("FAILED A: 1 byte is missing");
        assertThat(Files.readString(directory.resolve("json"))).contains("1 byte is missing");
        assertThat(Files.readString(directory.resolve("html"))).contains("1 byte is missing");
    }
}
