package dev.msgrelay.client.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BodyReaderTest {
    private final List<String> got = new ArrayList<>();
    private final BodyReader.Sink collect =
            (array, offset, length) -> got.add(new String(array, offset, length, UTF_8));

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 1 << 20})
    void linesDoNotDependOnHowTheyArrive(int atATime) throws Exception {
        String large = "x".repeat(20_000);
        String input = "a\r\n\r\nb\rc\n" + large + "\n\n" + large + "\r\nend\r";
        new BodyReader(trickling(input, atATime), 20_000).lines(collect);
        assertThat(got).containsExactly("a", "", "b\rc", large, "", large, "end\r");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 1 << 20})
    void chunksDoNotDependOnHowTheyArrive(int atATime) throws Exception {
        new BodyReader(trickling("0123456789", atATime), 100).chunks(4, collect);
        assertThat(got).containsExactly("0123", "4567", "89");
    }

    @ParameterizedTest
    @CsvSource({"12345, true", "123456, false", "12345678, false"})
    void aLineMayHaveTheLimitAndNoMore(String line, boolean fits) throws Exception {
        for (String end : new String[] {"", "\n", "\r\n"}) {
            got.clear();
            BodyReader reader = new BodyReader(trickling("ok\n" + line + end, 1), 5);
            if (fits) {
                reader.lines(collect);
                assertThat(got).containsExactly("ok", line);
            } else {
                assertThatThrownBy(() -> reader.lines(collect))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("line 2")
                        .hasMessageContaining("limit of 5");
                assertThat(got).containsExactly("ok");
            }
        }
    }

    private static InputStream trickling(String text, int atATime) {
        return new ByteArrayInputStream(text.getBytes(UTF_8)) {
            @Override
            public synchronized int read(byte[] target, int offset, int length) {
                return super.read(target, offset, Math.min(length, atATime));
            }
        };
    }
}
