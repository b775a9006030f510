package dev.msgrelay.loadgen.lab.files;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** How much of a file the operating system holds in memory. */
final class PageCache {
    /** A file is asked about in this many pieces at most. */
    private static final int MAX_PIECES = 256;

    private static final long MIN_PIECE = 1 << 20;

    private PageCache() {}

    /** The share of the file, from 0 to 1, that lies in pieces of which all pages are in memory; 1 for an empty file. */
    static double resident(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long size = channel.size();
            long piece = Math.min(Integer.MAX_VALUE, Math.max(MIN_PIECE, size / MAX_PIECES + 1));
            long resident = 0;
            for (long at = 0; at < size; at += piece) {
                long length = Math.min(piece, size - at);
                if (channel.map(MapMode.READ_ONLY, at, length).isLoaded()) {
                    resident += length;
                }
            }
            return size == 0 ? 1 : (double) resident / size;
        }
    }
}
