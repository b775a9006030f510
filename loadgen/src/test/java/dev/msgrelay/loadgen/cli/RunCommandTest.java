package dev.msgrelay.loadgen.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The command itself, with a short run. */
class RunCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void aValidRunPassesAndPrintsItsTable() {
        assertThat(run("--warmup", "200ms", "--duration", "300ms"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString())
                .contains("subscriber", "latency", "  bound by  ", "machine:", "core-to-core hop", "PASS");
    }

    @Test
    void theResultIsAvailableAsJson() throws Exception {
        int code =
                run("--warmup", "200ms", "--duration", "300ms", "--rate", "500", "--body", "uniform:16-90", "--json");
        JsonObject json = JsonParser.object().from(out.toString());
        // Whether the schedule is kept depends on what else the machine does.
        assertThat(json.getArray("failures").toString()).doesNotContain("subscriber", "window");
        assertThat(json.getBoolean("valid")).isEqualTo(code == 0);
        assertThat(json.getObject("in").getObject("lateness").getLong("recorded"))
                .isPositive();
        assertThat(json.getString("bodySizes")).isEqualTo("uniform:16-90");
        assertThat(json.getDouble("body")).isEqualTo(53);
        assertThat(json.getInt("seed")).isOne();
        assertThat(json.getObject("out").getLong("messages")).isPositive();
        assertThat(json.getArray("perSubscriber").getObject(0).getLong("lost")).isZero();
        assertThat(json.getObject("boundBy").getArray("reasons")).isNotEmpty();
        assertThat(json.getObject("signals").getInt("samples")).isPositive();
        assertThat(json.has("timeline")).isTrue();
    }

    @Test
    void sizesSeedBurstAndSkewAreTold() {
        run(
                "--warmup",
                "200ms",
                "--duration",
                "300ms",
                "--rate",
                "500",
                "--burst",
                "5",
                "--body",
                "sizes:16x1,90x2",
                "--seed",
                "77",
                "--subscribers",
                "2");
        assertThat(out.toString())
                .contains("bodies of 16 to 90 bytes (mean 65) in the order of seed 77", "in bursts of 5")
                .containsPattern("schedule: +[0-9.]+ % within 1 ms")
                .containsPattern("skew +p50 ");
    }

    @Test
    void aRelayThatIsNotThereIsAFailure() {
        assertThat(run("--connect", "127.0.0.1:2", "--duration", "100ms")).isOne();
        assertThat(err.toString()).contains("FAIL: subscriber 0: cannot connect to 127.0.0.1:1");
    }

    private int run(String... args) {
        CommandLine command = LoadgenMain.commandLine();
        command.setOut(new PrintWriter(out, true));
        command.setErr(new PrintWriter(err, true));
        String[] all = new String[args.length + 1];
        all[0] = "run";
        System.arraycopy(args, 0, all, 1, args.length);
        return command.execute(all);
    }
}
