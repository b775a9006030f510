package dev.msgrelay.testing;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * The machine, the user and the JVM that a test runs on; no other class of tests asks for them ({@link MachineRules}).
 * A test that needs something of them says so first: where it is not there, the reason is printed and the test is
 * skipped. Any thread.
 */
public final class ThisMachine {
    /** Descriptors that a JVM opens on its own while a test runs: jars, selectors, pipes, the test's own files. */
    private static final int OTHER_FILES = 200;

    private ThisMachine() {}

    /** The program that runs this JVM. */
    public static Path java() {
        return Path.of(System.getProperty("java.home"), "bin", "java");
    }

    /** The directory of the JDK that runs this JVM. */
    public static Path javaHome() {
        return Path.of(System.getProperty("java.home"));
    }

    public static String javaVersion() {
        return System.getProperty("java.version");
    }

    /** The class path of this test. */
    public static String classPath() {
        return System.getProperty("java.class.path");
    }

    /** The directory in which {@code @TempDir} makes its own. */
    public static Path temporary() {
        return Path.of(System.getProperty("java.io.tmpdir"));
    }

    /** The home of the user in the system's own table, whatever the environment says. */
    public static Path userHome() {
        return Path.of(System.getProperty("user.home"));
    }

    /** A setting of the tests, which their caller gives by -D; null: it is not given. */
    public static String setting(String name) {
        return System.getProperty(name);
    }

    /** Whether the caller of the tests gives this setting as true. */
    public static boolean isSet(String name) {
        return Boolean.getBoolean(name);
    }

    /** A number of the tests, which their caller gives by -D; null: it is not given. */
    public static Long number(String name) {
        return Long.getLong(name);
    }

    /** A number of the tests, or another one where the caller does not give it. */
    public static long setting(String name, long otherwise) {
        return Long.getLong(name, otherwise);
    }

    /** A variable of this process's environment; null: it has none. */
    public static String variable(String name) {
        return System.getenv(name);
    }

    public static int processors() {
        return Runtime.getRuntime().availableProcessors();
    }

    /** The directories in which programs are looked for. */
    public static String path() {
        return System.getenv().getOrDefault("PATH", "");
    }

    /** The program with this name, if there is one. */
    public static Optional<Path> program(String name) {
        return Stream.of(path().split(File.pathSeparator))
                .map(directory -> Path.of(directory, name))
                .filter(file -> Files.isExecutable(file) && !Files.isDirectory(file))
                .findFirst();
    }

    /** What the kernel says of its processes and its network; the names are those below /proc. */
    public static Path proc(String... names) {
        return Path.of("/proc", names);
    }

    /** The number of this process's user. */
    public static int uid() throws IOException {
        return (int) Files.getAttribute(proc("self"), "unix:uid");
    }

    /** Skips the test where something is not there, and prints the reason. */
    public static void need(boolean there, String reason) {
        if (!there) {
            System.out.println("skipped: " + reason);
        }
        Assumptions.assumeTrue(there, reason);
    }

    public static void needRoot() throws IOException {
        need(uid() == 0, "this user is not root");
    }

    public static void needProgram(String name) {
        need(program(name).isPresent(), name + " is not on the PATH");
    }

    /** Needs a command that ends with 0 here. */
    public static void needCommand(String... command) throws InterruptedException {
        String why = null;
        try {
            TestProcess.Outcome outcome = TestProcess.run(command);
            why = outcome.exitCode() == 0 ? null : outcome.said().strip();
        } catch (IOException none) {
            why = none.getMessage();
        }
        need(why == null, String.join(" ", command) + " does not work here: " + why);
    }

    /** Of a test that opens so many files and sockets more than a usual one. */
    public static void needFiles(int more) {
        long left = system().getMaxFileDescriptorCount() - openFiles() - OTHER_FILES;
        need(
                left >= more,
                "this process may open " + Math.max(0, left) + " more files, and " + more
                        + " are needed: raise ulimit -n");
    }

    /** Number of files and sockets that this process has open. */
    public static long openFiles() {
        return system().getOpenFileDescriptorCount();
    }

    private static UnixOperatingSystemMXBean system() {
        return (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    }

    public static void needIpv6() {
        need(hasIpv6(), "this machine has no ::1");
    }

    private static boolean hasIpv6() {
        try (ServerSocket there = new ServerSocket(0, 1, InetAddress.getByName("::1"))) {
            return there.isBound();
        } catch (IOException none) {
            return false;
        }
    }
}
