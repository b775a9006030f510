package dev.msgrelay.loadgen.lab.senders;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/**
 * The files that are sent: random bytes, other ones in every file, and the digest (CRC-32C) of each.
 *
 * @param files by number, from 0
 */
record FileSet(List<SentFile> files) {
    private static final int BLOCK = 64 * 1024;

    /** One of them. */
    record SentFile(int number, Path path, long size, long digest) {}

    FileSet {
        files = List.copyOf(files);
    }

    /** Makes a file of each size in the directory. */
    static FileSet create(Path directory, List<Long> sizes) throws IOException {
        List<SentFile> files = new ArrayList<>();
        for (int i = 0; i < sizes.size(); i++) {
            Path path = directory.resolve("sent-" + i);
            files.add(new SentFile(i, path, sizes.get(i), write(path, sizes.get(i), i)));
        }
        return new FileSet(files);
    }

    private static long write(Path path, long size, int seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        CRC32C digest = new CRC32C();
        byte[] block = new byte[BLOCK];
        try (FileChannel channel = FileChannel.open(
                path, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            for (long left = size; left > 0; left -= block.length) {
                random.nextBytes(block);
                ByteBuffer bytes = ByteBuffer.wrap(block, 0, (int) Math.min(left, block.length));
                digest.update(bytes.duplicate());
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
            }
        }
        return digest.getValue();
    }

    int largest() {
        int largest = 0;
        for (SentFile file : files) {
            largest = file.size() > files.get(largest).size() ? file.number() : largest;
        }
        return largest;
    }

    /**
     * The digests of the first bytes of a file.
     *
     * @param lengths in ascending order, none above the file's size
     */
    static List<Long> digests(SentFile file, List<Long> lengths) throws IOException {
        List<Long> digests = new ArrayList<>();
        CRC32C digest = new CRC32C();
        ByteBuffer block = ByteBuffer.allocate(BLOCK);
        try (FileChannel channel = FileChannel.open(file.path(), StandardOpenOption.READ)) {
            long at = 0;
            for (long length : lengths) {
                while (at < length) {
                    block.clear().limit((int) Math.min(BLOCK, length - at));
                    int read = channel.read(block, at);
                    if (read < 0) {
                        throw new IOException(file.path() + " has become shorter");
                    }
                    at += read;
                    digest.update(block.flip());
                }
                digests.add(digest.getValue());
            }
        }
        return digests;
    }
}
