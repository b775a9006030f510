package dev.msgrelay.server.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.server.journal.format.EpochTable;
import dev.msgrelay.server.journal.format.EpochTable.Epoch;
import dev.msgrelay.server.journal.recover.Recovery;
import dev.msgrelay.server.journal.recover.RecoveryProgress;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The journal of a relay whose stream others have as well. */
class SharedJournalTest {
    private static final long EPOCH = 77;
    private static final JournalSettings SETTINGS = new JournalSettings(8192, 1 << 20, 1L << 40, 1_000_000);

    private final SimDisk disk = new SimDisk(new Random(1));

    private static Epoch life(long epoch, long position, long sequence) {
        return new Epoch(epoch, position, sequence, 1_000);
    }

    private Journal open(long epoch, long position, long sequence) throws IOException {
        return open(List.of(life(epoch, position, sequence)), position, sequence);
    }

    private Journal open(List<Epoch> lives, long position, long sequence) throws IOException {
        EpochTable others = new EpochTable(lives, position, sequence);
        return new JournalOpening(disk, SETTINGS, 1, 1_000, others, RecoveryProgress.NOBODY).open();
    }

    @Test
    void aNewOneBeginsWhereTheOthersCanGiveTheStream() throws IOException {
        for (int life = 0; life < 3; life++) {
            Journal journal = open(EPOCH, 500, 12);
            assertThat(journal.goesOnAt().position()).isEqualTo(500);
            assertThat(journal.goesOnAt().sequence()).isEqualTo(12);
            assertThat(journal.epochs().epochs()).hasSize(1);
            assertThat(journal.epochs().forkOf(EPOCH)).isEqualTo(Long.MAX_VALUE);
            journal.close();
        }
    }

    @Test
    void oneThatEndsBeforeThatIsRefused() throws IOException {
        open(EPOCH, 500, 12).close();
        assertThatThrownBy(() -> open(EPOCH, 700, 15))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(
                        "ends before message 12, and the cluster's log on this node begins at message 15");
        open(EPOCH, 100, 3).close();
    }

    @Test
    void oneOfAnotherStreamIsRefused() throws IOException {
        open(EPOCH, 0, 1).close();
        assertThatThrownBy(() -> open(78, 0, 1))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is of another stream than the cluster's");
    }

    /** The cluster was started anew while this node was away, or before its journal had a file of the later life. */
    @Test
    void livesThatTheOthersKnowAreItsOwn() throws IOException {
        List<Epoch> lives = List.of(life(EPOCH, 0, 1), life(78, 0, 1), life(79, 400, 9));
        open(EPOCH, 0, 1).close();
        for (int start = 0; start < 2; start++) {
            Journal journal = open(lives, 0, 1);
            assertThat(journal.epochs().epochs()).isEqualTo(lives);
            assertThat(journal.epochs().forkOf(EPOCH)).isEqualTo(1);
            assertThat(journal.epochs().forkOf(78)).isEqualTo(9);
            journal.close();
        }
        Journal early = open(lives.subList(0, 1), 0, 1);
        assertThat(early.epochs().epochs())
                .as("the later ones come in order yet")
                .isEqualTo(lives);
        early.close();
        Journal late = open(List.of(life(79, 400, 9), life(80, 400, 9)), 0, 1);
        assertThat(late.epochs().epochs()).extracting(Epoch::epoch).containsExactly(EPOCH, 78L, 79L, 80L);
        late.close();
    }

    @Test
    void aLifeThatBeginsOnTheWayIsThereAfterEachEnd() throws IOException {
        for (int seed = 0; seed < 60; seed++) {
            Random random = new Random(seed);
            SimDisk own = new SimDisk(random);
            JournalRig rig = new JournalRig(own, SETTINGS, random);
            rig.shared = true;
            rig.open();
            rig.write(random.nextInt(60), 300);
            Epoch later = life(99, rig.end(), rig.stream.size() + 1L);
            rig.journal.addLife(later);
            assertThat(rig.journal.epochs().last()).as("seed %d", seed).isEqualTo(later);
            int before = rig.stream.size();
            rig.write(random.nextInt(60), 300);
            boolean quiet = random.nextBoolean();
            if (quiet) {
                rig.close();
            } else {
                rig.gone();
                own.powerCut();
            }
            Recovery found = JournalRig.inspect(own);
            assertThat(found.sound()).as("seed %d: %s", seed, found.damage()).isTrue();
            if (quiet) {
                assertThat(found.epochs().last()).as("seed %d", seed).isEqualTo(later);
                assertThat(found.epochs().newest().rows().get(0).first())
                        .as("seed %d", seed)
                        .isEqualTo(before + 1L);
            }
            rig.read(found, "seed " + seed);
        }
    }
}
