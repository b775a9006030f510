package dev.msgrelay.loadgen.ssh;

import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.host.Tool;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * A real sshd for one test: one address, keys of its own, this user only. Where none is installed and apt is there, the
 * package is fetched and unpacked below target, and nothing of this host is changed.
 */
final class TestSshd implements AutoCloseable {
    private static final Tool TOOL = new Subprocess(60_000);
    private static final Path UNPACKED = Path.of("target", "openssh").toAbsolutePath();
    private static final int PORT = 2_222;

    /** Run by root, sshd wants a user of its own: /etc/passwd is another file for it alone. */
    private static final String AS_ROOT = "grep -q ^sshd: /etc/passwd || { (cat /etc/passwd;"
            + " echo sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin) >\"$0\" && mount --bind \"$0\" /etc/passwd; }"
            + " && mkdir -p /run/sshd && exec \"$@\"";

    private final Process process;
    private final Path directory;

    private TestSshd(Process process, Path directory) {
        this.process = process;
        this.directory = directory;
    }

    /**
     * Starts it, or skips the test and says why.
     *
     * @param prefix words before its command, which lead to where it is to listen
     */
    static TestSshd start(List<String> prefix, String address, Path directory) throws Exception {
        Path sshd = installed();
        sshd = sshd == null ? unpacked() : sshd;
        skipUnless(sshd != null, "no sshd is installed, and apt has none for this system");
        skipUnless(TOOL.run(List.of("sh", "-c", "command -v ssh ssh-keygen")).succeeded(), "there is no ssh");
        writeFiles(address, directory);
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of("env", "LD_LIBRARY_PATH=" + libraries()));
        if (isRoot()) {
            command.addAll(List.of(
                    "unshare",
                    "--mount",
                    "sh",
                    "-c",
                    AS_ROOT,
                    directory.resolve("passwd").toString()));
        }
        command.addAll(List.of(
                sshd.toString(),
                "-D",
                "-e",
                "-f",
                directory.resolve("sshd_config").toString()));
        TestSshd started = new TestSshd(
                new ProcessBuilder(command).redirectErrorStream(true).start(), directory);
        started.awaitListening();
        return started;
    }

    private static void writeFiles(String address, Path directory) throws IOException, InterruptedException {
        for (String key : List.of("host-key", "user-key")) {
            TOOL.run(List.of(
                    "ssh-keygen",
                    "-q",
                    "-t",
                    "ed25519",
                    "-N",
                    "",
                    "-f",
                    directory.resolve(key).toString()));
        }
        Files.writeString(
                directory.resolve("sshd_config"),
                String.join(
                        "\n",
                        "ListenAddress " + address + ":" + PORT,
                        "HostKey " + directory.resolve("host-key"),
                        "AuthorizedKeysFile " + directory.resolve("user-key.pub"),
                        "SetEnv XDG_CACHE_HOME=" + directory,
                        "StrictModes no",
                        "PasswordAuthentication no",
                        "KbdInteractiveAuthentication no",
                        "UsePAM no",
                        "PidFile none",
                        ""));
        Files.writeString(
                directory.resolve("known"),
                "[" + address + "]:" + PORT + " " + Files.readString(directory.resolve("host-key.pub")));
        Files.writeString(
                directory.resolve("ssh_config"),
                String.join(
                        "\n",
                        "Host second",
                        "HostName " + address,
                        "Port " + PORT,
                        "IdentityFile " + directory.resolve("user-key"),
                        "IdentitiesOnly yes",
                        "UserKnownHostsFile " + directory.resolve("known"),
                        "GlobalKnownHostsFile none",
                        "StrictHostKeyChecking yes",
                        ""));
    }

    private static Path installed() {
        return Stream.of("/usr/sbin/sshd", "/usr/local/sbin/sshd")
                .map(Path::of)
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
    }

    private static synchronized Path unpacked() throws InterruptedException, IOException {
        Path sshd = UNPACKED.resolve("usr/sbin/sshd");
        if (!Files.isExecutable(sshd)) {
            Files.createDirectories(UNPACKED);
            Tool.Outcome outcome = TOOL.run(List.of(
                    "sh",
                    "-c",
                    "cd '" + UNPACKED + "' && apt-get download openssh-server libwrap0"
                            + " && for package in *.deb; do dpkg -x \"$package\" . || exit; done"));
            if (!outcome.succeeded()) {
                System.out.println("apt-get download openssh-server: " + outcome.output());
            }
        }
        return Files.isExecutable(sshd) ? sshd : null;
    }

    /** Of the unpacked packages; nothing where sshd is installed. */
    private static String libraries() throws IOException {
        Path lib = UNPACKED.resolve("usr/lib");
        if (!Files.isDirectory(lib)) {
            return "";
        }
        try (Stream<Path> files = Files.walk(lib)) {
            return files.filter(file -> file.getFileName().toString().startsWith("libwrap.so"))
                    .map(file -> file.getParent().toString())
                    .findFirst()
                    .orElse("");
        }
    }

    private void awaitListening() throws IOException {
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        List<String> said = new ArrayList<>();
        String line;
        while ((line = out.readLine()) != null && !line.startsWith("Server listening")) {
            said.add(line);
        }
        skipUnless(line != null, "sshd does not start here: " + said);
        Thread reader = new Thread(() -> drain(out), "sshd-output");
        reader.setDaemon(true);
        reader.start();
    }

    private static void drain(BufferedReader out) {
        try (out) {
            out.lines().forEach(line -> {});
        } catch (IOException | UncheckedIOException e) {
            // it was ended
        }
    }

    private static void skipUnless(boolean possible, String reason) {
        if (!possible) {
            System.out.println("tests with a real sshd are skipped: " + reason);
        }
        Assumptions.assumeTrue(possible, reason);
    }

    static boolean isRoot() throws IOException, InterruptedException {
        return TOOL.run(List.of("id", "-u")).output().equals("0");
    }

    /** The command that reaches it, as "second". */
    String command() {
        return "ssh -F " + directory.resolve("ssh_config");
    }

    Ssh ssh(String... options) {
        List<String> words = new ArrayList<>(List.of(command().split(" ")));
        words.addAll(List.of(options));
        return new Ssh(words, "second");
    }

    /** What it has started: a process for each connection, and what that has. */
    Stream<ProcessHandle> connections() {
        return process.descendants();
    }

    /** Breaks all connections; what they have started stays, as it may. */
    void breakConnections() {
        process.children().forEach(ProcessHandle::destroyForcibly);
        process.descendants()
                .filter(one -> one.info().command().orElse("").contains("sshd"))
                .forEach(ProcessHandle::destroyForcibly);
    }

    @Override
    public void close() {
        List<ProcessHandle> all = connections().toList();
        process.destroyForcibly();
        all.forEach(ProcessHandle::destroyForcibly);
    }
}
