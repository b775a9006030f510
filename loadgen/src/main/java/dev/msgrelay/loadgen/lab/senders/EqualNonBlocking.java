package dev.msgrelay.loadgen.lab.senders;

import java.io.IOException;

/**
 * A worker writes what the socket takes, and no more. The rest of the file is another part, perhaps another worker's, once
 * the selector has found the socket to have room.
 */
final class EqualNonBlocking implements SendAlgorithm {
    @Override
    public boolean isBlocking() {
        return false;
    }

    @Override
    public void send(Download download) throws IOException {
        while (!download.isDone() && download.send(Long.MAX_VALUE) > 0) {
            // on to the next write
        }
    }
}
