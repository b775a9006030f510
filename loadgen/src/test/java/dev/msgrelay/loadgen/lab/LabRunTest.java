package dev.msgrelay.loadgen.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import dev.msgrelay.loadgen.lab.output.LabJson;
import dev.msgrelay.loadgen.lab.output.LabPage;
import dev.msgrelay.loadgen.lab.output.LabText;
import dev.msgrelay.loadgen.page.HtmlWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A made-up experiment from its needs to its report. */
class LabRunTest {
    private static final HopMeter HOPS = () -> 50;

    @TempDir
    Path directory;

    @Test
    void aRunHasFiguresClaimsFindingsAndFailedRows() throws Exception {
        LabResult result = run(new MadeUp(new Needs(0, 0, 1), go -> 0));
        assertThat(result.interrupted()).isFalse();
        assertThat(result.failed()).isTrue();
        String text = LabText.of(result.experiments().get(0));
        assertThat(text)
                .contains("made-up: Is A faster?")
                .contains("article: Made up, 1999; one host")
                .containsPattern("speed \\(MB/s\\) +article")
                .containsPattern("A +20 \\[10 30] +16-18")
                .containsPattern("B +FAILED")
                .contains("FAILED B: 1 byte is missing")
                .contains("3 of 3 rounds, 3 counted")
                .contains("- \"A is faster\": cannot be told. B FAILED");

        JsonObject json = JsonParser.object().from(LabJson.of(result));
        assertThat(json.getString("schema")).isEqualTo("relay-lab/1");
        JsonObject table =
                json.getArray("experiments").getObject(0).getArray("tables").getObject(0);
        JsonObject speed =
                table.getArray("rows").getObject(0).getObject("figures").getObject("speed");
        assertThat(speed.getDouble("median")).isEqualTo(20);
        assertThat(speed.getObject("article").getDouble("high")).isEqualTo(18);
        assertThat(speed.getArray("rounds")).containsExactly(10.0, 20.0, 30.0);
        JsonObject failed = table.getArray("rows").getObject(1);
        assertThat(failed.getBoolean("failed")).isTrue();
        assertThat(failed.getObject("figures").getObject("speed").isNull("median"))
                .isTrue();
    }

    @Test
    void filesAreGoneAfterwards() throws Exception {
        run(new MadeUp(new Needs(1, 1, 1), go -> {
            assertThat(go.scratch()).isDirectory().hasParentRaw(directory);
            Files.writeString(go.scratch().resolve("file" + go.round()), "text");
            return 0;
        }));
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void whatIsInterruptedIsMarkedAndLeavesNothing() throws Exception {
        LabResult result = run(new MadeUp(new Needs(0, 0, 1), go -> {
            if (go.round() == 2) {
                throw new InterruptedException();
            }
            return 0;
        }));
        assertThat(result.interrupted()).isTrue();
        TableResult table = result.experiments().get(0).tables().get(0);
        assertThat(table.isComplete()).isFalse();
        assertThat(table.row("A").measurements()).hasSize(1);
        assertThat(LabText.of(result.experiments().get(0))).contains("round 2 was broken off");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void whatIsMissingIsSaidBeforeAnythingStarts() {
        MadeUp experiment = new MadeUp(new Needs(Long.MAX_VALUE, 0, 1), go -> {
            throw new AssertionError("it was started");
        });
        assertThatThrownBy(() -> run(experiment))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("made-up: 9,223,372,036,855 MB needed in " + directory);
    }

    @Test
    void anExperimentThatCannotBeRunDoesNotHinderTheNext() throws Exception {
        MadeUp cannot = new MadeUp(new Needs(0, 0, 1), go -> 0) {
            @Override
            public List<LabTable> tables(LabOptions options) throws IOException {
                throw new IOException("no such lane");
            }
        };
        MadeUp can = new MadeUp(new Needs(0, 0, 1), go -> 0);
        LabRun run = new LabRun(new LabOptions(true, 1, directory), HOPS, LabObserver.NONE);
        run.run(cannot, 1, 2);
        LabResult result = run.run(can, 2, 2);
        assertThat(result.experiments()).hasSize(2);
        assertThat(LabText.of(result.experiments().get(0))).contains("FAILED: no such lane");
        assertThat(result.experiments().get(1).tables()).hasSize(1);
        assertThat(can.ended).isTrue();
        assertThat(cannot.ended).isTrue();
        assertThat(HtmlWriter.html(LabPage.of(result))).contains("FAILED: no such lane", "made-up: one");
    }

    private LabResult run(Experiment experiment) throws IOException {
        LabRun run = new LabRun(new LabOptions(true, 3, directory), HOPS, LabObserver.NONE);
        run.check(List.of(experiment));
        return run.run(experiment, 1, 1);
    }

    /** What A does besides. */
    private interface Deed {
        int perform(Go go) throws IOException, InterruptedException;
    }

    private static class MadeUp implements Experiment {
        private final Needs wanted;
        private final Deed deed;
        private boolean ended;

        MadeUp(Needs wanted, Deed deed) {
            this.wanted = wanted;
            this.deed = deed;
        }

        @Override
        public void end() {
            ended = true;
        }

        @Override
        public String name() {
            return "made-up";
        }

        @Override
        public String question() {
            return "Is A faster?";
        }

        @Override
        public Article article() {
            return new Article("Made up", 1999, "one host");
        }

        @Override
        public Needs needs(LabOptions options) {
            return wanted;
        }

        @Override
        public List<LabTable> tables(LabOptions options) throws IOException {
            Contestant a = new Named("A") {
                @Override
                public Measurement go(Go go) throws IOException, InterruptedException {
                    deed.perform(go);
                    return Measurement.of(Tables.SPEED, 10 * go.round());
                }
            };
            Contestant b = new Named("B") {
                @Override
                public Measurement go(Go go) throws WrongResultException {
                    throw new WrongResultException("1 byte is missing");
                }
            };
            return List.of(new LabTable(
                    "one",
                    "The one table",
                    List.of(Tables.SPEED),
                    List.of(a, b),
                    Claims.NONE.and("A", Tables.SPEED, 16, 18),
                    List.of(),
                    table -> List.of(Findings.better("A is faster", table, Tables.SPEED, "A", "B"))));
        }
    }

    private abstract static class Named implements Contestant {
        private final String name;

        Named(String name) {
            this.name = name;
        }

        @Override
        public String name() {
            return name;
        }
    }
}
