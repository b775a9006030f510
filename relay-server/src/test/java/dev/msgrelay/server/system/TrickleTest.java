package dev.msgrelay.server.system;

import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TestRelay;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Frames that come in the smallest of pieces arrive whole, while another publisher goes on as usual. */
class TrickleTest {
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    void byteByByte(Setting setting) throws Exception {
        try (TestRelay relay = TestRelay.start(setting);
                PlainSubscriber subscriber = relay.subscriber();
                PlainPublisher trickling = relay.publisher();
                PlainPublisher other = relay.publisher()) {
            // The second is read into a buffer of its own, from its header on.
            byte[] frames = new Frames()
                    .frame(Frames.type(0, 0), 0)
                    .frame(Frames.type(0, 1), 1)
                    .frame(Frames.type(0, 2), 300)
                    .bytes();
            trickling.trickle(frames);
            other.send(new Frames().frame(Frames.type(1, 0), 100));
            byte[] large = new Frames().frame(Frames.type(0, 3), 66_000).bytes();
            trickling.trickle(java.util.Arrays.copyOf(large, 2000));
            other.send(new Frames().frame(Frames.type(1, 1), 100));
            trickling.send(ByteBuffer.wrap(large, 2000, large.length - 4000));
            trickling.trickle(java.util.Arrays.copyOfRange(large, large.length - 2000, large.length));
            trickling.trickle(new Frames().frame(Frames.type(0, 4), 5).bytes());
            subscriber.awaitMessages(7).received().assertAllOf(5, 2);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    void piecesThatEndAnywhere(Setting setting) throws Exception {
        Random random = Seeds.random("TrickleTest " + setting);
        try (TestRelay relay = TestRelay.start(setting);
                PlainSubscriber subscriber = relay.subscriber();
                PlainPublisher publisher = relay.publisher()) {
            // Below and above the size up to which a part is moved in front of the next read.
            int[] sizes = {10, 4000, 5000, 65_000, 66_000, 20, 65_528, 65_529, 200_000, 0, 0, 300_000, 1};
            Frames frames = new Frames();
            for (int i = 0; i < sizes.length; i++) {
                frames.frame(Frames.type(0, i), sizes[i]);
            }
            byte[] bytes = frames.bytes();
            int at = 0;
            while (at < bytes.length) {
                int piece = Math.min(bytes.length - at, 1 + random.nextInt(random.nextBoolean() ? 30 : 5000));
                publisher.send(ByteBuffer.wrap(bytes, at, piece));
                at += piece;
                Thread.yield();
            }
            subscriber.awaitMessages(sizes.length).received().assertAllOf(sizes.length);
        }
    }
}
