package dev.msgrelay.loadgen.lab.senders;

import java.io.IOException;

/** While not at the end, write: a worker has one client until it has the whole file. */
final class SimpleBlocking implements SendAlgorithm {
    @Override
    public boolean isBlocking() {
        return true;
    }

    @Override
    public void send(Download download) throws IOException {
        while (!download.isDone()) {
            download.send(Long.MAX_VALUE);
        }
    }
}
