package dev.msgrelay.lab.senders;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A file that is sent: random bytes that repeat after a prime number of them, other ones in every file. So every part
 * can be compared right where it arrives, and one that is lost, repeated or another file's shows. The content is one
 * period.
 */
record SentFile(int number, Path path, long size, ByteBuffer content) {
    private static final int PERIOD = 65_521;

    /** Files of these sizes in the directory, numbered from 0; makes those that are not there yet, or not whole. */
    static List<SentFile> in(Path directory, List<Long> sizes) throws IOException {
        List<SentFile> files = new ArrayList<>();
        for (int i = 0; i < sizes.size(); i++) {
            byte[] content = new byte[PERIOD];
            new SplittableRandom(i).nextBytes(content);
            Path path = directory.resolve("sent-" + i);
            if (!Files.exists(path) || Files.size(path) != sizes.get(i)) {
                write(path, content, sizes.get(i));
            }
            files.add(new SentFile(i, path, sizes.get(i), ByteBuffer.wrap(content)));
        }
        return files;
    }

    private static void write(Path path, byte[] content, long size) throws IOException {
        try (OutputStream out = Files.newOutputStream(path)) {
            for (long left = size; left > 0; left -= PERIOD) {
                out.write(content, 0, (int) Math.min(left, PERIOD));
            }
        }
    }

    /** The place of the first byte in which the buffer is not the file from that position on; -1: there is none. */
    long mismatch(ByteBuffer bytes, long position) {
        long at = position;
        while (bytes.hasRemaining()) {
            int from = (int) (at % PERIOD);
            int length = Math.min(bytes.remaining(), PERIOD - from);
            int wrong = bytes.slice(bytes.position(), length).mismatch(content.slice(from, length));
            if (wrong >= 0) {
                return at + wrong;
            }
            bytes.position(bytes.position() + length);
            at += length;
        }
        return -1;
    }
}
