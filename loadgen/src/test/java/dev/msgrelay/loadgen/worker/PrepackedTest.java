package dev.msgrelay.loadgen.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.message.LoadMessage;
import dev.msgrelay.protocol.FrameReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PrepackedTest {
    @ParameterizedTest(name = "{0}-byte bodies in writes of {1}")
    @CsvSource({"100, 1448", "16, 65483", "500, 100", "100, 108"})
    void windowsJoinToWholeFrames(int body, int writeSize) throws Exception {
        PrepackedMain.Prepacked frames = new PrepackedMain.Prepacked(body, writeSize);
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        copy(frames.one(), stream);
        for (int i = 0; i < 20; i++) {
            copy(frames.next(), stream);
        }
        copy(frames.rest(), stream);
        FrameReader reader = new FrameReader();
        ReadableByteChannel source = Channels.newChannel(new ByteArrayInputStream(stream.toByteArray()));
        while (reader.read(source, (type, view) -> {
                    assertThat(type).isEqualTo(LoadMessage.TYPE);
                    assertThat(view.remaining()).isEqualTo(body);
                })
                >= 0) {
            // until the end, which must be the end of a frame
        }
        assertThat(reader.bytes()).isEqualTo(stream.size()).isGreaterThanOrEqualTo(20L * writeSize);
    }

    private static void copy(ByteBuffer window, ByteArrayOutputStream target) {
        byte[] bytes = new byte[window.remaining()];
        window.get(bytes);
        target.writeBytes(bytes);
    }
}
