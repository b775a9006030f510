package dev.msgrelay.loadgen.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A directory for an experiment's files. It is removed with all that is in it, also when the process is asked to end. */
public final class ScratchDirectory implements AutoCloseable {
    /** The command's thread is given so long to end what it does and to close this itself. */
    private static final long GRACE_MILLIS = 4_500;

    private final Path path;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread hook = new Thread(this::removeAtExit, "scratch-removal");

    private ScratchDirectory(Path path) {
        this.path = path;
    }

    /**
     * A new one within the directory.
     *
     * @throws IOException the directory is none, or cannot be written to
     */
    public static ScratchDirectory in(Path directory) throws IOException {
        try {
            ScratchDirectory scratch = new ScratchDirectory(Files.createTempDirectory(directory, "relay-lab-"));
            Runtime.getRuntime().addShutdownHook(scratch.hook);
            return scratch;
        } catch (IOException e) {
            throw new IOException("cannot make a directory in " + directory + ": " + e.getMessage(), e);
        } catch (IllegalStateException e) {
            throw new IOException("the process is ending", e);
        }
    }

    public Path path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        try {
            remove(path);
        } finally {
            closed.countDown();
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // the process is ending: the hook finds nothing to do
            }
        }
    }

    private void removeAtExit() {
        try {
            if (!closed.await(GRACE_MILLIS, TimeUnit.MILLISECONDS)) {
                remove(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void remove(Path directory) throws IOException {
        try {
            Files.walkFileTree(directory, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.deleteIfExists(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path visited, IOException failure) throws IOException {
                    Files.deleteIfExists(visited);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (NoSuchFileException e) {
            // gone already
        }
    }
}
