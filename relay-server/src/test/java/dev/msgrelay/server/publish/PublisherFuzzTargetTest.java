package dev.msgrelay.server.publish;

import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.Seeds;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The fuzz target itself, with good conversations and changes of them: it is run for longer by hand. */
class PublisherFuzzTargetTest {
    private static final int CASES = 1000;
    private static final int MOST_CHANGES = 5;

    @Test
    void holdsForConversationsAndChangesOfThem() {
        Random random = Seeds.random("PublisherFuzzTargetTest");
        for (int i = 0; i < CASES; i++) {
            Frames input = new Frames().raw((byte) random.nextInt());
            if (random.nextInt(5) > 0) {
                input.raw(Hello.acks("name-" + random.nextInt(6), random.nextInt(4))
                        .bytes());
            }
            for (int frame = random.nextInt(8); frame > 0; frame--) {
                switch (random.nextInt(5)) {
                    case 0 -> input.raw(Hello.ping(frame));
                    case 1 -> input.raw(Hello.pong(frame));
                    case 2 -> input.frame(0x80000000 + random.nextInt(256), random.nextInt(20));
                    default -> input.frame(random.nextInt(), random.nextInt(60));
                }
            }
            byte[] bytes = input.bytes();
            for (int change = random.nextInt(MOST_CHANGES); change > 0; change--) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(Byte.SIZE));
            }
            PublisherFuzzTarget.fuzzerTestOneInput(bytes);
        }
    }
}
