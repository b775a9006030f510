package dev.msgrelay.server.harness;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/** The bad ones of the protocol's test vectors, see docs/protocol.md: text files with a frame and what is wrong with it. */
public final class BadVectors {
    private static final Path FOLDER = Path.of("..", "relay-protocol", "src", "test", "resources", "vectors");

    /**
     * A frame that must be refused.
     *
     * @param code of the ERROR
     * @param text of the ERROR
     */
    public record Vector(String name, int code, String text, byte[] bytes) {
        public int type() {
            return ByteBuffer.wrap(bytes).getInt();
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private BadVectors() {}

    /** Those whose name goes on with one of these words behind {@code bad-}. */
    public static List<Vector> of(String... frames) throws IOException {
        List<Vector> result = new ArrayList<>();
        for (String frame : frames) {
            try (Stream<Path> files = Files.list(FOLDER)) {
                for (Path file : files.sorted().toList()) {
                    if (file.getFileName().toString().startsWith("bad-" + frame + "-")) {
                        result.add(read(file));
                    }
                }
            }
        }
        return result;
    }

    private static Vector read(Path file) throws IOException {
        int code = 0;
        String text = "";
        StringBuilder hex = new StringBuilder();
        for (String line : Files.readAllLines(file)) {
            if (line.startsWith("# Reason: ")) {
                code = Integer.parseInt(line.split(" ")[2]);
            } else if (line.startsWith("# Text: ")) {
                text = line.substring("# Text: ".length());
            } else if (!line.startsWith("#")) {
                hex.append(line.split("#", 2)[0].replace(" ", ""));
            }
        }
        byte[] bytes = HexFormat.of().parseHex(hex);
        return new Vector(file.getFileName().toString(), code, text, bytes);
    }
}
