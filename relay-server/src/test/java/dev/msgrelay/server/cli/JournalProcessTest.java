package dev.msgrelay.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.admin.Http;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.JournalTypes;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.TalkingPublisher;
import dev.msgrelay.server.journal.disk.FileDisk;
import dev.msgrelay.server.journal.recover.Recovery;
import dev.msgrelay.testing.ConcurrentTest;
import dev.msgrelay.testing.Directories;
import dev.msgrelay.testing.FreePort;
import dev.msgrelay.testing.TestProcess;
import dev.msgrelay.testing.ThisMachine;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.provider.ValueSource;

/** relay-server --journal, as a user starts, kills and misuses it. */
class JournalProcessTest {
    private static final int FRAME = 108;
    private static final int LONG_FRAME = 1_008;

    /** Once it says this, SIGTERM is heard. */
    private static final Predicate<String> STATS = l -> l.contains("\"event\":\"stats\"");

    @TempDir
    private Path folder;

    private Path directory() {
        return folder.resolve("journal");
    }

    private String[] with(String... more) {
        List<String> args = new ArrayList<>(List.of(
                "--json", "--pin-size=8m", "--replay-size=4m", "--journal=" + directory(), "--journal-keep=1d"));
        args.addAll(Arrays.asList(more));
        return args.toArray(String[]::new);
    }

    /** What a relay with these arguments has, in this process: for tests that need only its journal. */
    private RelayConfig config() {
        return RelayServerMain.config(CommandProcess.arguments(with()).toArray(String[]::new));
    }

    private static void publish(CommandProcess relay, int first, int count, long position) throws IOException {
        try (PlainPublisher publisher = PlainPublisher.connect(relay.publishers())) {
            publisher.send(burst(first, count, FRAME));
            relay.line(l -> l.contains("\"journalPosition\":" + position + ","));
        }
    }

    /** All types, each checked to be the next one's. */
    private int whole(int from) throws IOException {
        List<Integer> types = JournalTypes.of(directory());
        assertThat(types)
                .isEqualTo(IntStream.range(from, from + types.size()).boxed().toList());
        return types.size();
    }

    @Tag("thorough")
    @ConcurrentTest
    void whatIsWrittenOutlivesKill() throws Exception {
        int each = 500;
        for (int life = 0; life < 3; life++) {
            try (CommandProcess relay = new CommandProcess(with())) {
                String ready = relay.line(l -> l.contains("\"ready\""));
                assertThat(ready)
                        .contains("\"journal\":{\"directory\":\"" + directory()
                                + "\",\"firstSequence\":1,\"endSequence\":" + (life * each + 1));
                publish(relay, life * each, each, (life + 1L) * each * FRAME);
                relay.kill();
            }
            assertThat(whole(0)).isEqualTo((life + 1) * each);
        }
        try (CommandProcess relay = new CommandProcess(
                "--pin-size=8m",
                "--replay-size=4m",
                "--journal=" + directory(),
                "--journal-keep=1d",
                "--progress=1s")) {
            assertThat(relay.line(l -> l.contains("  journal: ")))
                    .matches(".*" + Pattern.quote(directory() + ", messages 1 to " + 3 * each + "; takes ") + ".*");
            relay.line(l -> l.contains("  in "));
            assertThat(relay.terminate()).isZero();
        }
    }

