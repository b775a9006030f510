package dev.msgrelay.client.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.client.Frames;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
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

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 1 << 20})
    void framesDoNotDependOnHowTheyArrive(int atATime) throws Exception {
        String large = "x".repeat(100_000);
        frames(joined(Frames.frame(7), Frames.message(-2, "a\nb"), Frames.message(1, large)), atATime, 100_000);
        assertThat(got).containsExactly("7:", "-2:a\nb", "1:" + large);
    }

    @ParameterizedTest
    @CsvSource({
        "0000000100000006313233343536, 'frame 2 says a length of 6 bytes, over the limit of 5'",
        "00000001FFFFFFFF, 'frame 2 says a length of 4294967295 bytes, over the limit of 5'",
        "8000000400000001, 'frame 2 has the type 0x80000004, which is reserved'",
        "00, the input ends within frame 2: 1 of 8 bytes",
        "00000001000000023F, the input ends within frame 2: 9 of 10 bytes"
    })
    void aWrongFrameIsNamed(String hex, String words) {
        byte[] wrong = HexFormat.of().parseHex(hex);
        assertThatThrownBy(() -> frames(joined(Frames.message(1, "12345"), ByteBuffer.wrap(wrong)), 1, 5))
                .isInstanceOf(PublishInput.BadInputException.class)
                .hasMessage(words);
        assertThat(got).as("what came before it").containsExactly("1:12345");
    }

    private void frames(byte[] input, int atATime, int maxBody) throws Exception {
        new BodyReader(trickling(input, atATime), maxBody)
                .frames((type, array, offset, length) ->
                        got.add(type + ":" + new String(array, offset, length, UTF_8)));
    }

    private static byte[] joined(ByteBuffer... frames) {
        return Frames.joined(frames).array();
    }

    private static InputStream trickling(String text, int atATime) {
        return trickling(text.getBytes(UTF_8), atATime);
    }

    private static InputStream trickling(byte[] bytes, int atATime) {
        return new ByteArrayInputStream(bytes) {
            @Override
            public synchronized int read(byte[] target, int offset, int length) {
                return super.read(target, offset, Math.min(length, atATime));
            }
        };
    }
}
