package dev.msgrelay.protocol.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class WatchedOutputTest {
    private static final class Failing extends OutputStream {
        private final String why;

        Failing(String why) {
            this.why = why;
        }

        @Override
        public void write(int b) throws IOException {
            throw new IOException(why);
        }
    }

    private static PrintWriter writer(WatchedOutput out) {
        return new PrintWriter(out, false, StandardCharsets.UTF_8);
    }

    @Test
    void linesGoThrough() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        WatchedOutput out = new WatchedOutput(bytes);
        PrintWriter writer = writer(out);
        writer.print("a line");
        assertThat(out.isRead(writer)).isTrue();
        out.write('!');
        assertThat(bytes.toString(StandardCharsets.UTF_8)).isEqualTo("a line!");
    }

    @Test
    void aReaderThatHasGoneIsNoFault() throws IOException {
        WatchedOutput out = new WatchedOutput(new Failing("Broken pipe"));
        PrintWriter writer = writer(out);
        writer.print("a line");
        assertThat(out.isRead(writer)).isFalse();
    }

    @Test
    void alsoInAnotherLanguage() throws IOException {
        WatchedOutput out = new WatchedOutput(
                new Failing("Datenübergabe unterbrochen (broken pipe)"),
                () -> new SystemWords("Datenübergabe unterbrochen (broken pipe)", null));
        PrintWriter writer = writer(out);
        writer.print("a line");
        assertThat(out.isRead(writer)).isFalse();
    }

    @Test
    void aFullDiskIsOne() {
        WatchedOutput out = new WatchedOutput(new Failing("No space left on device"));
        PrintWriter writer = writer(out);
        writer.print("a line");
        assertThatThrownBy(() -> out.isRead(writer))
                .isInstanceOf(IOException.class)
                .hasMessage("cannot write to standard output: No space left on device");
    }
}
