package dev.msgrelay.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a client says gets into a log as one line of text and nothing else. */
class PeerTest {
    @Test
    void nothingThatATerminalObeys() {
        // New line, ESC, DEL, the one-character CSI, line separator, right-to-left override.
        for (char c : new char[] {'\n', '\r', 0x1B, 0x7F, 0x9B, 0x2028, 0x202E}) {
            assertThat(Peer.printable("a" + c + "b")).as("U+%04X", (int) c).isEqualTo("a?b");
        }
        assertThat(Peer.printable("M\u00FCnchen \u2013 2")).isEqualTo("M\u00FCnchen \u2013 2");
    }

    @Test
    void notALineWithoutEnd() {
        assertThat(Peer.printable("x".repeat(200))).hasSize(200);
        assertThat(Peer.printable("x".repeat(16_000))).hasSize(203).endsWith("x...");
    }
}
