package dev.msgrelay.loadgen.report;

import dev.msgrelay.loadgen.plan.Json;
import dev.msgrelay.loadgen.render.HtmlPage;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.protocol.text.ShortText;
import dev.msgrelay.protocol.text.TextFile;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A directory with the files of results, which are written again after every run. Each file is complete at any time.
 */
public final class ResultFiles {
    public static final String JSON = "results.json";

    public static final String HTML = "report.html";

    private static final String TEMPORARY = ".part";

    /** Opens a file for writing. Tests replace it, to simulate a full disk. */
    @FunctionalInterface
    interface Opener {
        OutputStream open(Path file) throws IOException;
    }

    @FunctionalInterface
    private interface Content {
        void to(Writer out) throws IOException;
    }

    private final Path directory;
    private final Opener opener;
    private int kept;

    private ResultFiles(Path directory, Opener opener) {
        this.directory = directory;
        this.opener = opener;
    }

    public static ResultFiles in(Path directory) throws IOException {
        return in(directory, Files::newOutputStream);
    }

    static ResultFiles in(Path directory, Opener opener) throws IOException {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new IOException("cannot make the directory " + TextFile.fault(e), e);
        }
        if (Files.exists(directory.resolve(JSON))) {
            throw new IOException(directory + " has results already: " + directory.resolve(JSON));
        }
        if (!Files.isWritable(directory)) {
            throw new IOException("cannot write to " + directory + ": permission denied");
        }
        return new ResultFiles(directory, opener);
    }

    public void write(Results results) throws IOException {
        // The JSON is written first, since the page can be made from it.
        write(JSON, out -> Json.write(results, out));
        kept = results.runs().size();
        write(HTML, out -> out.write(HtmlPage.of("Relay " + results.origin().command(), results)));
    }

    private void write(String name, Content content) throws IOException {
        Path file = directory.resolve(name);
        Path part = directory.resolve(name + TEMPORARY);
        try {
            try (Writer out = new OutputStreamWriter(opener.open(part), StandardCharsets.UTF_8)) {
                content.to(out);
            }
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            discard(part, e);
            throw new IOException("cannot write " + file + ": " + TextFile.fault(e) + "; " + whatIsKept(), e);
        }
    }

    private String whatIsKept() {
        Path json = directory.resolve(JSON);
        return Files.isRegularFile(json) ? json + " has " + ShortText.counted(kept, "run") : "nothing is kept";
    }

    private static void discard(Path part, IOException because) {
        try {
            Files.deleteIfExists(part);
        } catch (IOException e) {
            because.addSuppressed(e);
        }
    }
}
