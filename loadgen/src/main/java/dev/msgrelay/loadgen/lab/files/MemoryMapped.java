package dev.msgrelay.loadgen.lab.files;

import static java.lang.Integer.MAX_VALUE;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The file mapped into memory, 2 GiB at a time. The article maps as much as the file has; here it is as much as the file is
 * to have, so that a file that is not there yet grows with the mapping.
 */
final class MemoryMapped implements SequentialFile {
    @Override
    public String name() {
        return "MemoryMappedFile";
    }

    @Override
    public int write(Path path, Content content, boolean force) throws IOException {
        int checkSum = 0;
        try (FileChannel channel =
                FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            long size = content.size();
            MappedByteBuffer buffer = channel.map(MapMode.READ_WRITE, 0, Math.min(size, MAX_VALUE));
            for (long i = 0; i < size; i++) {
                if (!buffer.hasRemaining()) {
                    forceIf(force, buffer);
                    buffer = channel.map(MapMode.READ_WRITE, i, Math.min(size - i, MAX_VALUE));
                }
                byte b = content.at(i);
                checkSum += b;
                buffer.put(b);
            }
            forceIf(force, buffer);
        }
        return checkSum;
    }

    private static void forceIf(boolean force, MappedByteBuffer buffer) {
        if (force) {
            buffer.force();
        }
    }

    @Override
    public int read(Path path) throws IOException {
        int checkSum = 0;
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            long size = channel.size();
            MappedByteBuffer buffer = channel.map(MapMode.READ_ONLY, 0, Math.min(size, MAX_VALUE));
            for (long i = 0; i < size; i++) {
                if (!buffer.hasRemaining()) {
                    buffer = channel.map(MapMode.READ_ONLY, i, Math.min(size - i, MAX_VALUE));
                }
                checkSum += buffer.get();
            }
        }
        return checkSum;
    }
}