    /** Also when the segments that had it were dropped; the next start reads the snapshot, and finds all of it. */
    @ConcurrentTest
    void theStateOutlivesKillAndTheRetention() throws Exception {
        String[] args = with("--state=1m", "--max-body=1k", "--journal-segment=1m", "--journal-force=1ms");
        Arrays.setAll(args, i -> args[i].replace("=1d", "=4m").replace("--pin-size=8m", "--pin-size=4m"));
        int lives = 3;
        long bytes = 100 * FRAME + 8 * (FRAME + 1000 * LONG_FRAME);
        // So many may be kept. What is over is dropped once the snapshot has it.
        Pattern threeSegments = Pattern.compile("\"journalSegments\":[123],");
        for (int life = 0; life < lives; life++) {
            try (CommandProcess relay = new CommandProcess(args);
                    PlainPublisher publisher = PlainPublisher.connect(relay.publishers())) {
                // Types that come once, at the very beginning of each life, and then one that fills the journal.
                publisher.send(burst(life * 100, 100, FRAME));
                for (int i = 0; i < 8; i++) {
                    publisher.send(burst(1_000_000 + life, 1, FRAME));
                    Frames more = new Frames();
                    for (int k = 0; k < 1000; k++) {
                        more.frame(1_000, LONG_FRAME - 8);
                    }
                    publisher.send(more);
                }
                String types = "\"stateTypes\":" + (101 * (life + 1) + 1) + ",";
                relay.line(l -> l.contains(types));
                String position = "\"journalPosition\":" + (life + 1) * bytes + ",";
                relay.line(l -> l.contains(position));
                // A line from before the messages has no more of them.
                relay.line(relay.lines().size(), threeSegments.asPredicate());
                relay.kill();
            }
            Recovery found = Recovery.inspect(new FileDisk(directory()), Recovery.Depth.ALL);
            assertThat(found.allSound()).isTrue();
            assertThat(found.snapshot().front()).isPresent();
            assertThat(found.startSequence()).as("dropped").isGreaterThan(life * 8_000L + 100);
        }
        try (CommandProcess relay = new CommandProcess(args)) {
            assertThat(relay.line(STATS))
                    .contains("\"stateTypes\":" + (101 * lives + 1) + ",", "\"stateForgottenValue\":0,");
            assertThat(relay.terminate()).isZero();
        }
    }

    @Tag("thorough")
    @ConcurrentTest
    void namesOutliveKill() throws Exception {
        long accepted = 0;
        for (int life = 0; life < 4; life++) {
            try (CommandProcess relay = new CommandProcess(with());
                    TalkingPublisher publisher = TalkingPublisher.connect(relay.publishers())) {
                publisher.send(Hello.acks("orders", 0).producer(5, 6).bytes());
                Control welcome = publisher.next();
                assertThat(welcome.accepted()).isGreaterThanOrEqualTo(accepted);
                Thread sender = new Thread(() -> sendUntilItEnds(publisher, (int) welcome.accepted() + 1));
                sender.start();
                accepted = welcome.accepted();
                // What is written may be less than what was acknowledged, and is more than nothing.
                publisher.awaitAck(welcome.accepted() + 20_000);
                relay.kill();
                Await.join(sender);
            }
        }
        assertThat(whole(1)).isGreaterThan((int) accepted);
    }

    private static void sendUntilItEnds(TalkingPublisher publisher, int first) {
        try {
            for (int i = first; ; i += 50) {
                publisher.send(burst(i, 50, FRAME));
            }
        } catch (IOException theRelayIsGone) {
            assertThat(theRelayIsGone.getMessage()).isNotNull();
        }
    }

    private static Frames burst(int first, int count, int length) {
        Frames frames = new Frames();
        for (int i = first; i < first + count; i++) {
            frames.frame(i, length - 8);
        }
        return frames;
    }

    @ConcurrentTest
    void aQuietEndWritesAll() throws Exception {
        try (CommandProcess relay = new CommandProcess(with("--journal-force=1h"));
                PlainPublisher publisher = PlainPublisher.connect(relay.publishers())) {
            publisher.send(burst(0, 5_000, FRAME));
            relay.line(l -> l.contains("\"messagesIn\":5000,"));
            assertThat(relay.terminate()).isZero();
        }
        assertThat(whole(0)).isEqualTo(5_000);
        Recovery found = Recovery.inspect(new FileDisk(directory()), Recovery.Depth.ALL);
        assertThat(found.forcedPosition()).isEqualTo(5_000L * FRAME);
    }

    // ---- directories that cannot be had ------------------------------------------------------------------------

    private void refused(String words) {
        refused(1, words, with());
    }

    private static void refused(int code, String words, String... args) {
        CommandRun relay = CommandRun.of(args).ended(code);
        assertThat(relay.errors()).anyMatch(l -> l.startsWith("relay-server: ") && l.contains(words));
        assertThat(relay.errors()).noneMatch(l -> l.contains("java."));
        assertThat(relay.lines()).isEmpty();
    }

