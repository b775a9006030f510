package dev.msgrelay.loadgen.lab.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Compares a file with what it is to hold, byte by byte, in a way that no contestant uses. */
final class FileCheck {
    /** A multiple of the content's cycle of 256 bytes: so every block of the file is to look the same. */
    private static final int BLOCK = 256 * 1024;

    private FileCheck() {}

    /** What is wrong with the file, in one line; null if nothing is. */
    static String problem(Path file, Content content) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            if (channel.size() != content.size()) {
                return "the file has " + channel.size() + " bytes instead of " + content.size();
            }
            byte[] expected = new byte[(int) Math.min(BLOCK, content.size())];
            for (int i = 0; i < expected.length; i++) {
                expected[i] = content.at(i);
            }
            ByteBuffer want = ByteBuffer.wrap(expected);
            ByteBuffer block = ByteBuffer.allocate(expected.length);
            for (long at = 0; at < content.size(); at += block.position()) {
                read(channel, block, content.size() - at);
                int wrong = want.limit(block.limit()).mismatch(block.flip());
                if (wrong >= 0) {
                    return "byte " + (at + wrong) + " of the file is " + block.get(wrong) + " instead of "
                            + content.at(at + wrong);
                }
                block.position(block.limit());
            }
            return null;
        }
    }

    private static void read(FileChannel channel, ByteBuffer block, long left) throws IOException {
        block.clear().limit((int) Math.min(block.capacity(), left));
        while (block.hasRemaining()) {
            if (channel.read(block) < 0) {
                throw new IOException("the file became shorter while it was checked");
            }
        }
    }
}
