package dev.msgrelay.loadgen.ssh;

import dev.msgrelay.loadgen.site.Site;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A second host that can start JVMs with the load generator's classes: it has a Java, and a copy of our jar.
 *
 * @param java the command there
 * @param jar path there
 */
public record SshHost(Ssh ssh, String java, String jar) {
    /** Before each line that is meant for us: what a user's shell prints when it starts is not. */
    static final String MARK = "relay-loadgen: ";

    private static final int MIN_JAVA = 17;
    private static final long END_MILLIS = 5_000;
    private static final int NAME_DIGITS = 16;
    private static final double MEGA = 1e6;
    private static final Duration LOOK_LIMIT = Duration.ofSeconds(30);
    private static final Duration COPY_LIMIT = Duration.ofMinutes(10);

    /** Tells the version of Java, and where the jar is or belongs. A jar that is used stays young. */
    private static final String LOOK = "java=$1; jar=${XDG_CACHE_HOME:-$HOME/.cache}/relay-loadgen/$2;"
            + " \"$java\" -version 2>&1 | sed -n 's/.* version \"\\([^\"]*\\)\".*/" + MARK + "java \\1/p';"
            + " if test -f \"$jar\"; then touch -c \"$jar\"; echo \"" + MARK + "has $jar\";"
            + " else echo \"" + MARK + "lacks $jar\"; fi";

    /** From stdin; there is no half a jar under its name. Those of other builds that nobody has used for a week go. */
    private static final String COPY = "umask 077; dir=${1%/*}; mkdir -p \"$dir\" || exit;"
            + " find \"$dir\" -name 'loadgen-*' -mtime +7 -exec rm -f {} +;"
            + " cat >\"$1.$$\" && test \"$(wc -c <\"$1.$$\")\" -eq \"$2\" && mv -f \"$1.$$\" \"$1\""
            + " || { rm -f \"$1.$$\"; echo \"the copy $1 is not complete\" >&2; exit 1; }";

    /** The process id is the JVM's own. */
    private static final String START = "echo \"" + MARK + "pid $$\"; exec \"$@\"";

    private static final Pattern FEATURE = Pattern.compile("(?:1\\.)?(\\d{1,4}).*");

    /**
     * Looks what is there, and copies our jar where it is missing.
     *
     * @param java the command there: "java"
     * @param ours the jar of this program: {@link #ownJar}
     * @param told hears in one line what was found, and what is copied
     * @throws IOException in one line that names the host: it cannot be reached, refuses, has no Java that is new enough, or
     *     no room
     */
    public static SshHost prepare(Ssh ssh, String java, Path ours, Consumer<String> told)
            throws IOException, InterruptedException {
        String name = "loadgen-" + checksum(ours) + ".jar";
        String found = ssh.run(LOOK, List.of(java, name), null, LOOK_LIMIT);
        String version = marked(found, "java ");
        checkJava(ssh, java, version);
        String jar = marked(found, "has ");
        if (jar == null) {
            jar = marked(found, "lacks ");
            if (jar == null) {
                throw new IOException(ssh.host() + ": its shell did not answer as sh does: " + Ssh.inOneLine(found));
            }
            long size = Files.size(ours);
            told.accept(String.format(
                    Locale.ROOT,
                    "%s: Java %s; copying loadgen (%.1f MB) to %s",
                    ssh.host(),
                    version,
                    size / MEGA,
                    jar));
            ssh.run(COPY, List.of(jar, "" + size), ours, COPY_LIMIT);
        } else {
            told.accept(ssh.host() + ": Java " + version + "; loadgen is there: " + jar);
        }
        return new SshHost(ssh, java, jar);
    }

    private static void checkJava(Ssh ssh, String java, String version) throws IOException {
        String needed = "install a JDK " + MIN_JAVA + " or newer there, or name its java by --host-java";
        if (version == null) {
            throw new IOException(ssh.host() + ": '" + java + "' is no Java that starts there: " + needed);
        }
        Matcher matcher = FEATURE.matcher(version);
        if (!matcher.matches() || Integer.parseInt(matcher.group(1)) < MIN_JAVA) {
            throw new IOException(ssh.host() + ": '" + java + "' there is version " + version + ": " + needed);
        }
    }

    private static String marked(String output, String word) {
        String start = MARK + word;
        return output.lines()
                .filter(line -> line.startsWith(start))
                .map(line -> line.substring(start.length()))
                .findFirst()
                .orElse(null);
    }

    /**
     * The one jar that this program was started from.
     *
     * @throws IOException it was started from something else, of which there can be no copy
     */
    public static Path ownJar() throws IOException {
        String classPath = System.getProperty("java.class.path");
        if (classPath.contains(File.pathSeparator) || !classPath.endsWith(".jar")) {
            throw new IOException("the second host gets a copy of loadgen's jar, and this is none: " + classPath
                    + "; start it by bin/loadgen");
        }
        return Path.of(classPath);
    }

    private static String checksum(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            new DigestInputStream(in, digest).transferTo(OutputStream.nullOutputStream());
            return HexFormat.of().formatHex(digest.digest()).substring(0, NAME_DIGITS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has it", e);
        }
    }

    /** For people: as ssh knows it. */
    public String name() {
        return ssh.host();
    }

    /**
     * Runs a program there to its end, and passes on what it prints.
     *
     * @return its exit code
     * @throws IOException it could not be started: as below
     */
    public int run(Site.JavaProgram program, PrintWriter out, PrintWriter err)
            throws IOException, InterruptedException {
        SshProcess process = start(program);
        try {
            Thread errors = new Thread(() -> passOn(process.getErrorStream(), err), "stderr");
            errors.setDaemon(true);
            errors.start();
            Thread output = new Thread(() -> passOn(process.getInputStream(), out), "stdout");
            output.setDaemon(true);
            output.start();
            output.join();
            errors.join();
            process.waitFor(END_MILLIS, TimeUnit.MILLISECONDS);
            return process.isAlive() ? 1 : process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }

    private static void passOn(InputStream from, PrintWriter to) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(from, StandardCharsets.UTF_8))) {
            String line;
            while ((line = in.readLine()) != null) {
                to.println(line);
                to.flush();
            }
        } catch (IOException e) {
            // it was killed while we read
        }
    }

    /**
     * Starts a JVM there, and waits until it is.
     *
     * @throws IOException in one line that names the host: with what ssh said
     */
    public SshProcess start(Site.JavaProgram program) throws IOException {
        List<String> words = new ArrayList<>(List.of(java));
        words.addAll(program.javaOptions());
        words.addAll(List.of("-cp", jar, program.main()));
        words.addAll(program.args());
        SshProcess process = new SshProcess(ssh, ssh.start(START, words));
        process.awaitStarted();
        return process;
    }
}
