package dev.msgrelay.server.journal;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The names of a journal's files. Those of segments begin with the position at which they start. */
final class FileNames {
    static final String EPOCHS = "epochs";
    static final String NAMES = "names";
    static final String STREAM = ".stream";
    static final String INDEX = ".index";

    /** Behind a name: of no use at present, to be used again. */
    static final String SPARE = ".spare";

    /** Behind a name: put aside by a repair, for people to look at. */
    static final String DAMAGED = ".damaged";

    private static final Pattern SEGMENT = Pattern.compile("(\\d{20})\\.(stream|index)");

    private FileNames() {}

    static String stream(long base) {
        return digits(base) + STREAM;
    }

    static String index(long base) {
        return digits(base) + INDEX;
    }

    /** The position that the name of a segment's file says; -1: it is none. */
    static long base(String name) {
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

    private static String digits(long base) {
        return String.format(Locale.ROOT, "%020d", base);
    }
}
