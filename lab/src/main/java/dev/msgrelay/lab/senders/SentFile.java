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
 * A file to send. Its random bytes repeat after a prime number of bytes and differ between files. So each part can be
 * compared when it arrives, and a part that is lost, repeated or of another file is noticed. {@code content} is one
 * period.
 */
record SentFile(int number, Path path, long size, ByteBuffer content) {
    private static final int PERIOD = 65_521;

    /**
     * Returns files of these sizes, numbered from 0. Files that do not exist in the directory, or are incomplete, are
     * created.
     */
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

    /** Returns the position of the first byte that differs from the file; -1: none. */
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
