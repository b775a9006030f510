package dev.msgrelay.loadgen.lab.batching;

import dev.msgrelay.loadgen.load.LoadMessage;
import dev.msgrelay.protocol.FrameLayout;
import java.time.Duration;
import java.util.List;

/**
 * What the experiment can be told.
 *
 * @param body bytes of every message's body
 * @param packet most bytes of a packet, frames whole
 * @param waiting how batching threads wait
 * @param producers numbers of threads that send as fast as they can
 * @param loads messages a second that arrive from {@link #ARRIVING} threads
 * @param duration of one go over sockets
 */
public record BatchingOptions(
        int body, int packet, Wait waiting, List<Integer> producers, List<Integer> loads, Duration duration) {
    /** Threads that share a load. */
    public static final int ARRIVING = 8;

    public static final int BODY = 100;

    /** What Ethernet's MTU of 1,500 leaves for TCP's payload. */
    public static final int PACKET = 1_448;

    /** For a run for the record, or a quick one. */
    public static BatchingOptions defaults(boolean quick) {
        return new BatchingOptions(
                BODY,
                PACKET,
                Wait.BLOCK,
                quick ? List.of(1, 4, 16) : List.of(1, 2, 4, 8, 16),
                quick ? List.of(20_000, 100_000, 400_000) : List.of(10_000, 50_000, 100_000, 200_000, 400_000, 800_000),
                quick ? Duration.ofMillis(150) : Duration.ofSeconds(1));
    }

    /** Bytes of every message on the wire. */
    public int frameLength() {
        return FrameLayout.frameLength(body);
    }

    /** The least that holds what a message is checked by. */
    public static int minBody() {
        return LoadMessage.MIN_BODY;
    }
}
