package dev.msgrelay.loadgen.lab.files;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Path;

/**
 * Buffered streams, a byte at a time. The article opens its stream by {@code new FileOutputStream(name)}, which cuts the
 * file to nothing: its "pre-allocated" file is not one in this row. Here the stream is opened on what is there.
 */
final class BufferedStream implements SequentialFile {
    @Override
    public String name() {
        return "BufferedStreamFile";
    }

    @Override
    public int write(Path path, Content content, boolean force) throws IOException {
        int checkSum = 0;
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
                OutputStream out = new BufferedOutputStream(new FileOutputStream(file.getFD()))) {
            for (long i = 0; i < content.size(); i++) {
                byte b = content.at(i);
                checkSum += b;
                out.write(b);
            }
            out.flush();
            if (force) {
                file.getFD().sync();
            }
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
