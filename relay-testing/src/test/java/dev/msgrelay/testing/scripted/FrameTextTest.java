package dev.msgrelay.testing.scripted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class FrameTextTest {
    private static final Path VECTORS = Path.of("..", "relay-protocol", "src", "test", "resources", "vectors");

    /** Good frames of this version: what comes after the known fields, and frames of later ones, has no names. */
    static List<Path> vectors() throws IOException {
        try (Stream<Path> files = Files.list(VECTORS)) {
            return files.filter(file -> file.getFileName().toString().startsWith("good-"))
                    .filter(file -> !file.toString().contains("later")
                            && !file.toString().contains("unknown"))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void whatIsReadIsWrittenAsItWas(Path file) throws IOException {
        StringBuilder hex = new StringBuilder();
        for (String line : Files.readAllLines(file)) {
            hex.append(line.replaceFirst("#.*", "").replace(" ", ""));
        }
        byte[] bytes = HexFormat.of().parseHex(hex);
        ByteBuffer frame = ByteBuffer.wrap(bytes);
        int type = frame.getInt(0);
        Map<String, String> fields = new LinkedHashMap<>(FrameText.decode(type, frame.slice(8, bytes.length - 8)));
        ByteBuffer again = FrameText.encode(FrameText.name(type), fields);
        // A field that an old version leaves out is written, with the value that its absence has.
        assertThat(HexFormat.of().formatHex(again.array(), 8, again.limit()))
                .startsWith(hex.substring(16).toLowerCase(java.util.Locale.ROOT));
    }

    @ParameterizedTest
    @CsvSource({
        "MESSAGE type=7 body=ab, 00000007000000026162",
        "MESSAGE type=-1 size=2, ffffffff000000020000",
        "MESSAGE body=hex:c0af, 0000000100000002c0af",
        "MESSAGE type=1 body=a length=1000, 00000001000003e861",
        "SEQUENCE next=5 only=3, 8000000600000003000000",
        "PONG id=max more=00ff, 800000050000000a7fffffffffffffff00ff",
        "FRAME type=0x80000055, 8000005500000000",
        "BYTES 80 00 01, 800001",
        "MESSAGES from=1 to=2 type=3, 000000030000000131000000030000000132",
        "ERROR code=8 text=slow, 800000090000000600 0873 6c 6f77"
    })
    void aLineIsThisFrame(String line, String hex) {
        ByteBuffer frame = FrameText.encode(line);
        assertThat(HexFormat.of().formatHex(frame.array(), frame.position(), frame.limit()))
                .isEqualTo(hex.replace(" ", ""));
    }

    @Test
    void aNameThatNoFieldHasIsRefused() {
        assertThatThrownBy(() -> FrameText.encode("WELCOME nextt=5"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nextt");
        assertThatThrownBy(() -> FrameText.encode("WELCOM next=5"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("WELCOM");
    }
}
