package dev.msgrelay.server.core;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** What {@link RunScan} should find, found the naive way: one frame after the other, nothing clever. */
final class ReferenceScan {
    int end;
    int frames;
    int incomplete;
    boolean problem;
    final List<Integer> packetEnds = new ArrayList<>();
    final List<Integer> framesBefore = new ArrayList<>();

    ReferenceScan(byte[] bytes, int length, int open, int packetBytes, int maxBody) {
        ByteBuffer wire = ByteBuffer.wrap(bytes);
        int inPacket = open;
        while (length - end >= 8) {
            int type = wire.getInt(end);
            int body = wire.getInt(end + 4);
            if (body < 0 || body > maxBody || (type >= 0x80000000 && type <= 0x800000FF)) {
                problem = true;
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
            inPacket += frame;
            end += frame;
            frames++;
        }
    }

    /** Fails where the scan under test has found something else. */
    void assertSame(RunScan scan, String what) {
        same(what + ": end", end, scan.end());
        same(what + ": frames", frames, scan.frames());
        same(what + ": incomplete frame", incomplete, scan.incompleteFrame());
        same(what + ": problem", problem ? 1 : 0, scan.problem() == null ? 0 : 1);
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
