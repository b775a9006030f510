package dev.msgrelay.server.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.testing.TestProcess;
import dev.msgrelay.testing.ThisMachine;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A connection is few objects: so many of our own has a plain one, lambdas counted. */
class ConnectionObjectsTest {
    private static final int PUBLISHER = 20;
    private static final int SUBSCRIBER = 22;

    @Test
    void aPlainConnectionIsFewObjects() throws Exception {
        TestProcess.Outcome outcome = TestProcess.run(
                ThisMachine.java().toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                ThisMachine.classPath(),
                ConnectionObjects.class.getName());
        assertThat(outcome.exitCode()).as(outcome.said()).isZero();
        assertThat(objects(outcome.said(), "publisher "))
                .contains("Session", "PublisherConnection")
                .hasSizeLessThanOrEqualTo(PUBLISHER);
        assertThat(objects(outcome.said(), "subscriber "))
                .contains("Session", "SubscriberConnection")
                .hasSizeLessThanOrEqualTo(SUBSCRIBER);
    }

    private static List<String> objects(String said, String role) {
        return said.lines()
                .filter(line -> line.startsWith(role))
                .map(line -> Arrays.asList(line.substring(role.length()).split(" ")))
                .findFirst()
                .orElseThrow(() -> new AssertionError(said));
    }
}
