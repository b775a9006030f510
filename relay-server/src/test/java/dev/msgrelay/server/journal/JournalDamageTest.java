package dev.msgrelay.server.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.msgrelay.server.harness.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whatever is changed on the disk: it is told, what is lost is named to the message, and nothing wrong is ever read. */
class JournalDamageTest {
    /** All bytes of the indexes take minutes: each run takes one in so many, others each time. */
    private static final int STEP = Integer.getInteger("journal.step", 15);

    private static final JournalSettings SETTINGS = new JournalSettings(8192, 1L << 40, 1L << 40, 1_000_000);

    private final Random random = Seeds.random("JournalDamageTest");
    private final SimDisk disk = new SimDisk(random);
    private final JournalRig rig = new JournalRig(disk, SETTINGS, random);

    /** Two lives, the first of which ended with a torn tail; several segments, all forced. */
    @BeforeEach
    void fill() throws IOException {
        rig.open();
        rig.write(150, 200);
        rig.gone();
        disk.killed();
        rig.open();
        rig.write(150, 200);
        rig.close();
        assertThat(Recovery.look(disk, Recovery.Depth.ALL).segments()).isGreaterThanOrEqualTo(4);
    }

    /** The rig's stream, as another disk has it. */
    private JournalRig over(SimDisk other) {
        JournalRig same = new JournalRig(other, SETTINGS, random);
        same.stream.addAll(rig.stream);
        return same;
    }

    /** What is there is read, what is not is told; then it is repaired, and the same holds, and a relay goes on. */
    private void survives(SimDisk damaged, String what) throws IOException {
        JournalRig there = over(damaged);
        Recovery found = Recovery.look(damaged, Recovery.Depth.ALL);
        assertThat(there.read(found, new ArrayList<>())).as(what).isNull();
        long lost = found.damage().stream()
                .filter(l -> l.sequence() > 0)
                .mapToLong(l -> l.endSequence() - l.sequence())
                .sum();
        Repair.all(damaged);
        // What is lost of an index may be a move; but nobody's messages are ever taken for known that are not.
        JournalRig.states(Recovery.look(damaged, Recovery.Depth.ALL)).forEach((name, state) -> {
            JournalName.State truth = rig.states(rig.stream.size()).get(name);
            assertThat(truth).as(what + ": " + name).isNotNull();
            if (truth.name().equals(state.name())) {
                assertThat(state.number()).as(what + ": " + name).isLessThanOrEqualTo(truth.number());
            }
        });
        Recovery repaired = Recovery.look(damaged, Recovery.Depth.ALL);
        assertThat(repaired.sound()).as(what + ": sound after the repair").isTrue();
        List<Loss> losses = new ArrayList<>();
        assertThat(there.read(repaired, losses)).as(what + ": after the repair").isNull();
        assertThat(losses.stream()
                        .mapToLong(l -> l.endSequence() - l.sequence())
                        .sum())
                .as(what + ": messages that are told to be lost")
                .isEqualTo(lost);
        if (!found.epochsDamaged()) {
            assertThat(repaired.endSequence())
                    .as(what + ": no number is given twice")
                    .isEqualTo(rig.stream.size() + 1);
        }
        there.open();
        there.append(10);
        there.close();
        assertThat(there.read(Recovery.look(damaged, Recovery.Depth.ALL), new ArrayList<>()))
                .as(what + ": with one more")
                .isNull();
    }

    @Test
    void bytesOfIndexesAndTables() throws IOException {
        int told = 0;
        int tried = 0;
        for (String name : disk.names()) {
            if (name.endsWith(FileNames.INDEX) || name.equals(FileNames.EPOCHS) || name.equals(FileNames.NAMES)) {
                int length = disk.bytes(name).length;
                for (int at = random.nextInt(STEP); at < length; at += 1 + random.nextInt(2 * STEP - 1)) {
                    tried++;
                    SimDisk damaged = disk.copy();
                    damaged.flip(name, at, random.nextInt(8));
                    if (!Recovery.look(damaged, Recovery.Depth.ALL).sound()) {
                        told++;
                    }
                    survives(damaged, name + " byte " + at);
                }
            }
        }
        // The others are torn tails, or lie where nothing is.
        assertThat(told).as("told of %d", tried).isGreaterThan(tried / 20);
    }

