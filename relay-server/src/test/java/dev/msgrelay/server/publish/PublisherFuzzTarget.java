package dev.msgrelay.server.publish;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.Hello;
import java.util.Arrays;
import java.util.List;

/**
 * For a coverage-guided fuzzer: whatever a publisher sends, and however it comes in pieces, it is taken or answered
 * with one ERROR, throws nothing, its end is counted once, and no memory stays reserved.
 *
 * <pre>
 *   first byte: length of the pieces; the rest is what the publisher sends
 * </pre>
 */
public final class PublisherFuzzTarget {
    /** Few, so that the table of names is full now and then. */
    private static final int NAMES = 4;

    private static final PublisherRig RIG =
            new PublisherRig(NAMES, RelayConfig.builder().build());

    private static long millis;

    private PublisherFuzzTarget() {}

    public static void fuzzerTestOneInput(byte[] data) {
        if (data.length == 0) {
            return;
        }
        long before = ends();
        PublisherRig.Publisher publisher = RIG.connect();
        int piece = Math.max(1, data[0] & 0xFF);
        for (int at = 1; at < data.length; at += piece) {
            publisher.read(Arrays.copyOfRange(data, at, Math.min(data.length, at + piece)));
        }
        millis += 7000;
        RIG.tick(millis);
        publisher.hangUp();
        RIG.round();
        List<Control> told = publisher.told();
        for (int i = 0; i < told.size() - 1; i++) {
            check(told.get(i).type() != Hello.ERROR, "something behind ERROR: " + told);
        }
        check(ends() == before + 1, "ends counted: " + (ends() - before));
        check(RIG.closed(CloseReason.INTERNAL_ERROR) == 0, "an internal error");
        check(RIG.reserved() == 0, "bytes still reserved: " + RIG.reserved());
        check(RIG.names.size() <= NAMES, "names: " + RIG.names.size());
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
