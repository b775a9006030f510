package dev.msgrelay.loadgen.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The command itself, on whatever machine the tests run. */
class LanesCommandTest extends CommandTest {
    @Test
    void eachLaneIsALineThatSaysWhetherItIsPossible() {
        assertThat(execute("lanes")).as(err.toString()).isZero();
        assertThat(out.toString().lines())
                .hasSize(5)
                .allMatch(line -> line.matches("\\S+( \\(emulated, MTU 1500\\))? +(not )?possible +\\S.*"));
    }

    @Tag("thorough")
    @Test
    void whatIsPossibleCanBeOpened() throws Exception {
        assertThat(execute("lanes", "--json", "--open", "--mtu", "9000"))
                .as(out.toString())
                .isZero();
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
}
