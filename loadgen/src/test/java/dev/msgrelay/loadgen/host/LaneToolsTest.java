package dev.msgrelay.loadgen.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LaneToolsTest {
    @Test
    void rootNeedsNoUserNamespace() throws Exception {
        LaneTools tools = LaneTools.probe(command -> outcome(true));
        assertThat(tools.way()).isEqualTo("as root");
        assertThat(tools.inUserNamespace()).isFalse();
    }

    @Test
    void otherwiseAUserNamespaceIsTried() throws Exception {
        LaneTools tools = LaneTools.probe(
                command -> outcome(!command.contains("unshare") || command.contains("--user") || command.size() == 2));
        assertThat(tools.available()).isTrue();
        assertThat(tools.way()).isEqualTo("in a user namespace");
        assertThat(tools.inUserNamespace()).isTrue();
    }

    @Test
    void whyItIsNotPossibleIsToldInOneLine() throws Exception {
        LaneTools tools = LaneTools.probe(command -> command.contains("--net")
                ? new Tool.Completed(1, "unshare: unshare failed: Operation not permitted\nmore")
                : outcome(true));
        assertThat(tools.available()).isFalse();
        assertThat(tools.reason()).isEqualTo("unshare: unshare failed: Operation not permitted");
    }

    @Test
    void aMissingCommandIsNamed() throws Exception {
        assertThat(LaneTools.probe(without(Set.of("tc"))).reason()).isEqualTo("no command tc here");
        assertThat(LaneTools.probe(without(Set.of("nsenter"))).reason()).isEqualTo("no command nsenter here");
        assertThat(LaneTools.probe(without(Set.of("ip", "tc", "unshare"))).reason())
                .isEqualTo("no command ip here");
    }

    @Test
    void aTrialThatDoesNotEndIsAReason() throws Exception {
        LaneTools tools = LaneTools.probe(command -> {
            if (command.contains("--net")) {
                throw new IOException("unshare did not end within 2000 ms");
            }
            return outcome(true);
        });
        assertThat(tools.reason()).isEqualTo("unshare did not end within 2000 ms");
    }

    private static Tool without(Set<String> missing) {
        return (List<String> command) -> {
            if (missing.contains(command.get(0))) {
                throw new IOException("No such file or directory");
            }
            return outcome(true);
        };
    }

    private static Tool.Completed outcome(boolean success) {
        return new Tool.Completed(success ? 0 : 1, "");
    }
}
