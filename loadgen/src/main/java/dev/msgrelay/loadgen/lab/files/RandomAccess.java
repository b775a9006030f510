package dev.msgrelay.loadgen.lab.files;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;

/** {@link RandomAccessFile} with a plain array of one page. */
final class RandomAccess implements SequentialFile {
    @Override
    public String name() {
        return "RandomAccessFile";
    }

    @Override
    public int write(Path path, Content content, boolean force) throws IOException {
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
            if (force) {
                file.getFD().sync();
            }
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
