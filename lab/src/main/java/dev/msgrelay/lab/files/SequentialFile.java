package dev.msgrelay.lab.files;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;

/**
 * One of the article's ways to write a file sequentially, byte by byte, and to read it back. Both methods return the
 * sum of the bytes ({@link Content#checkSum}).
 */
interface SequentialFile {
    /** The size of the article's page, and of its buffers. */
    int PAGE_SIZE = 4096;

    /** Overwrites the file with the whole content, without truncating it before. */
    int write(Path file, Content content) throws IOException;

    int read(Path file) throws IOException;

    /** {@link RandomAccessFile} with an array of one page. */
    final class RandomAccess implements SequentialFile {
        @Override
        public int write(Path path, Content content) throws IOException {
            int checkSum = 0;
            try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
                byte[] buffer = new byte[PAGE_SIZE];
                int pos = 0;
                for (long i = 0; i < content.size(); i++) {
                    byte b = content.at(i);
                    checkSum += b;
                    buffer[pos++] = b;
                    if (pos == PAGE_SIZE) {
                        file.write(buffer, 0, PAGE_SIZE);
                        pos = 0;
                    }
                }
                file.write(buffer, 0, pos);
            }
            return checkSum;
        }

        @Override
        public int read(Path path) throws IOException {
            int checkSum = 0;
            try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
                byte[] buffer = new byte[PAGE_SIZE];
                int bytesRead;
                while ((bytesRead = file.read(buffer)) != -1) {
                    for (int i = 0; i < bytesRead; i++) {
                        checkSum += buffer[i];
                    }
                }
            }
            return checkSum;
        }
    }

    /**
     * Buffered streams. The article opens its stream by {@code new FileOutputStream(name)}, which truncates the file:
     * so its file in this row is not preallocated. Here the stream does not truncate the file.
     */
    final class BufferedStream implements SequentialFile {
        @Override
        public int write(Path path, Content content) throws IOException {
            int checkSum = 0;
            try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
                    OutputStream out = new BufferedOutputStream(new FileOutputStream(file.getFD()))) {
                for (long i = 0; i < content.size(); i++) {
                    byte b = content.at(i);
                    checkSum += b;
                    out.write(b);
                }
                out.flush();
            }
            return checkSum;
        }

        @Override
        public int read(Path path) throws IOException {
            int checkSum = 0;
            try (InputStream in = new BufferedInputStream(new FileInputStream(path.toFile()))) {
                int b;
                while ((b = in.read()) != -1) {
                    checkSum += (byte) b;
                }
            }
            return checkSum;
        }
    }

    /** {@link FileChannel} and a {@link ByteBuffer} of one page in the heap. */
    final class BufferedChannel implements SequentialFile {
        @Override
        public int write(Path path, Content content) throws IOException {
            int checkSum = 0;
            try (FileChannel channel = FileChannel.open(path, CREATE, WRITE)) {
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
            }
            return checkSum;
        }

        /** Writes until all bytes are written; the article assumes that one call is enough. */
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
            try (FileChannel channel = FileChannel.open(path, READ)) {
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

    /**
     * A memory-mapped file, 2 GiB at a time. The article maps the file's current size. Here it is the intended size, so
     * that a growing file grows with the mapping.
     */
    final class MemoryMapped implements SequentialFile {
        @Override
        public int write(Path path, Content content) throws IOException {
            int checkSum = 0;
            try (FileChannel channel = FileChannel.open(path, CREATE, READ, WRITE)) {
                long size = content.size();
                MappedByteBuffer buffer = channel.map(MapMode.READ_WRITE, 0, Math.min(size, Integer.MAX_VALUE));
                for (long i = 0; i < size; i++) {
                    if (!buffer.hasRemaining()) {
                        buffer = channel.map(MapMode.READ_WRITE, i, Math.min(size - i, Integer.MAX_VALUE));
                    }
                    byte b = content.at(i);
                    checkSum += b;
                    buffer.put(b);
                }
            }
            return checkSum;
        }

        @Override
        public int read(Path path) throws IOException {
            int checkSum = 0;
            try (FileChannel channel = FileChannel.open(path, READ)) {
                long size = channel.size();
                MappedByteBuffer buffer = channel.map(MapMode.READ_ONLY, 0, Math.min(size, Integer.MAX_VALUE));
                for (long i = 0; i < size; i++) {
                    if (!buffer.hasRemaining()) {
                        buffer = channel.map(MapMode.READ_ONLY, i, Math.min(size - i, Integer.MAX_VALUE));
                    }
                    checkSum += buffer.get();
                }
            }
            return checkSum;
        }
    }
}
