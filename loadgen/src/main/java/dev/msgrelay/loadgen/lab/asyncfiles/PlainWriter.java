package dev.msgrelay.loadgen.lab.asyncfiles;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;

/** The article's base line: a plain stream without a buffer, one system call per record. */
final class PlainWriter implements RecordWriter {
    private final OutputStream stream;
    private long count;

    PlainWriter(Path file) throws IOException {
        stream = new FileOutputStream(file.toFile());
    }

    @Override
    public void write() throws IOException {
        stream.write(Records.bytes(count));
        count++;
    }

    @Override
    public long count() {
        return count;
    }

    @Override
    public void close() throws IOException {
        stream.close();
    }
}
