package dev.msgrelay.server.subscribe;

import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.SubscribeFrame;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.harness.Seeds;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The fuzz target itself, with good conversations and changes of them: it is run for longer by hand. */
class SubscriberFuzzTargetTest {
    private static final int CASES = 1000;
    private static final int MOST_CHANGES = 5;

    @Test
    void holdsForConversationsAndChangesOfThem() {
        Random random = Seeds.random("SubscriberFuzzTargetTest");
        List<ByteBuffer> hellos = List.of(
                HelloFrame.subscriber().build().encode(),
                HelloFrame.subscriber().fromEarliest().build().encode(),
                HelloFrame.subscriber().fromSequence(7, 90).build().encode(),
                HelloFrame.subscriber()
                        .fromSequence(8, 3)
                        .types(TypeRanges.of(1, 5))
                        .build()
                        .encode());
        ByteBuffer ping = ByteBuffer.allocate(PingFrame.FRAME_LENGTH);
        PingFrame.put(ping, 1, 0, 0);
        ByteBuffer subscribe = new SubscribeFrame(1, TypeRanges.of(2, 2)).encode();
        for (int i = 0; i < CASES; i++) {
            ByteBuffer input = ByteBuffer.allocate(256);
            input.put((byte) random.nextInt())
                    .put(hellos.get(random.nextInt(hellos.size())).duplicate())
                    .put(ping.duplicate().flip())
                    .put(subscribe.duplicate());
            byte[] bytes = new byte[input.position()];
            input.get(0, bytes);
            for (int change = random.nextInt(MOST_CHANGES); change > 0; change--) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(Byte.SIZE));
            }
            SubscriberFuzzTarget.fuzzerTestOneInput(bytes);
        }
    }
}
