package dev.msgrelay.server.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.journal.disk.Disk;
import dev.msgrelay.server.journal.disk.FileDisk;
import dev.msgrelay.server.journal.format.EpochTable;
import dev.msgrelay.server.journal.format.FileNames;
import dev.msgrelay.server.journal.format.SegmentHeader;
import dev.msgrelay.server.journal.recover.Recovery;
import dev.msgrelay.server.stream.PacketLog;
import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileDiskTest {
    @TempDir
    Path directory;

    private static final JournalSettings SETTINGS = new JournalSettings(
            256 << 10, JournalSettings.UNLIMITED, JournalSettings.UNLIMITED, TimeUnit.MILLISECONDS.toNanos(5));

    @Test
    void files() throws IOException {
        Disk disk = FileDisk.openOrCreate(directory.resolve("a/b"));
        try (Disk.File file = disk.open("x")) {
            file.write(3, ByteBuffer.wrap(new byte[] {1, 2}));
            assertThat(file.length()).isEqualTo(5);
            file.setLength(100);
            assertThat(file.length()).isEqualTo(100);
            file.setLength(4);
            file.force();
            ByteBuffer read = ByteBuffer.allocate(10);
            file.read(2, read);
            assertThat(read.flip().remaining()).isEqualTo(2);
            assertThat(read.get(1)).isEqualTo((byte) 1);
        }
        disk.rename("x", "y");
        disk.force();
        assertThat(disk.names()).containsExactly("y");
        disk.delete("y");
        assertThat(disk.names()).isEmpty();
    }

    @Test
    void aDirectoryThatCannotBeMadeIsNamedOnce() throws IOException {
        Path taken = Files.createFile(directory.resolve("taken")).resolve("x");
        assertThatIOException()
                .isThrownBy(() -> FileDisk.openOrCreate(taken))
                .withMessageStartingWith("journal: cannot make the directory " + taken + ": ")
                .satisfies(e ->
                        assertThat(e.getMessage().split(taken.toString(), -1)).hasSize(2));
    }

    @Test
    void shortWrites() throws IOException {
        FileDisk disk = new FileDisk(directory);
        byte[] bytes = new byte[100_000];
        Seeds.random("FileDiskTest").nextBytes(bytes);
        FileChannel real = FileChannel.open(
                directory.resolve("x"), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try (Disk.File file = disk.over(new ShortChannel(real))) {
            file.write(5, ByteBuffer.wrap(bytes));
            ByteBuffer direct =
                    ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
            file.write(5 + bytes.length, direct);
            ByteBuffer read = ByteBuffer.allocate(2 * bytes.length);
            file.read(5, read);
            assertThat(read.hasRemaining()).isFalse();
            for (int i = 0; i < read.limit(); i++) {
                assertThat(read.get(i)).isEqualTo(bytes[i % bytes.length]);
            }
        }
    }

    @Test
    void aTakenLockNamesItsHolder() throws Exception {
        Disk disk = new FileDisk(directory);
        assertThatIOException().isThrownBy(() -> disk.lock(false)).withMessageContaining("there is no journal");
        try (Closeable held = disk.lock(true)) {
            assertThat(held).isNotNull();
            assertThatIOException()
                    .isThrownBy(() ->
                            JournalRig.open(new FileDisk(directory.resolve("../" + directory.getFileName())), SETTINGS))
                    .withMessageContaining("in use by this process");
        }
        try (Closeable again = disk.lock(true)) {
            assertThat(again).isNotNull();
        }
    }

    /** The name of its holder cannot be written to the lock file: nobody holds it then. */
    @Test
    void aLockThatADiskHasNoRoomForIsFree() throws Exception {
        FileDisk disk = new FileDisk(directory);
        List<FileChannel> opened = new ArrayList<>();
        assertThatIOException()
                .isThrownBy(() -> disk.lock(true, path -> {
                    FileChannel real = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    opened.add(real);
                    return new ShortChannel(real) {
                        @Override
                        public int write(ByteBuffer from, long position) throws IOException {
                            throw new IOException("No space left on device");
                        }
                    };
                }))
                .withMessage("journal " + directory + ": No space left on device");
        assertThat(opened.get(0).isOpen()).isFalse();
        try (Closeable now = disk.lock(true)) {
            assertThat(now).isNotNull();
        }
    }

    @Test
    void withThreads() throws Exception {
        JournalRig rig = new JournalRig(new FileDisk(directory), SETTINGS, Seeds.random("FileDiskTest"));
        for (int life = 0; life < 3; life++) {
            rig.openWithThreads();
            PacketLog log = rig.log;
            for (int i = 0; i < 2500; ) {
                if (rig.append(rig.random.nextInt(400))) {
                    i++;
                    if (i % 20 == 0) {
                        rig.journal.signal();
                    }
                } else {
                    Thread.yield();
                }
            }
            rig.journal.signal();
            rig.journal.wantForced(rig.end());
            Await.until("all is forced", () -> rig.journal.forced().position() == rig.end());
            assertThat(log.head().position()).isEqualTo(rig.end());
            rig.close();
            Recovery found = JournalRig.inspect(rig.disk);
            assertThat(found.sound()).isTrue();
            assertThat(found.cut()).isEmpty();
            assertThat(found.epochs().epochs()).hasSize(life + 1);
            assertThat(rig.read(found, "life " + life)).isEmpty();
            assertThat(found.endPosition()).isEqualTo(rig.end());
        }
        assertThat(rig.end()).isGreaterThan(1 << 20);
    }

    @Test
    void aHundredGigabytesAreOpenedByTheirHeaders() throws IOException {
        int segments = 210;
        JournalSettings usual =
                new JournalSettings(512 << 20, JournalSettings.UNLIMITED, JournalSettings.UNLIMITED, 1_000_000);
        Disk disk = new FileDisk(directory);
        for (int i = 0; i < segments; i++) {
            long base = i * usual.segmentBytes();
            try (Disk.File stream = disk.open(FileNames.stream(base));
                    Disk.File index = disk.open(FileNames.index(base))) {
                // Sparse: there are holes in files that were never written.
                stream.setLength(usual.segmentBytes());
                index.setLength(usual.indexBytes());
                index.write(0, new SegmentHeader(7, base, 1 + i, i, 0, 0).bytes());
            }
        }
        long end = (segments - 1) * usual.segmentBytes();
        new EpochTable(List.of(new EpochTable.Epoch(7, 0, 1, 0)), end, segments).write(disk);
        long[] read = {0};
        long began = System.nanoTime();
        try (Journal journal = JournalRig.open((Disk) counting(Disk.class, disk, read), usual)) {
            System.out.printf(
                    Locale.ROOT,
                    "FileDiskTest: a journal of %d segments was opened in %d ms, %d bytes of it were read%n",
                    segments,
                    TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began),
                    read[0]);
            assertThat(journal.goesOnAt().position()).isEqualTo(end);
            assertThat(journal.recovered().length()).isGreaterThan(100L << 30);
        }
        // And the index of the last one, twice.
        assertThat(read[0]).isLessThan(3 * usual.indexBytes());
    }

    private static Object counting(Class<?> type, Object real, long[] read) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            int before = method.getName().equals("read") ? ((ByteBuffer) args[1]).position() : 0;
            Object result;
            try {
                result = method.invoke(real, args);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
            if (method.getName().equals("read")) {
                read[0] += ((ByteBuffer) args[1]).position() - before;
            }
            return result instanceof Disk.File ? counting(Disk.File.class, result, read) : result;
        });
    }

    /** However seldom it is forced: the oldest segments go, and the files fit into the room asked for at the start. */
    @ParameterizedTest
    @ValueSource(strings = {"PT0.001S", "PT1H"})
    void neverMoreThanThereIsRoomFor(Duration force) throws IOException {
        JournalSettings little = new JournalSettings(64 << 10, 300 << 10, 1L << 40, force.toNanos());
        JournalRig rig = new JournalRig(new FileDisk(directory), little, Seeds.random("FileDiskTest"));
        rig.open();
        for (int i = 0; i < 100; i++) {
            rig.write(100, 400);
            long all = 0;
            for (String name : rig.disk.names()) {
                all += name.endsWith(FileNames.STREAM)
                                || name.endsWith(FileNames.INDEX)
                                || name.endsWith(FileNames.SPARE)
                        ? Files.size(directory.resolve(name))
                        : 0;
            }
            assertThat(all).isLessThanOrEqualTo(little.mostBytes());
        }
        rig.close();
        Recovery found = JournalRig.inspect(rig.disk);
        assertThat(found.startPosition()).isPositive();
        assertThat(found.length()).isLessThanOrEqualTo((300 + 70) << 10);
        assertThat(rig.read(found, "what is kept")).isEmpty();
        assertThat(found.sound()).isTrue();
    }
}
