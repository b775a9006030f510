package dev.msgrelay.server.subscribe;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.stream.Mark;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * For a coverage-guided fuzzer: whatever a subscriber sends, and however it comes in pieces, its connection answers or
 * closes, with ERROR as the last frame if with any, throws nothing, and its end is counted once; nothing of the log
 * stays held and no memory reserved.
 *
 * <pre>
 *   first byte: length of the pieces; the rest is what the subscriber sends
 * </pre>
 */
public final class SubscriberFuzzTarget {
    private static final int MESSAGES = 100;
    private static final int ROUNDS = 200;

    private static final FanoutRig RIG = new FanoutRig(Policy.DISCONNECT);

    static {
        RIG.publishMany(MESSAGES, 300);
    }

    private SubscriberFuzzTarget() {}

    public static void fuzzerTestOneInput(byte[] data) {
        if (data.length == 0) {
            return;
        }
        // The limit of replays is a matter of time.
        RIG.clock.advanceMillis(1000);
        long before = ends();
        FanoutRig.Subscriber subscriber = RIG.connect();
        int piece = Math.max(1, data[0] & 0xFF);
        for (int at = 1; at < data.length && subscriber.channel.isActive(); at += piece) {
            subscriber.channel.writeInbound(Unpooled.copiedBuffer(data, at, Math.min(piece, data.length - at)));
            RIG.group.pump(true);
        }
        Mark head = RIG.head();
        int rounds = 0;
        while (subscriber.connection.send(head, 1, true)) {
            if (++rounds > ROUNDS) {
                throw new AssertionError("sends for ever, from " + subscriber.connection.position());
            }
        }
        List<Control> told = Control.all(ByteBuffer.wrap(subscriber.wire.take()));
        for (int i = 0; i < told.size() - 1; i++) {
            check(told.get(i).type() != ControlFrames.ERROR, "something behind ERROR: " + told);
        }
        subscriber.hangUp();
        subscriber.channel.checkException();
        check(RIG.log.chunksAside() == 0, "chunks still held");
        check(RIG.budget.pool(Part.CONTROL).used() == 0, "control bytes still reserved");
        check(RIG.closed(CloseReason.INTERNAL_ERROR) == 0, "an internal error");
        check(ends() == before + 1, "ends counted: " + (ends() - before));
        check(RIG.table.allGone(), "somebody is still there");
    }

    private static long ends() {
        return RIG.closes().values().stream().mapToLong(Long::longValue).sum();
    }

    private static void check(boolean good, String otherwise) {
        if (!good) {
            throw new AssertionError(otherwise);
        }
    }
}
