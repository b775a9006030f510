package dev.msgrelay.server.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.journal.format.FileNames;
import dev.msgrelay.server.journal.recover.Recovery;
import dev.msgrelay.server.log.Mark;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A check of a directory that a relay writes to, and drops segments from, while each byte is read. */
class CheckBesideRelayTest {
    private static final long SEGMENT = 8192;
    private static final int ROUNDS = 30;

    private final Random random = Seeds.random("CheckBesideRelayTest");
    private final SimDisk disk = new SimDisk(random);
    private final JournalRig rig =
            new JournalRig(disk, new JournalSettings(SEGMENT, 6 * SEGMENT, 1L << 40, 1_000_000), random);

    /** The relay goes on by up to so many messages at each read of the check. */
    private void writeAtEachRead(int most) {
        disk.duringRead(() -> {
            rig.write(random.nextInt(most + 1), 200);
            return false;
        });
    }

    private long oldest() {
        Mark oldest = new Mark();
        rig.journal.newFeed(ByteBuffer.allocate(0)).oldest(oldest);
        return oldest.position();
    }

    @Test
    void whatTheRelayDropsMeanwhileIsNoDamage() throws IOException {
        rig.open();
        rig.write(400, 200);
        int dropped = 0;
        for (int round = 0; round < ROUNDS; round++) {
            long oldest = oldest();
            writeAtEachRead(1 + random.nextInt(40));
            Recovery found = Recovery.inspect(disk, Recovery.Depth.ALL);
            disk.duringRead(() -> false);
            assertThat(found.damage()).as("round %d", round).isEmpty();
            assertThat(found.asideFiles()).as("round %d", round).isEmpty();
            assertThat(found.namesDamaged()).as("round %d", round).isFalse();
            assertThat(found.sound()).as("round %d", round).isTrue();
            assertThat(found.endPosition()).isGreaterThanOrEqualTo(found.startPosition());
            dropped += oldest() > oldest ? 1 : 0;
        }
        assertThat(dropped).as("rounds in which a segment was dropped").isPositive();
        rig.close();
    }

    /** A segment that is damaged and still there when it has been read. */
    @Test
    void damageIsFoundBesideARelay() throws IOException {
        rig.open();
        rig.write(400, 200);
        long damaged = disk.names().stream()
                .mapToLong(FileNames::base)
                .filter(base -> base > oldest())
                .findFirst()
                .orElseThrow();
        disk.flip(FileNames.stream(damaged), random.nextInt(1000), random.nextInt(8));
        disk.duringRead(() -> {
            rig.step();
            return false;
        });
        Recovery found = Recovery.inspect(disk, Recovery.Depth.ALL);
        disk.duringRead(() -> false);
        assertThat(found.sound()).isFalse();
        assertThat(found.damage()).hasSize(1);
        assertThat(found.damage().get(0).why()).startsWith(FileNames.stream(damaged));
        rig.close();
    }
}
