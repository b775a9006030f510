package dev.msgrelay.loadgen.lab.asyncfiles;

import java.io.IOException;

/** Writes records one behind the other into a file. One thread writes and closes. */
interface RecordWriter extends AutoCloseable {
    /**
     * Writes the next record, or begins to.
     *
     * @throws IOException if this or an earlier one could not be written
     */
    void write() throws IOException, InterruptedException;

    /** How many records have been given to {@link #write}. */
    long count();

    /** Ends the writing; what is promised about records on their way is the writer's own matter. */
    @Override
    void close() throws IOException;
}
