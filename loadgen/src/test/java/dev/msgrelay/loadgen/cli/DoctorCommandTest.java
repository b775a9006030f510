package dev.msgrelay.loadgen.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The command itself, on whatever machine the tests run. */
class DoctorCommandTest extends CommandTest {
    @Test
    void everyFindingIsOneLineAndTheLastOneSumsUp() {
        assertThat(execute("doctor")).as(err.toString()).isZero();
        String[] lines = out.toString().split("\n");
        assertThat(lines).hasSizeGreaterThan(25);
        assertThat(lines[0]).startsWith("cores ");
        assertThat(lines[lines.length - 1]).endsWith(": runs are possible");
        for (int i = 0; i < lines.length - 2; i++) {
            assertThat(lines[i]).matches(".* (fine|note|WARNING) .*");
        }
    }

    @Test
    void programsGetTheSameWithFigures() throws Exception {
        String loopback = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress())
                .getName();
        assertThat(execute("doctor", "--json", "--interface", loopback))
                .as(err.toString())
                .isZero();
        JsonObject json = JsonParser.object().from(out.toString());
        assertThat(json.getInt("schemaVersion")).isPositive();
        assertThat(json.getArray("notes").getString(0)).endsWith("runs are possible");
        assertThat(json.getArray("sites").getObject(0).getObject("machine").getInt("cores"))
                .isPositive();
        Map<String, JsonObject> findings = new HashMap<>();
        JsonArray list = json.getArray("findings");
        for (int i = 0; i < list.size(); i++) {
            findings.put(list.getObject(i).getString("name"), list.getObject(i));
        }
        assertThat(findings).containsKeys("cores", "core-to-core hop", "kernel", loopback + " link", "emulated links");
        assertThat(findings.keySet().stream().filter(name -> name.endsWith(" link")))
                .hasSize(1);
        assertThat(findings.get("cores").getObject("figures").getInt("cores"))
                .isEqualTo(Runtime.getRuntime().availableProcessors());
        assertThat(findings.get("nanoTime").getObject("figures").getDouble("costNanos"))
                .isPositive();
        assertThat(findings.get("transports").getObject("figures").getArray("available"))
                .contains("nio");
        assertThat(findings.get("JDK").getString("level")).isEqualTo("fine");
        assertThat(findings.get("loopback").getString("meaning")).isNotBlank();
    }
}
