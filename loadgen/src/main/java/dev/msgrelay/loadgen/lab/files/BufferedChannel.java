package dev.msgrelay.loadgen.lab.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.IntFunction;

/**
 * {@link FileChannel} and a {@link ByteBuffer} of one page: in the heap as in the article, where the JDK copies it once more
 * on the way, or direct.
 */
final class BufferedChannel implements SequentialFile {
    private final String name;
    private final IntFunction<ByteBuffer> allocate;

    private BufferedChannel(String name, IntFunction<ByteBuffer> allocate) {
        this.name = name;
        this.allocate = allocate;
    }

    static BufferedChannel heap() {
        return new BufferedChannel("BufferedChannelFile", ByteBuffer::allocate);
    }

    static BufferedChannel direct() {
        return new BufferedChannel("BufferedChannelFile, direct", ByteBuffer::allocateDirect);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int write(Path path, Content content, boolean force) throws IOException {
        int checkSum = 0;
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            ByteBuffer buffer = allocate.apply(PAGE_SIZE);
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
            ByteBuffer buffer = allocate.apply(PAGE_SIZE);
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
