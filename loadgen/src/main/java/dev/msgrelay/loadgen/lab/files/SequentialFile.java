package dev.msgrelay.loadgen.lab.files;

import java.io.IOException;
import java.nio.file.Path;

/**
 * One of the article's ways to write a file from its start to its end, and to read it back, a byte at a time. All return
 * the sum of the bytes that they wrote or read ({@link Content#checkSum}).
 */
interface SequentialFile {
    /** The article's page, and the size of its buffers. */
    int PAGE_SIZE = 4096;

    /** As the article calls it. */
    String name();

    /**
     * Writes the whole content over whatever the file has, never shortening it.
     *
     * @param force whether to return only once the device has it
     */
    int write(Path file, Content content, boolean force) throws IOException;

    /** Reads the whole file. */
    int read(Path file) throws IOException;
}