    /** Of a start with this directory, with little memory. */
    private static void refusedAtTheStart(String words, Path journal, String... args) {
        refused(
                1,
                words,
                Stream.concat(Stream.of("--pin-size=8m", "--replay-size=4m", "--journal=" + journal), Stream.of(args))
                        .toArray(String[]::new));
    }

    @ConcurrentTest
    void ofAnotherRelay() throws Exception {
        try (CommandProcess relay = new CommandProcess(with())) {
            relay.line(STATS);
            refused("journal " + directory() + " is in use by process " + relay.pid());
            assertThat(relay.terminate()).isZero();
        }
        try (CommandProcess relay = new CommandProcess(with())) {
            relay.line(STATS);
            assertThat(relay.terminate()).isZero();
        }
    }

    @ConcurrentTest
    void ofAnotherVersion() throws Exception {
        RelayServer.start(config()).close();
        Path epochs = directory().resolve("epochs");
        ByteBuffer table = ByteBuffer.wrap(Files.readAllBytes(epochs));
        table.putInt(8, 77);
        CRC32C crc = new CRC32C();
        crc.update(table.slice(0, table.capacity() - 4));
        table.putInt(table.capacity() - 4, (int) crc.getValue());
        Files.write(epochs, table.array());
        refused("journal " + directory() + " is of format 77, this relay reads format 1");
    }

