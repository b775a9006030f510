package dev.msgrelay.server.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.server.journal.recover.RecoveryProgress;
import dev.msgrelay.server.log.Mark;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The journal of a relay whose stream others have as well. */
class SharedJournalTest {
    private static final long EPOCH = 77;
    private static final JournalSettings SETTINGS = new JournalSettings(8192, 1 << 20, 1L << 40, 1_000_000);

    private final SimDisk disk = new SimDisk(new Random(1));

    private Journal open(long epoch, long position, long sequence) throws IOException {
        Mark others = new Mark();
        others.set(position, sequence);
        return new JournalOpening(disk, SETTINGS, epoch, 1_000, others, RecoveryProgress.NOBODY).open();
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
}
