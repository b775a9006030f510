package dev.msgrelay.loadgen.ssh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.host.Tool;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SshTest {
    private static final Tool TOOL = new Subprocess(10_000);

    @ParameterizedTest
    @ValueSource(strings = {"sh", "bash", "dash", "zsh", "ksh", "fish"})
    void wordsGoThroughTheOtherShellAsTheyAre(String shell) throws Exception {
        List<String> words = List.of(
                "plain",
                "two words",
                "",
                "it's",
                "''",
                "\"$HOME\" `id` $(id) $$",
                "a;b|c&d>e<f",
                "*?[a-z]~!#",
                "\\n\\'",
                "--to",
                "tab\there");
        String command = Ssh.remoteCommand("for word; do printf '<%s>' \"$word\"; done", words);
        Tool.Outcome outcome;
        try {
            outcome = TOOL.run(List.of(shell, "-c", command));
        } catch (IOException e) {
            org.junit.jupiter.api.Assumptions.abort("no " + shell + " here");
            return;
        }
        assertThat(outcome.output()).isEqualTo("<" + String.join("><", words) + ">");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "-oProxyCommand=id", "a b", "a\nb", "a\tb"})
    void whatCannotBeAHostIsRefused(String host) {
        assertThatThrownBy(() -> new Ssh(List.of("ssh"), host))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'" + host + "' is no host for ssh");
    }

    @ParameterizedTest
    @ValueSource(strings = {"second", "me@second", "me@10.0.0.2", "fe80::1%eth0", "ssh://me@second:2222"})
    void whatMayBeOneIsLeftToSsh(String host) {
        assertThat(new Ssh(List.of("ssh"), host).host()).isEqualTo(host);
    }

    @Test
    void theFrameAroundAWarningGoes() {
        assertThat(Ssh.inOneLine(
                        "@@@@@@@@@@@\n@    WARNING: IT HAS CHANGED!     @\n@@@@@@@@@@@\n\nSomeone could listen.\n"))
                .isEqualTo("WARNING: IT HAS CHANGED!; Someone could listen.");
    }

    @Test
    void whatIsSaidIsBounded() {
        assertThat(Ssh.inOneLine("x".repeat(100_000))).hasSize(2_003).endsWith("...");
    }
}
