package dev.msgrelay.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.engine.JournalException;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.journal.Journal;
import dev.msgrelay.server.journal.JournalOpening;
import dev.msgrelay.server.journal.JournalSettings;
import dev.msgrelay.server.journal.JournalSteps;
import dev.msgrelay.server.journal.SimDisk;
import dev.msgrelay.server.journal.recover.RecoveryProgress;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The end of a journal, step by step: who waits for it gets what was written before, and hears then that no more will be. */
class JournalFailsStepsTest {
    private static final int MESSAGE = 5;

    @Test
    void aMessageWrittenJustBeforeTheJournalFails() throws IOException {
        SimDisk disk = new SimDisk(new Random(1));
        JournalSettings settings =
                new JournalSettings(64 << 10, JournalSettings.UNLIMITED, JournalSettings.UNLIMITED, 1);
        Journal journal = new JournalOpening(disk, settings, 7, 0, null, RecoveryProgress.NOBODY).open();
        StepsRig rig = new StepsRig(journal);
        StepsRig.Client publisher = rig.connect(Role.PUBLISHER);
        StepsRig.Client subscriber = rig.connect(Role.SUBSCRIBER);
        subscriber.channel.read(StepsRig.ENOUGH);
        subscriber.deliver(
                HelloFrame.subscriber().level(Level.WRITTEN).build().encode().array());
        rig.cycle();
        rig.cycle();
        publisher.deliver(new Frames().frame(MESSAGE, 100).bytes());
        rig.cycle();
        JournalSteps.force(journal, 1_000_000, 1);
        JournalSteps.write(journal, 2_000_000, 2);
        assertThat(journal.written().position()).isEqualTo(108);
        assertThat(subscriber.frames()).extracting(Control::type).containsExactly(Hello.WELCOME);
        disk.failIn(1);
        JournalSteps.force(journal, 3_000_000, 3);
        assertThat(journal.failure()).isNotNull();
        rig.socketsAndTasks();
        rig.cycle();
        assertThat(rig.failures).singleElement().isInstanceOf(JournalException.class);
        assertThat(subscriber.frames()).extracting(Control::type).containsExactly(Hello.WELCOME, MESSAGE, Hello.ERROR);
        assertThat(subscriber.frames().get(2).code()).isEqualTo(CloseReason.JOURNAL_FAILED.code());
        rig.closeConnections();
        journal.abandon();
        rig.close();
    }
}
