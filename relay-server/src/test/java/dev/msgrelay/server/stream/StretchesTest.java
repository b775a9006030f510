package dev.msgrelay.server.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.Seeds;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The stretches of equal headers that a walk notes, against a plain list of frames. */
class StretchesTest {
    private record Frame(int start, int type, int length) {}

    private record Stretch(int type, int length, int lastStart, int framesThrough) {}

    @Test
    void eachStretchHasItsLastFrame() {
        Random random = Seeds.random("StretchesTest");
        RunScan scan = new RunScan(1460, 1000, true);
        for (int run = 0; run < 2000; run++) {
            boolean oneLength = random.nextBoolean();
            int types = 1 + random.nextInt(3);
            int lengths = 1 + random.nextInt(3);
            int offset = random.nextInt(9);
            ByteBuffer bytes = ByteBuffer.allocateDirect(1 << 14);
            List<Frame> frames = new ArrayList<>();
            int at = 0;
            for (int i = 1 + random.nextInt(300); i > 0; i--) {
                Frame frame = new Frame(at, random.nextInt(types), oneLength ? 5 : random.nextInt(lengths));
                bytes.putInt(offset + at, frame.type).putInt(offset + at + 4, frame.length);
                frames.add(frame);
                at += 8 + frame.length;
            }
            List<Stretch> expected = new ArrayList<>();
            for (int i = 0; i < frames.size(); i++) {
                Frame frame = frames.get(i);
                boolean last = i + 1 == frames.size()
                        || frames.get(i + 1).type != frame.type
                        || frames.get(i + 1).length != frame.length;
                if (last) {
                    expected.add(new Stretch(frame.type, frame.length, frame.start, i + 1));
                }
            }
            bytes.order(ByteOrder.nativeOrder());
            assertThat(stretches(scan.scan(bytes, offset, at, 0))).isEqualTo(expected);
            if (oneLength) {
                assertThat(stretches(scan.splitEqualFrames(bytes, offset, at, 13, 0)))
                        .isEqualTo(expected);
            }
        }
    }

    private static List<Stretch> stretches(RunScan scan) {
        List<Stretch> result = new ArrayList<>();
        for (int k = 0; k < scan.stretches(); k++) {
            result.add(new Stretch(scan.type(k), scan.bodyLength(k), scan.lastStart(k), scan.framesThrough(k)));
        }
        return result;
    }
}
