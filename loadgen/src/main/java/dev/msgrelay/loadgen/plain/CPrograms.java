package dev.msgrelay.loadgen.plain;

import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.host.Tool;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * The reference relay and its clients, in C: their sources are in the jar, and are compiled where they are needed for
 * the first time.
 *
 * <pre>
 *  jar: net.h relay.c client.c  -- cc -O2 --&gt;  target/c-HASH/relay, target/c-HASH/client
 * </pre>
 *
 * HASH is of sources and compiler: what was compiled once is used until one of them changes. A jar that does not lie in a
 * build's target directory compiles into a temporary directory, which goes with the process.
 */
public final class CPrograms {
    /** Bytes of a message's body at most, for relay and clients. */
    public static final int MAX_BODY = 1 << 20;

    /** What is looked for, in this order; the environment's CC goes before. */
    static final List<String> COMPILERS = List.of("cc", "gcc", "clang");

    private static final String HEADER = "net.h";
    private static final List<String> SOURCES = List.of(HEADER, "relay.c", "client.c");
    private static final List<String> FLAGS = List.of("-O2", "-pthread");
    private static final int HASH_CHARS = 16;
    private static final long COMPILE_MILLIS = 60_000;

    private static Path temporary;

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
        Path compiler = compiler(System.getenv("CC"), System.getenv("PATH"));
        Path directory = directory("c-" + hash(compiler));
        Path program = directory.resolve(name);
        if (Files.isExecutable(program)) {
            return program;
        }
        Files.createDirectories(directory);
        for (String source : List.of(HEADER, name + ".c")) {
            try (InputStream from = source(source)) {
                Files.copy(from, directory.resolve(source), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        // Another loadgen may be about the same: whoever is last puts a whole program in its place.
        Path made = Files.createTempFile(directory, name, ".new");
        compile(compiler, directory.resolve(name + ".c"), made);
        Files.move(made, program, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        return program;
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
            for (String directory : (path == null ? "" : path).split(File.pathSeparator)) {
                Path file = Path.of(directory).resolve(name);
                if (Files.isRegularFile(file) && Files.isExecutable(file)) {
                    return file;
                }
            }
        }
        throw new IOException("no C compiler: "
                + (any ? "none of " + String.join(", ", names) + " is" : "CC is '" + chosen + "', which is not")
                + " on the PATH");
    }

    /** Where programs of this hash are kept; it need not be there yet. */
    private static Path directory(String name) throws IOException {
        Path target = target();
        if (target != null) {
            return target.resolve(name);
        }
        if (temporary == null) {
            temporary = Files.createTempDirectory("loadgen-c");
            Path made = temporary;
            Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(made), "remove-c-programs"));
        }
        return temporary.resolve(name);
    }

    /** The build's directory that these classes lie in, in a jar or not; null where they lie elsewhere. */
    private static Path target() {
        try {
            Path classes = Path.of(CPrograms.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            Path target = classes.getParent();
            boolean ours = target != null && target.endsWith("target") && Files.isWritable(target);
            return ours ? target : null;
        } catch (URISyntaxException e) {
            return null;
        }
    }

    private static void remove(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            // What lies in a directory goes before it.
            files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
        } catch (IOException e) {
            // Temporary files are cleared by the system in the end.
        }
    }

    private static String hash(Path compiler) throws IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update((compiler + " " + FLAGS).getBytes(StandardCharsets.UTF_8));
            for (String source : SOURCES) {
                try (InputStream from = source(source)) {
                    digest.update(from.readAllBytes());
                }
            }
            return HexFormat.of().formatHex(digest.digest()).substring(0, HASH_CHARS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private static InputStream source(String name) throws IOException {
        InputStream source = CPrograms.class.getResourceAsStream(name);
        if (source == null) {
            throw new IOException("there is no " + name + " beside the classes of loadgen");
        }
        return source;
    }
}
