package dev.msgrelay.loadgen.lab.files;

import java.util.List;

/**
 * What the experiment can be told.
 *
 * @param megabytes sizes of the file, a table each; in units of 1,000,000 bytes
 * @param force whether a write ends only once the device has it
 * @param dropCaches whether the operating system forgets all clean pages before a read; needs {@link DropCaches#isAllowed}
 */
public record FilesOptions(List<Integer> megabytes, boolean force, boolean dropCaches) {
    /** The article's smaller file. */
    public static final int SMALL = 400;

    /** The article's larger one: more than its machine had memory. */
    public static final int LARGE = 8_000;

    /** Of a quick run. */
    public static final int QUICK = 32;

    public static final int MAX = 1_000_000;

    public FilesOptions {
        megabytes = megabytes.stream().distinct().toList();
    }

    public static FilesOptions defaults(boolean quick) {
        return new FilesOptions(List.of(quick ? QUICK : SMALL), false, false);
    }
}
