package dev.msgrelay.server.stream;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Seeds;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Runs of random frames, cut anywhere, broken now and then: the quick scan finds what the naive one finds. */
class RandomRunsTest {
    private static final int ROUNDS = 3000;
    private static final int CASES = 20_000;
    private static final int MOST_BYTES = 600;

    @Test
    void asTheNaiveScan() {
        Random random = Seeds.random("RandomRunsTest");
        for (int round = 0; round < ROUNDS; round++) {
            int packetBytes = 100 + random.nextInt(1400);
            int maxBody = 1 + random.nextInt(4000);
            Frames frames = frames(random, maxBody);
            int pad = random.nextInt(20);
            byte[] bytes = frames.bytes();
            int length = random.nextInt(4) == 0 ? random.nextInt(bytes.length + 1) : bytes.length;
            int open = random.nextBoolean() ? 0 : random.nextInt(packetBytes + 1);
            ByteBuffer wire = new Frames().raw(new byte[pad]).raw(bytes).nativeBuffer();

            // Nearly all of the types that there are: most frames may be sent.
            TypeRanges types = random.nextBoolean() ? TypeRanges.ALL : TypeRanges.of(1 << 20, Integer.MAX_VALUE, -9, 9);

            RunScan scan = new RunScan(packetBytes, maxBody);
            scan.scan(wire, pad, length, open, types);
            new ReferenceScan(Arrays.copyOf(bytes, length), length, open, packetBytes, maxBody, types)
                    .assertSame(scan, "round " + round + ", " + length + " bytes, " + open + " open, types " + types);
            if (scan.commonLength() > 0) {
                int whole = scan.wholeBytes();
                scan.splitEqualFrames(wire, pad, whole, scan.commonLength(), open);
                new ReferenceScan(bytes, whole, open, packetBytes, maxBody)
                        .assertSame(scan, "round " + round + ", assumed, " + whole + " bytes, " + open + " open");
            }
        }
    }

    private static Frames frames(Random random, int maxBody) {
        Frames frames = new Frames();
        int count = random.nextInt(5) == 0 ? 2 : random.nextInt(40);
        int body = 0;
        int type = 0;
        for (int i = 0; i < count; i++) {
            // Neighbours are often of one length: that is where the scan takes its short cut.
            if (i == 0 || random.nextInt(4) == 0) {
                body = random.nextBoolean() ? random.nextInt(Math.min(maxBody, 50) + 1) : random.nextInt(maxBody + 1);
            }
            if (random.nextInt(3) > 0) {
                type = random.nextInt(1 << 30);
            }
            switch (random.nextInt(200)) {
                case 0 -> frames.header(random.nextInt(), -1 - random.nextInt(1 << 30));
                case 1 -> frames.header(random.nextInt(1000), maxBody + 1 + random.nextInt(1000));
                case 2 -> frames.frame(0x80000000 + random.nextInt(256), body);
                default -> frames.frame(type, body);
            }
        }
        return frames;
    }

    @Test
    void theFuzzTargetHolds() {
        Random random = Seeds.random("RandomRunsTest.theFuzzTargetHolds");
        for (int i = 0; i < CASES; i++) {
            byte[] data = new byte[random.nextInt(MOST_BYTES)];
            // Types and lengths of few different bytes: many whole frames, some of them alike.
            for (int k = 0; k < data.length; k++) {
                data[k] = (byte) (random.nextInt(8) == 0 ? random.nextInt() : random.nextInt(20) == 0 ? 12 : 0);
            }
            RunScanFuzzTarget.fuzzerTestOneInput(data);
        }
    }

    @Test
    void wouldNoticeADifference() {
        RunScan other = new RunScan(100, 300);
        other.scan(ByteBuffer.allocateDirect(16), 0, 16, 0);
        assertThatThrownBy(() -> new ReferenceScan(new byte[8], 8, 0, 100, 300).assertSame(other, "two frames, one"))
                .isInstanceOf(AssertionError.class);
    }
}
