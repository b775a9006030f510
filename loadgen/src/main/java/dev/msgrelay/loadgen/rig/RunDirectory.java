package dev.msgrelay.loadgen.rig;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A directory for Unix sockets, keys and data of runs, which no other user can read. A shell waits for the end of its
 * stdin and then removes the directory. The stdin ends on {@link #close}, or when this process ends. Thread-safe.
 */
final class RunDirectory implements AutoCloseable {
    /** The shell's command. It tries the removal again, as a relay that is ending may still write for a moment. */
    private static final String REMOVE =
            "trap '' HUP INT QUIT TERM; cat >/dev/null; rm -rf -- \"$1\" || { sleep 2; rm -rf -- \"$1\"; }";

    static final Path TEMPORARY = Path.of(System.getProperty("java.io.tmpdir"));

    private static final int REMOVE_SECONDS = 60;

    private final Path path;
    private final Process remover;

    private RunDirectory(Path path) throws IOException {
        this.path = path;
        this.remover = new ProcessBuilder("sh", "-c", REMOVE, "remover", path.toString())
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.INHERIT)
                .start();
    }

    static RunDirectory in(Path parent) throws IOException {
        return new RunDirectory(Files.createTempDirectory(parent, "loadgen"));
    }

    Path data() throws IOException {
        return Files.createDirectories(path.resolve("data"));
    }

    Path socket(String name) {
        return path.resolve(name + ".sock");
    }

    Path pem(String name) {
        return path.resolve(name + ".pem");
    }

    @Override
    public void close() {
        try {
            remover.getOutputStream().close();
        } catch (IOException e) {
            // The shell has ended already.
        }
        remover.onExit()
                .completeOnTimeout(remover, REMOVE_SECONDS, TimeUnit.SECONDS)
                .join();
    }
}
