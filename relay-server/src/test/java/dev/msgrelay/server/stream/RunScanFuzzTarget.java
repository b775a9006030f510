package dev.msgrelay.server.stream;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** For a coverage-guided fuzzer: {@link RunScan} finds in any bytes what the naive {@link ReferenceScan} finds. */
public final class RunScanFuzzTarget {
    private static final int PACKET = 100;
    private static final int MAX_BODY = 300;

    private RunScanFuzzTarget() {}

    /** One input: the first byte is what the open packet holds, the rest is what was read. */
    public static void fuzzerTestOneInput(byte[] data) {
        if (data.length == 0) {
            return;
        }
        byte[] read = new byte[data.length - 1];
        System.arraycopy(data, 1, read, 0, read.length);
        int open = (data[0] & 0xFF) % PACKET;
        ByteBuffer memory = ByteBuffer.allocateDirect(read.length + 8).order(ByteOrder.nativeOrder());
        memory.put(0, read);
        RunScan scan = new RunScan(PACKET, MAX_BODY);
        scan.scan(memory, 0, read.length, open);
        new ReferenceScan(read, read.length, open, PACKET, MAX_BODY).assertSame(scan, "open " + open);
    }
}