    @Test
    void bytesOfStreams() throws IOException {
        Recovery whole = Recovery.look(disk, Recovery.Depth.ALL);
        for (Recovery.Part part : whole.parts()) {
            String name = FileNames.stream(part.header().base());
            int used = (int) (part.endPosition() - part.header().base());
            for (int i = 0; i < 200; i++) {
                int at = random.nextInt(used);
                SimDisk damaged = disk.copy();
                damaged.flip(name, at, random.nextInt(8));
                Recovery found = Recovery.look(damaged, Recovery.Depth.ALL);
                long position = part.header().base() + at;
                assertThat(found.damage())
                        .as("%s byte %d", name, at)
                        .anyMatch(l -> l.position() <= position && position < l.endPosition());
                survives(damaged, name + " byte " + at);
            }
        }
    }

    @Test
    void filesThatAreMissing() throws IOException {
        for (String name : disk.names()) {
            if (FileNames.base(name) >= 0 || name.equals(FileNames.EPOCHS)) {
                SimDisk damaged = disk.copy();
                damaged.remove(name);
                assertThat(Recovery.look(damaged, Recovery.Depth.START).sound())
                        .as(name + " is missing")
                        .isFalse();
                assertThatIOException()
                        .isThrownBy(() -> Journal.open(damaged, SETTINGS, 99, 0))
                        .withMessageContaining("journal repair");
                survives(damaged, "without " + name);
            }
        }
    }

    @Test
    void lastFilesCutAtEveryLength() throws IOException {
        Recovery whole = Recovery.look(disk, Recovery.Depth.ALL);
        long base = whole.parts().get(whole.parts().size() - 1).header().base();
        for (String name : List.of(FileNames.index(base), FileNames.stream(base))) {
            int length = disk.bytes(name).length;
            for (int to = 0; to < length; to += name.endsWith(FileNames.INDEX) ? 1 : 7) {
                SimDisk damaged = disk.copy();
                damaged.cut(name, to);
                JournalRig there = over(damaged);
                assertThat(there.read(Recovery.look(damaged, Recovery.Depth.ALL), new ArrayList<>()))
                        .as("%s cut to %d", name, to)
                        .isNull();
            }
        }
    }

    /** Bytes of nobody, in any file: it says so or it reads what was published. */
    @Test
    void randomBytes() throws IOException {
        for (int i = 0; i < 300; i++) {
            SimDisk damaged = disk.copy();
            List<String> names = damaged.names();
            for (int n = 1 + random.nextInt(5); n > 0; n--) {
                String name = names.get(random.nextInt(names.size()));
                int length = damaged.bytes(name).length;
                int from = random.nextInt(length);
                byte[] noise = new byte[1 + random.nextInt(Math.min(600, length - from))];
                random.nextBytes(noise);
                damaged.open(name).write(from, java.nio.ByteBuffer.wrap(noise));
            }
            assertThat(over(damaged).read(Recovery.look(damaged, Recovery.Depth.ALL), new ArrayList<>()))
                    .as("round %d", i)
                    .isNull();
        }
    }

    @Test
    void aLossIsNamedToTheMessage() throws IOException {
        Recovery whole = Recovery.look(disk, Recovery.Depth.ALL);
        Recovery.Part second = whole.parts().get(1);
        disk.flip(FileNames.stream(second.header().base()), 0, 0);
        Loss loss = Recovery.look(disk, Recovery.Depth.ALL).damage().get(0);
        assertThat(loss.position()).isEqualTo(second.header().base());
        assertThat(loss.sequence()).isEqualTo(second.header().sequence());
        assertThat(rig.stream.get((int) loss.endSequence() - 2).end()).isEqualTo(loss.endPosition());
        assertThat(loss.text()).contains("messages " + loss.sequence() + " to " + (loss.endSequence() - 1));
    }
}
