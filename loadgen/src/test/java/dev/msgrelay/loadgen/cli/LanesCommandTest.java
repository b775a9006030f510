package dev.msgrelay.loadgen.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** The command itself, on whatever machine the tests run. */
@Timeout(60)
class LanesCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void eachLaneIsALineThatSaysWhetherItIsPossible() {
        assertThat(run()).as(err.toString()).isZero();
        assertThat(out.toString().lines())
                .hasSize(5)
                .allMatch(line -> line.matches("\\S+( \\(emulated, MTU 1500\\))? +(not )?possible +\\S.*"));
    }

    @Test
    void whatIsPossibleCanBeOpened() throws Exception {
        assertThat(run("--json", "--open", "--mtu", "9000")).as(out.toString()).isZero();
        JsonArray lanes = JsonParser.object().from(out.toString()).getArray("lanes");
        assertThat(lanes).hasSize(5);
        for (int i = 0; i < lanes.size(); i++) {
            JsonObject lane = lanes.getObject(i);
            assertThat(lane.getBoolean("possible")).isEqualTo(lane.isNull("reason"));
            assertThat(lane.getString("label").contains("emulated")).isEqualTo(lane.getBoolean("emulated"));
        }
        JsonObject ten = lanes.getObject(3);
        assertThat(ten.getString("lane")).isEqualTo("10gbe");
        assertThat(ten.getInt("mtu")).isEqualTo(9_000);
        assertThat(ten.getLong("bitsPerSecond")).isEqualTo(10_000_000_000L);
        assertThat(ten.getDouble("payloadBytesPerSecond")).isEqualTo(1.25e9 * 8_948 / 9_014);
    }

    private int run(String... args) {
        CommandLine command = LoadgenMain.commandLine();
        command.setOut(new PrintWriter(out, true));
        command.setErr(new PrintWriter(err, true));
        String[] all = new String[args.length + 1];
        all[0] = "lanes";
        System.arraycopy(args, 0, all, 1, args.length);
        return command.execute(all);
    }
}
