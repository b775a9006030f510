package dev.msgrelay.server.batch;

/** Is told what of whom is in the stream. On the thread of the log's writer. */
public interface AckSink {
    /** For those who do not want to know. */
    AckSink NONE = new AckSink() {
        @Override
        public void packed(int owner, int frames, long sequence) {}

        @Override
        public void flush() {}
    };

    /**
     * A run is in the log; its readers see it at the end of the batch.
     *
     * @param owner whose it is, as the ring was told, from 1
     * @param frames messages in it
     * @param sequence of the last of them
     */
    void packed(int owner, int frames, long sequence);

    /** The batches of this round have ended: readers see everything that was packed. */
    void flush();
}
