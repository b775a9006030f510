package dev.msgrelay.server.journal.format;

import dev.msgrelay.server.journal.disk.Disk;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The names of a journal's files. The name of a segment's file is the position at which the segment starts. */
public final class FileNames {
    public static final String EPOCHS = "epochs";
    public static final String NAMES = "names";

    /** The snapshot of the state. */
    public static final String STATE = "state";

    public static final String STREAM = ".stream";
    public static final String INDEX = ".index";

    /** The end of the name of a file that may be used again. */
    public static final String SPARE = ".spare";

    /** The end of the name of a file that a repair has put aside. */
    public static final String DAMAGED = ".damaged";

    private static final Pattern SEGMENT = Pattern.compile("(\\d{20})\\.(stream|index)");

    private FileNames() {}

    public static String stream(long base) {
        return digits(base) + STREAM;
    }

    public static String index(long base) {
        return digits(base) + INDEX;
    }

    /** The position in the name of a segment's file; -1 for the name of another file. */
    public static long base(String name) {
        Matcher form = SEGMENT.matcher(name);
        if (!form.matches()) {
            return -1;
        }
        try {
            return Long.parseLong(form.group(1));
        } catch (NumberFormatException tooLarge) {
            return -1;
        }
    }

    public static List<String> spares(Disk disk) throws IOException {
        return disk.names().stream().filter(name -> name.endsWith(SPARE)).toList();
    }

    private static String digits(long base) {
        return String.format(Locale.ROOT, "%020d", base);
    }
}
