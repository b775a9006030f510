package dev.msgrelay.loadgen.lab.asyncfiles;

import java.io.IOException;
import java.nio.channels.AsynchronousFileChannel;
import java.util.concurrent.ExecutionException;

/** Begins to write a record and waits for the future, as the article's first snippet does. */
final class WaitingWriter implements RecordWriter {
    private final AsyncFile file;
    private final AsynchronousFileChannel channel;
    private long count;

    WaitingWriter(AsyncFile file) {
        this.file = file;
        channel = file.channel();
    }

    @Override
    public void write() throws IOException, InterruptedException {
        try {
            int written =
                    channel.write(Records.buffer(count), count * Records.SIZE).get();
            if (written != Records.SIZE) {
                throw new IOException("a write took " + written + " of " + Records.SIZE + " bytes");
            }
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        }
        count++;
    }

    @Override
    public long count() {
        return count;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
