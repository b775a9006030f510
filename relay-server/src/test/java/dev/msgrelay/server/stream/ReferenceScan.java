package dev.msgrelay.server.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.TypeRanges;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What {@link RunScan} should find, found the naive way: one frame after the other, nothing clever. */
final class ReferenceScan {
    int end;
    int frames;
    int incomplete;
    CloseReason problem;
    int problemType;
    final List<Integer> packetEnds = new ArrayList<>();
    final List<Integer> framesBefore = new ArrayList<>();
    final List<Integer> ends = new ArrayList<>(List.of(0));
    private final int length;
    private final Set<Long> headers = new HashSet<>();

    ReferenceScan(byte[] bytes, int length, int open, int packetBytes, int maxBody) {
        this(bytes, length, open, packetBytes, maxBody, TypeRanges.ALL);
    }

    ReferenceScan(byte[] bytes, int length, int open, int packetBytes, int maxBody, TypeRanges allowed) {
        this.length = length;
        ByteBuffer wire = ByteBuffer.wrap(bytes);
        int inPacket = open;
        while (length - end >= 8) {
            int type = wire.getInt(end);
            int body = wire.getInt(end + 4);
            problem = problem(type, body, maxBody, allowed);
            if (problem != null) {
                problemType = type;
                return;
            }
            int frame = 8 + body;
            if (end + frame > length) {
                incomplete = frame;
                return;
            }
            if (inPacket > 0 && inPacket + frame > packetBytes) {
                packetEnds.add(end);
                framesBefore.add(frames);
                inPacket = 0;
            }
            headers.add(wire.getLong(end));
            inPacket += frame;
            end += frame;
            frames++;
            ends.add(end);
        }
    }

    private static CloseReason problem(int type, int body, int maxBody, TypeRanges allowed) {
        if (type >= 0x80000000 && type <= 0x800000FF) {
            return CloseReason.RESERVED_TYPE;
        }
        if (body < 0 || body > maxBody) {
            return body < 0 ? CloseReason.NEGATIVE_LENGTH : CloseReason.OVERSIZED_LENGTH;
        }
        return allowed.contains(type) ? null : CloseReason.NOT_PERMITTED;
    }

    /** The length of each frame, where there is nothing but whole ones that are alike. */
    private int each() {
        return headers.size() == 1 && problem == null && incomplete == 0 ? ends.get(1) : 0;
    }

    void assertSame(RunScan scan, String what) {
        same(what + ": end", end, scan.wholeBytes());
        same(what + ": frames", frames, scan.frames());
        same(what + ": incomplete frame", incomplete, scan.incompleteFrame());
        assertThat(scan.problem()).as(what).isEqualTo(problem);
        same(what + ": type of the problem", problemType, problem == null ? 0 : scan.problemType());
        same(what + ": bytes behind", length - end, scan.rest());
        same(what + ": each", each(), scan.commonLength());
        for (int count = 0; count <= frames; count++) {
            same(what + ": length of " + count, ends.get(count), scan.lengthOf(count));
        }
        same(what + ": packets", packetEnds.size(), scan.packets());
        for (int k = 0; k < packetEnds.size(); k++) {
            same(what + ": end of packet " + k, packetEnds.get(k), scan.packetEnd(k));
            same(what + ": frames before packet end " + k, framesBefore.get(k), scan.framesBefore(k));
        }
    }

    private static void same(String what, int expected, int found) {
        if (expected != found) {
            throw new AssertionError(what + ": expected " + expected + ", found " + found);
        }
    }
}
