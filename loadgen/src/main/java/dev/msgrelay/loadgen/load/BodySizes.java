package dev.msgrelay.loadgen.load;

import dev.msgrelay.protocol.FrameLayout;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * How large the bodies of messages are, in bytes, {@link #MIN} to {@link #MAX}:
 *
 * <pre>
 *  100                    all of one size
 *  uniform:16-1000        every size from 16 to 1000, equally often
 *  file:PATH              a histogram: lines "SIZE COUNT"; # starts a comment
 *  sizes:16x3,1000x1      the same histogram without the file: 16 bytes three times as often as 1000
 * </pre>
 *
 * Immutable. The text of a value ({@link #toString}) needs no file, so that it can be handed to another host and stand
 * in a report; parsed again it gives an equal value.
 *
 * @param ranges from smallest to largest, without overlap
 */
public record BodySizes(List<Range> ranges) {
    public static final int MIN = LoadMessage.MIN_BODY;
    public static final int MAX = FrameLayout.MAX_MAX_BODY;

    /** Most different sizes of a histogram: it is a command line's argument for the processes that send. */
    static final int MAX_SIZES = 2_048;

    static final long MAX_COUNT = 1_000_000_000_000L;

    private static final int MAX_FILE = 1 << 20;
    private static final String UNIFORM = "uniform:";
    private static final String FILE = "file:";
    private static final String SIZES = "sizes:";

    /**
     * Sizes {@code from} to {@code to}, each equally often.
     *
     * @param count how often they come altogether, beside the other ranges
     */
    public record Range(int from, int to, long count) {
        int span() {
            return to - from + 1;
        }
    }

    public BodySizes {
        ranges = List.copyOf(ranges);
    }

    /**
     * All bodies of this size.
     *
     * @throws IllegalArgumentException naming the size and its limits
     */
    public static BodySizes fixed(int size) {
        return new BodySizes(List.of(new Range(within("", size), size, 1)));
    }

    /**
     * @throws IllegalArgumentException one line, naming the value (for a file also the line) and the limit
     */
    public static BodySizes parse(String text) {
        if (text.startsWith(UNIFORM)) {
            return uniform(text);
        }
        if (text.startsWith(FILE)) {
            if (text.length() == FILE.length()) {
                throw new IllegalArgumentException("'" + text + "' names no file");
            }
            return file(Path.of(text.substring(FILE.length())));
        }
        if (text.startsWith(SIZES)) {
            return listed(text);
        }
        if (!text.matches("-?[0-9]{1,18}")) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a number of bytes, uniform:MIN-MAX, file:PATH or" + " sizes:SIZExCOUNT,...");
        }
        return fixed(within("", Long.parseLong(text)));
    }

    private static BodySizes uniform(String text) {
        String range = text.substring(UNIFORM.length());
        if (!range.matches("[0-9]{1,18}-[0-9]{1,18}")) {
            throw new IllegalArgumentException("'" + text + "' is not uniform:MIN-MAX, as in uniform:16-1000");
        }
        int dash = range.indexOf('-');
        int from = within(text + ": ", Long.parseLong(range.substring(0, dash)));
        int to = within(text + ": ", Long.parseLong(range.substring(dash + 1)));
        if (from > to) {
            throw new IllegalArgumentException("'" + text + "' starts at " + from + ", above its end at " + to);
        }
        return new BodySizes(List.of(new Range(from, to, 1)));
    }

    private static BodySizes listed(String text) {
        TreeMap<Integer, Long> counts = new TreeMap<>();
        for (String pair : text.substring(SIZES.length()).split(",", -1)) {
            add(counts, SIZES + " ", pair, "x", "SIZExCOUNT");
        }
        return histogram(counts);
    }

    private static BodySizes file(Path path) {
        TreeMap<Integer, Long> counts = new TreeMap<>();
        int number = 0;
        for (String line : lines(path)) {
            number++;
            String content = line.replaceFirst("#.*", "").trim();
            if (!content.isEmpty()) {
                add(counts, path + " line " + number + ": ", content, "\\s+", "SIZE COUNT");
            }
        }
        if (counts.isEmpty()) {
            throw new IllegalArgumentException(path + " has no line of the form SIZE COUNT");
        }
        return histogram(counts);
    }

    private static List<String> lines(Path path) {
        try {
            if (!Files.isRegularFile(path)) {
                throw new IllegalArgumentException(
                        path + (Files.exists(path) ? " is not a regular file" : " does not exist"));
            }
            if (Files.size(path) > MAX_FILE) {
                throw new IllegalArgumentException(
                        path + " has " + Files.size(path) + " bytes, over the limit of " + MAX_FILE);
            }
            return Files.readAllLines(path);
        } catch (MalformedInputException e) {
            throw new IllegalArgumentException(path + " is not a text file", e);
        } catch (IOException e) {
            throw new IllegalArgumentException("cannot read " + path + ": " + e.getMessage(), e);
        }
    }

    private static void add(TreeMap<Integer, Long> counts, String where, String pair, String separator, String form) {
        String[] parts = pair.split(separator, -1);
        if (parts.length != 2 || !parts[0].matches("[0-9]{1,18}") || !parts[1].matches("[0-9]{1,18}")) {
            throw new IllegalArgumentException(where + "'" + pair + "' is not " + form);
        }
        int size = within(where, Long.parseLong(parts[0]));
        long count = Long.parseLong(parts[1]);
        if (count < 1 || count > MAX_COUNT) {
            throw new IllegalArgumentException(where + "count " + count + " is not within 1.." + MAX_COUNT);
        }
        if (counts.put(size, count) != null) {
            throw new IllegalArgumentException(where + "size " + size + " is there twice");
        }
        if (counts.size() > MAX_SIZES) {
            throw new IllegalArgumentException(where + "more than " + MAX_SIZES + " sizes");
        }
    }

    private static BodySizes histogram(Map<Integer, Long> counts) {
        // The count of a single size says nothing: the same value as a fixed size.
        return counts.size() == 1
                ? fixed(counts.keySet().iterator().next())
                : new BodySizes(counts.entrySet().stream()
                        .map(entry -> new Range(entry.getKey(), entry.getKey(), entry.getValue()))
                        .toList());
    }

    private static int within(String where, long size) {
        if (size < MIN || size > MAX) {
            throw new IllegalArgumentException(where + size + " is not within " + MIN + ".." + MAX);
        }
        return (int) size;
    }

    public boolean isFixed() {
        return min() == max();
    }

    public int min() {
        return ranges.get(0).from();
    }

    public int max() {
        return ranges.get(ranges.size() - 1).to();
    }

    public double mean() {
        double sum = 0;
        double count = 0;
        for (Range range : ranges) {
            sum += range.count() * ((double) range.from() + range.to()) / 2;
            count += range.count();
        }
        return sum / count;
    }

    /** For people: "100-byte bodies", "bodies of 16 to 1000 bytes (mean 508)". */
    public String describe() {
        return isFixed()
                ? min() + "-byte bodies"
                : "bodies of " + min() + " to " + max() + " bytes (mean " + Math.round(mean()) + ")";
    }

    @Override
    public String toString() {
        if (isFixed()) {
            return "" + min();
        }
        return ranges.size() == 1
                ? UNIFORM + min() + "-" + max()
                : SIZES
                        + ranges.stream()
                                .map(range -> range.from() + "x" + range.count())
                                .collect(Collectors.joining(","));
    }
}
