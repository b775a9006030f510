package dev.msgrelay.loadgen.plain;

import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.host.Tool;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The reference relay and its clients, in C: their sources are in the jar, and are compiled where they are needed for
 * the first time, into a temporary directory that goes with this process.
 */
public final class CPrograms {
    /** Bytes of a message's body at most, for relay and clients. */
    public static final int MAX_BODY = 1 << 20;

    /** What is looked for, in this order; the environment's CC goes before. */
    static final List<String> COMPILERS = List.of("cc", "gcc", "clang");

    private static final String HEADER = "net.h";
    private static final List<String> FLAGS = List.of("-O2", "-pthread");
    private static final long COMPILE_MILLIS = 60_000;

    private static final Map<String, Path> MADE = new HashMap<>();
    private static Path directory;

    private CPrograms() {}

    /**
     * The relay, ready to be started.
     *
     * @throws IOException one line: there is no compiler, or what it said
     */
    public static Path relay() throws IOException {
        return program("relay");
    }

    /**
     * Publishers and subscribers, likewise.
     *
     * @throws IOException as above
     */
    public static Path client() throws IOException {
        return program("client");
    }

    /** Why there are none of these on this machine, in a line; empty where there are. */
    public static String obstacle() {
        try {
            relay();
            client();
            return "";
        } catch (IOException e) {
            return e.getMessage();
        }
    }

    private static synchronized Path program(String name) throws IOException {
        Path made = MADE.get(name);
        if (made == null) {
            made = compiled(name, compiler(System.getenv("CC"), System.getenv("PATH")));
            MADE.put(name, made);
        }
        return made;
    }

    private static Path compiled(String name, Path compiler) throws IOException {
        if (directory == null) {
            directory = Files.createTempDirectory("loadgen-c");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(directory), "remove-c-programs"));
        }
        for (String source : List.of(HEADER, name + ".c")) {
            try (InputStream from = CPrograms.class.getResourceAsStream(source)) {
                if (from == null) {
                    throw new IOException("there is no " + source + " beside the classes of loadgen");
                }
                Files.copy(from, directory.resolve(source), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        compile(compiler, directory.resolve(name + ".c"), directory.resolve(name));
        return directory.resolve(name);
    }

    /** Puts the program in this place. */
    private static void compile(Path compiler, Path source, Path program) throws IOException {
        List<String> command = new ArrayList<>(List.of(compiler.toString()));
        command.addAll(FLAGS);
        command.addAll(List.of("-o", program.toString(), source.toString()));
        try {
            Tool.Outcome outcome = new Subprocess(COMPILE_MILLIS).run(command);
            if (!outcome.succeeded()) {
                throw new IOException(compiler + " does not compile " + source + ": " + outcome.firstLine());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(compiler + " was interrupted", e);
        }
    }

    /**
     * The compiler.
     *
     * @param chosen by the environment's CC; null or empty: the first of {@link #COMPILERS} that there is
     * @param path directories, as in PATH
     * @throws IOException naming what was looked for
     */
    static Path compiler(String chosen, String path) throws IOException {
        boolean any = chosen == null || chosen.isBlank();
        List<String> names = any ? COMPILERS : List.of(chosen.trim());
        for (String name : names) {
            Optional<Path> found = Subprocess.find(name, path == null ? "" : path);
            if (found.isPresent()) {
                return found.get();
            }
        }
        throw new IOException("no C compiler: "
                + (any ? "none of " + String.join(", ", names) + " is" : "CC is '" + chosen + "', which is not")
                + " on the PATH");
    }

    private static void remove(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            // What lies in a directory goes before it.
            files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
        } catch (IOException e) {
            // Temporary files are cleared by the system in the end.
        }
    }
}
