package dev.msgrelay.protocol;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * One frame of {@code vectors/*.hex}, as its file describes it:
 *
 * <pre>
 *  # Bad: what is wrong with it            or "# Good: ...", "# Good, but not how this library writes it: ..."
 *  # Reason: 12 MALFORMED_CONTROL          bad ones only
 *  # Text: what the reader says            bad ones only
 *
 *  00 01     # lowest version = 1          the comment names all bytes since the one before
 * </pre>
 *
 * @param head the lines before the bytes, by their first word
 * @param bytes header and body
 * @param fields the named parts of the bytes, in order
 */
record TestVector(String name, Map<String, String> head, byte[] bytes, List<Field> fields) {
    private static final String NOT_CANONICAL = "Good, but not how this library writes it";

    private static final List<TestVector> ALL = readAll();

    /** @param comment {@code name = value (remark)}, or words alone */
    record Field(String comment, byte[] bytes) {}

    static List<TestVector> good() {
        return all().filter(TestVector::isGood).toList();
    }

    static List<TestVector> bad() {
        return all().filter(v -> !v.isGood()).toList();
    }

    static Stream<TestVector> all() {
        return ALL.stream();
    }

    private static List<TestVector> readAll() {
        try (Stream<Path> files =
                Files.list(Path.of(TestVector.class.getResource("/vectors").toURI()))) {
            return files.sorted().map(TestVector::read).toList();
        } catch (IOException | URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    boolean isGood() {
        return head.containsKey("Good") || head.containsKey(NOT_CANONICAL);
    }

    /** Whether the library's own encoder makes the same bytes. */
    boolean isCanonical() {
        return head.containsKey("Good");
    }

    int type() {
        return ByteBuffer.wrap(bytes).getInt(FrameLayout.TYPE_OFFSET);
    }

    /** A copy of the body alone. */
    byte[] body() {
        return Arrays.copyOfRange(bytes, FrameLayout.HEADER_LENGTH, bytes.length);
    }

    @Override
    public String toString() {
        return name;
    }

    private static TestVector read(Path file) {
        Map<String, String> head = new TreeMap<>();
        List<Field> fields = new ArrayList<>();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ByteArrayOutputStream field = new ByteArrayOutputStream();
        try {
            for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
                if (line.startsWith("#")) {
                    String[] words = line.substring(1).strip().split(": ", 2);
                    head.put(words[0], words[1]);
                    continue;
                }
                String[] parts = line.split("#", 2);
                field.writeBytes(HexFormat.of().parseHex(parts[0].replace(" ", "")));
                if (parts.length == 2) {
                    fields.add(new Field(parts[1].strip(), field.toByteArray()));
                    bytes.writeBytes(field.toByteArray());
                    field.reset();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (field.size() > 0) {
            throw new AssertionError(file + ": " + field.size() + " bytes at the end have no name");
        }
        String name = file.getFileName().toString().replace(".hex", "");
        return new TestVector(name, head, bytes.toByteArray(), fields);
    }
}
