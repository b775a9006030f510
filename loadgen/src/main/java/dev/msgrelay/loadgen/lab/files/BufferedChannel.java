package dev.msgrelay.loadgen.lab.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** {@link FileChannel} and a {@link ByteBuffer} of one page in the heap. */
final class BufferedChannel implements SequentialFile {
    @Override
    public String name() {
        return "BufferedChannelFile";
    }

    @Override
    public int write(Path path, Content content, boolean force) throws IOException {
        int checkSum = 0;
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            ByteBuffer buffer = ByteBuffer.allocate(PAGE_SIZE);
            for (long i = 0; i < content.size(); i++) {
                byte b = content.at(i);
                checkSum += b;
                buffer.put(b);
                if (!buffer.hasRemaining()) {
                    drain(buffer, channel);
                }
            }
            drain(buffer, channel);
            if (force) {
                channel.force(true);
            }
        }
        return checkSum;
    }

    /** The article trusts one write to take all; a channel may take less. */
    private static void drain(ByteBuffer buffer, FileChannel channel) throws IOException {
        buffer.flip();
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
        buffer.clear();
    }

    @Override
    public int read(Path path) throws IOException {
        int checkSum = 0;
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            ByteBuffer buffer = ByteBuffer.allocate(PAGE_SIZE);
            while (channel.read(buffer) != -1) {
                buffer.flip();
                while (buffer.hasRemaining()) {
                    checkSum += buffer.get();
                }
                buffer.clear();
            }
        }
        return checkSum;
    }
}