    @ConcurrentTest
    void damaged() throws Exception {
        try (RelayServer relay = RelayServer.start(config());
                PlainPublisher publisher = PlainPublisher.connect(relay.publishAddress())) {
            publisher.send(burst(0, 10, FRAME));
            Await.until("all is in order", () -> relay.stats().get(Counter.MESSAGES_IN) == 10);
        }
        Path index;
        try (Stream<Path> files = Files.list(directory())) {
            index = files.filter(f -> f.toString().endsWith(".index"))
                    .findFirst()
                    .orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(index);
        bytes[100] ^= 1;
        Files.write(index, bytes);
        refused("journal " + directory() + " is damaged: ");
        refused("'relay-server journal repair' writes off what is lost");
    }

    @ConcurrentTest
    void noDirectory() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "");
        refused(2, "journal " + file + " is no directory", "--journal=" + file);
        refused(2, "journal " + file + " is no directory", "--check-config", "--journal=" + file);
        refusedAtTheStart("cannot make the directory " + file + "/x", file.resolve("x"));
        refused(2, "cannot make the directory " + file + "/x/y", "--check-config", "--journal=" + file + "/x/y");
        assertThat(folder.resolve("new")).doesNotExist();
        Path unreadable = folder.resolve("other");
        Files.createDirectories(unreadable.resolve("epochs"));
        refusedAtTheStart("journal " + unreadable, unreadable);
    }

    /** Of somebody who has copied it, or plays: whoever opens a pipe to read it waits for one who writes. */
    @ConcurrentTest.Parameterized
    @ValueSource(
            strings = {
                "lock",
                "epochs",
                "names",
                "x.stream.spare",
                "x.index.spare",
                "00000000000000000000.index",
                "00000000000000000000.stream"
            })
    void whatIsNoFileIsNamed(String name) throws Exception {
        for (String how : List.of("mkfifo", "mkdir")) {
            Path other = Files.createDirectories(folder.resolve(how));
            assertThat(TestProcess.run(how, other.resolve(name).toString()).exitCode())
                    .isZero();
            refusedAtTheStart(other + ": " + name + " is no regular file", other);
        }
    }

    @ConcurrentTest
    void moreThanTheDiskHas() throws Exception {
        refusedAtTheStart(
                "journal keep " + (8192L << 30) + " is more than there is room for: the disk of ",
                directory(),
                "--journal-segment=256m",
                "--journal-keep=8192g");
    }

    /** The command in a file system of its own, which has so much; all but that much is taken. */
    private List<String> small(String size, String taken, String... args) throws Exception {
        Files.createDirectories(directory());
        List<String> command = new ArrayList<>(List.of(
                "unshare",
                "--user",
                "--map-root-user",
                "--mount",
                "sh",
                "-c",
                "mount -t tmpfs -o size=" + size + " none \"$1\" || exit; head -c " + taken
                        + " /dev/zero >\"$1/filler\"; shift; exec \"$@\"",
                "sh",
                directory().toString()));
        List<String> trial = new ArrayList<>(command);
        trial.add("true");
        ThisMachine.needCommand(trial.toArray(String[]::new));
        command.addAll(CommandProcess.command(with(args)));
        return command;
    }

    /** Thorough, as it is one more process and a file system. */
    @Tag("thorough")
    @ConcurrentTest
    void aDiskThatIsFullAtTheStart() throws Exception {
        try (CommandProcess relay = CommandProcess.started(small("4m", "4m"))) {
            assertThat(relay.awaitExit()).as("%s", relay.log()).isEqualTo(1);
            assertThat(relay.log())
                    .anyMatch(l -> l.contains("\"message\":\"journal " + directory()) && l.contains("o space left"));
        }
    }

    /**
     * On 26 MiB with segments of 4 MiB: what is kept, and three segments. What comes faster than it is forced fills the
     * disk all the same, until old segments may be dropped. Thorough, as it is two processes and a file system.
     */
    @Tag("thorough")
    @ConcurrentTest
    void aSizeThatFitsTheDisk() throws Exception {
        List<String> command = small("26m", "0", "--journal-segment=4m", "--max-body=1k");
        command.replaceAll(o -> o.equals("--journal-keep=1d") ? "--journal-keep=24m" : o);
        try (CommandProcess relay = CommandProcess.started(command)) {
            assertThat(relay.awaitExit()).as("%s", relay.log()).isEqualTo(1);
            assertThat(relay.log()).anyMatch(l -> l.contains("is more than there is room for"));
        }
        command.replaceAll(o -> o.equals("--journal-keep=24m") ? "--journal-keep=12m" : o);
        int messages = 27_000;
        try (CommandProcess relay = CommandProcess.started(command)) {
            publishAll(relay, messages);
            relay.line(l -> l.contains("\"journalPosition\":" + (long) messages * LONG_FRAME + ","));
            assertThat(relay.terminate()).isZero();
        }
    }

    /** Where one may not write it is a wrong option, where one may not read the start fails; root may everywhere. */
    @ConcurrentTest
    void aDirectoryOfSomebodyElse() throws Exception {
        Files.createDirectories(directory());
        try {
            Files.setPosixFilePermissions(directory(), PosixFilePermissions.fromString("-wx------"));
            ThisMachine.need(!Files.isReadable(directory()), "this user may read every directory");
            refused("journal " + directory() + " cannot be used: ");
            Files.setPosixFilePermissions(directory(), PosixFilePermissions.fromString("---------"));
            refused(2, "journal " + directory() + " cannot be written to", with());
        } finally {
            Files.setPosixFilePermissions(directory(), PosixFilePermissions.fromString("rwx------"));
        }
    }

    @ConcurrentTest
    void whileItRecoversItIsNotReady() throws Exception {
        InetSocketAddress admin = new InetSocketAddress("127.0.0.1", FreePort.next());
        try (CommandProcess relay = recovering(admin)) {
            assertThat(Http.get(admin, "/health/ready").status()).isEqualTo(503);
            assertThat(Http.get(admin, "/health/live").status()).isEqualTo(200);
            assertThat(relay.lines()).isEmpty();
            assertThat(relay.terminate())
                    .as("told to end, as at any other time")
                    .isZero();
        }
    }

    /** Thorough, as it is one more process that recovers. */
    @Tag("thorough")
    @ConcurrentTest
    void whileItRecoversAHangUpIsKept() throws Exception {
        try (CommandProcess relay = recovering(new InetSocketAddress("127.0.0.1", FreePort.next()))) {
            relay.hangUp();
            relay.logged(0, l -> l.contains("SIGHUP during the start"));
            Files.createFile(directory().resolveSibling("go"));
            relay.logged(0, l -> l.contains("configuration read again"));
        }
    }

    /** It stays in the middle of its recovery. */
    private CommandProcess recovering(InetSocketAddress admin) throws Exception {
        // So few that no limit of open files is warned of.
        List<String> command =
                CommandProcess.command(with("--admin=127.0.0.1:" + admin.getPort(), "--max-connections=16"));
        int main = command.indexOf(RelayServerMain.class.getName());
        command.set(main, RecoveringRelayMain.class.getName());
        command.add(main, "-Dorg.slf4j.simpleLogger.log.relay=info");
        command.add(main, "-Drelay.test.go=" + directory().resolveSibling("go"));
        CommandProcess relay = CommandProcess.started(command);
        Await.until(() -> "it has begun; " + relay.log(), () -> recovers(admin));
        return relay;
    }

    private static boolean recovers(InetSocketAddress admin) {
        try {
            String said = Http.get(admin, "/health/ready").body();
            return said.equals("{\"status\":\"recovering\",\"segmentsLookedAt\":0,\"segments\":1}\n");
        } catch (IOException notYet) {
            return false;
        }
    }

    // ---- while it runs -----------------------------------------------------------------------------------------

    @ConcurrentTest
    void aDirectoryThatGoesAwayEndsTheRelay() throws Exception {
        try (CommandProcess relay = new CommandProcess(with())) {
            publish(relay, 0, 10, 10 * FRAME);
            Await.until("the directory is gone", () -> Directories.remove(directory()));
            assertThat(relay.awaitExit()).isEqualTo(4);
            assertThat(relay.log())
                    .anyMatch(l ->
                            l.contains("\"message\":\"stopped because of journal " + directory() + " has failed: "));
        }
    }

    @ConcurrentTest
    void aFullDiskIsWaitedFor() throws Exception {
        Path filler = directory().resolve("filler");
        List<String> command = small("96m", "92m", "--journal-segment=1m", "--max-body=1k");
        command.add(command.indexOf("-cp"), "-Dorg.slf4j.simpleLogger.log.relay=warn");
        // Far more than log and sockets hold.
        int messages = 54_000;
        try (CommandProcess relay = CommandProcess.started(command)) {
            Thread publisher = new Thread(() -> publishAll(relay, messages));
            publisher.start();
            relay.line(l -> l.matches(".*\"journalFullMillis\":[1-9].*"));
            relay.line(l -> l.contains(": no space left: publishers wait until there is room"));
            relay.line(l -> l.matches(".*\"journalWaits\":[1-9].*"));
            assertThat(publisher.isAlive()).isTrue();
            Files.delete(ThisMachine.proc("" + relay.pid(), "root" + filler));
            relay.line(l -> l.contains("\"journalPosition\":" + (long) messages * LONG_FRAME + ","));
            Await.join(publisher);
            assertThat(relay.terminate()).isZero();
        }
    }

    /** Bytes would fit, and no file can be made for the next segment: the same wait, with the same counter. */
    @ConcurrentTest
    void inodesAreWaitedFor() throws Exception {
        List<String> command = small("96m,nr_inodes=40", "1k", "--journal-segment=1m", "--max-body=1k");
        command.add(command.indexOf("-cp"), "-Dorg.slf4j.simpleLogger.log.relay=warn");
        int messages = 10_000;
        try (CommandProcess relay = CommandProcess.started(command)) {
            Path folder = ThisMachine.proc("" + relay.pid(), "root" + directory());
            relay.line(l -> l.contains("\"event\":\"ready\""));
            List<Path> taken = new ArrayList<>();
            try {
                for (int i = 0; i < 40; i++) {
                    taken.add(Files.createFile(folder.resolve("taken-" + i)));
                }
            } catch (FileSystemException full) {
                assertThat(taken).isNotEmpty();
            }
            Thread publisher = new Thread(() -> publishAll(relay, messages));
            publisher.start();
            relay.line(l -> l.matches(".*\"journalFullMillis\":[1-9].*"));
            relay.line(l -> l.contains(": no file can be made (no inodes left, or a quota?): publishers wait"));
            for (Path file : taken) {
                Files.delete(file);
            }
            relay.line(l -> l.contains("\"journalPosition\":" + (long) messages * LONG_FRAME + ","));
            Await.join(publisher);
            assertThat(relay.terminate()).isZero();
        }
    }

    private static void publishAll(CommandProcess relay, int messages) {
        try (PlainPublisher publisher = PlainPublisher.connect(relay.publishers())) {
            for (int i = 0; i < messages; i += 100) {
                publisher.send(burst(i, 100, LONG_FRAME));
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
