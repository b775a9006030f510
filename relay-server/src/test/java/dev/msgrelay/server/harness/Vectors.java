package dev.msgrelay.server.harness;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The test vectors of the control frames, which belong to the protocol module. */
public record Vectors(String name, byte[] bytes, int code, String text) {
    private static final Path FOLDER = Path.of("..", "relay-protocol", "src", "test", "resources", "vectors");

    /**
     * Those whose name fits, such as {@code bad-hello-role}; code and text of the ERROR are 0 and empty for good ones.
     */
    public static List<Vectors> named(Predicate<String> fits) {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.sorted()
                    .filter(f -> fits.test(f.getFileName().toString()))
                    .map(Vectors::read)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static List<Vectors> bad(String... frames) {
        return Stream.of(frames)
                .flatMap(frame -> named(name -> name.startsWith("bad-" + frame + "-")).stream())
                .toList();
    }

    public static Vectors one(String name) {
        return read(FOLDER.resolve(name + ".hex"));
    }

    public int type() {
        return ByteBuffer.wrap(bytes).getInt();
    }

    private static Vectors read(Path file) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int code = 0;
        String text = "";
        try {
            for (String line : Files.readAllLines(file)) {
                if (line.startsWith("# Reason: ")) {
                    code = Integer.parseInt(line.split(" ")[2]);
                } else if (line.startsWith("# Text: ")) {
                    text = line.substring("# Text: ".length());
                } else if (!line.startsWith("#")) {
                    bytes.writeBytes(HexFormat.of().parseHex(line.split("#", 2)[0].replace(" ", "")));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Vectors(file.getFileName().toString().replace(".hex", ""), bytes.toByteArray(), code, text);
    }

    @Override
    public String toString() {
        return name;
    }
}
