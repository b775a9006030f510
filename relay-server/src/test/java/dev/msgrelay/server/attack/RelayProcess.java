package dev.msgrelay.server.attack;

import dev.msgrelay.server.cli.CommandProcess;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.testing.Directories;
import dev.msgrelay.testing.TestProcess;
import dev.msgrelay.testing.ThisMachine;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/** The relay as a process of its own, on Unix sockets whose paths are known before it says anything. */
final class RelayProcess implements AutoCloseable {
    private static final int MOST_SAID = 4000;

    private final Path folder;
    private final File output;
    private final Process process;

    /**
     * @param folder of its own, which is removed at the end
     * @param shell what a shell runs first, in the process that becomes the relay
     * @param output where its standard output goes; the other one goes there, too
     */
    RelayProcess(Path folder, String shell, File output, String... args) throws IOException {
        this.folder = folder;
        this.output = output;
        List<String> command = new ArrayList<>(List.of("sh", "-c", shell + "; exec \"$@\"", "sh"));
        command.addAll(CommandProcess.command(args));
        // What the budget needs, and not much more.
        int classPath = command.indexOf("-cp");
        command.set(classPath + 1, jars(folder));
        command.add(classPath, "-XX:MaxDirectMemorySize=128m");
        command.add("--publish-socket=" + folder.resolve("pub"));
        command.add("--subscribe-socket=" + folder.resolve("sub"));
        process = TestProcess.builder(command)
                .redirectErrorStream(true)
                .redirectOutput(output)
                .start();
        Await.until(
                () -> "it listens; alive: " + process.isAlive(),
                () -> listens(folder.resolve("sub")) && listens(folder.resolve("pub")) || !process.isAlive());
    }

    /**
     * The class path as users have it: jars, which are open from the start, so that a class can be loaded when there is
     * no descriptor left; and without what tests add, such as a quieter log.
     */
    private static String jars(Path folder) {
        List<String> jars = new ArrayList<>();
        for (String entry : ThisMachine.classPath().split(File.pathSeparator)) {
            if (Files.isDirectory(Path.of(entry)) && !entry.endsWith("test-classes")) {
                String jar = folder.resolve(jars.size() + ".jar").toString();
                ToolProvider tool = ToolProvider.findFirst("jar").orElseThrow();
                if (tool.run(System.out, System.err, "--create", "--no-compress", "--file", jar, "-C", entry, ".")
                        != 0) {
                    throw new AssertionError("no jar of " + entry);
                }
                jars.add(jar);
            } else if (entry.endsWith(".jar")) {
                jars.add(entry);
            }
        }
        return String.join(File.pathSeparator, jars);
    }

    /** The file is there a moment before it can be connected to. */
    private static boolean listens(Path socket) {
        try (SocketChannel probe = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            return probe.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    /** A relay that writes into a file of its folder. */
    static RelayProcess start(String shell, String... args) throws IOException {
        Path folder = Directories.forSockets("relay");
        return new RelayProcess(folder, shell, folder.resolve("output").toFile(), args);
    }

    /** The end of what it has said so far. */
    String said() {
        try (RandomAccessFile file = new RandomAccessFile(output, "r")) {
            byte[] end = new byte[(int) Math.min(file.length(), MOST_SAID)];
            file.seek(file.length() - end.length);
            file.readFully(end);
            return new String(end, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A number of the last line of its statistics, with --json; 0: there is none yet. */
    long stat(String name) {
        Pattern last = Pattern.compile(".*\\{\"event\":\"stats\"[^\n]*\"" + name + "\":(\\d+).*", Pattern.DOTALL);
        Matcher stats = last.matcher(said());
        return stats.matches() ? Long.parseLong(stats.group(1)) : 0;
    }

    SocketAddress publish() {
        return UnixDomainSocketAddress.of(folder.resolve("pub"));
    }

    SocketAddress subscribe() {
        return UnixDomainSocketAddress.of(folder.resolve("sub"));
    }

    HealthyPair pair() throws IOException {
        return new HealthyPair(publish(), subscribe());
    }

    long pid() {
        return process.pid();
    }

    /** Sends SIGTERM and waits for the end; answers the exit code. */
    int terminate() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(Await.LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("does not end after SIGTERM");
        }
        return process.exitValue();
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
