package dev.msgrelay.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.assembly.RelayEngine;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.journal.Journal;
import dev.msgrelay.server.journal.JournalException;
import dev.msgrelay.server.journal.JournalOpening;
import dev.msgrelay.server.journal.JournalSettings;
import dev.msgrelay.server.journal.JournalSteps;
import dev.msgrelay.server.journal.SimDisk;
import dev.msgrelay.server.journal.format.EpochTable;
import dev.msgrelay.server.journal.recover.RecoveryProgress;
import dev.msgrelay.server.stream.Orderer;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The ends of a relay and of its journal, step by step: what was read goes out first, whenever the shutdown looks. */
class EngineStepsTest {
    private static final int MESSAGE = 5;

    private final StepsRig rig = new StepsRig(null);
    private final RelayEngine engine = rig.engine;
    private StepsRig.Client publisher;
    private StepsRig.Client subscriber;

    @BeforeEach
    void connect() {
        subscriber = rig.connect(Role.SUBSCRIBER);
        publisher = rig.connect(Role.PUBLISHER);
        rig.cycle();
        rig.cycle();
    }

    @AfterEach
    void end() {
        rig.closeConnections();
        rig.close();
        assertThat(rig.failures).isEmpty();
    }

    private static byte[] message() {
        return new Frames().frame(MESSAGE, 100).bytes();
    }

    private void assertGoesOutBeforeItIsDrained() {
        assertThat(engine.drained()).as("it is read, and not in the stream").isFalse();
        rig.cycle();
        assertThat(engine.drained()).as("in the stream, and not sent").isFalse();
        assertThat(subscriber.got.size()).isZero();
        subscriber.channel.read(StepsRig.ENOUGH);
        rig.cycle();
        rig.cycle();
        assertThat(subscriber.got.toByteArray()).isEqualTo(message());
        assertThat(engine.drained()).isTrue();
    }

    @Test
    void aMessageReadInTheStepThatStopsReading() {
        publisher.deliver(message());
        engine.stopReading(1000);
        rig.socketsAndTasks();
        assertGoesOutBeforeItIsDrained();
    }

    /** Its publisher gets an ACK as it is closed. */
    @Test
    void anAcknowledgedMessage() {
        publisher.channel.read(StepsRig.ENOUGH);
        publisher.deliver(Hello.acks("orders", 1).bytes());
        rig.cycle();
        publisher.deliver(message());
        engine.stopReading(1000);
        rig.socketsAndTasks();
        assertGoesOutBeforeItIsDrained();
        assertThat(publisher.frames())
                .filteredOn(Control::type, Hello.ACK)
                .last()
                .extracting(Control::first)
                .isEqualTo(1L);
    }

    /** It is closed in the middle of the step, and the relay does not wait for one that is closed. */
    @Test
    void aMessageOfAPublisherThatIsClosedForWhatComesBehindIt() {
        publisher.deliver(new Frames().frame(MESSAGE, 100).header(6, -1).bytes());
        rig.socketsAndTasks();
        engine.stopReading(1000);
        rig.socketsAndTasks();
        assertGoesOutBeforeItIsDrained();
    }

    @Test
    void aMessageOfAPublisherThatHasGone() {
        publisher.deliver(message());
        publisher.channel.finish();
        rig.socketsAndTasks();
        rig.socketsAndTasks();
        engine.stopReading(1000);
        rig.socketsAndTasks();
        assertThat(engine.services().table().count(Role.PUBLISHER)).isZero();
        assertGoesOutBeforeItIsDrained();
    }

    /** A connection that was told of the life before would take the next messages for those of that one. */
    @Test
    void aLaterLifeOfTheStreamEndsTheConnectionsOfTheOneBefore() {
        EpochTable.Epoch later = new EpochTable.Epoch(8, 0, 1, 0);
        Orderer.Stream[] stream = new Orderer.Stream[1];
        StepsRig clustered = new StepsRig(null, orderer(stream));
        StepsRig.Client told = clustered.connect(Role.SUBSCRIBER);
        StepsRig.Client silent = clustered.connect(Role.SUBSCRIBER);
        for (StepsRig.Client client : List.of(told, silent)) {
            client.channel.read(StepsRig.ENOUGH);
        }
        told.deliver(HelloFrame.subscriber().build().encode().array());
        clustered.cycle();
        clustered.cycle();
        assertThat(epochTold(told)).isEqualTo(7);
        assertThat(stream[0].begins(later)).as("both are connected").isFalse();
        StepsRig.Client after = clustered.connect(Role.SUBSCRIBER);
        after.channel.read(StepsRig.ENOUGH);
        after.deliver(HelloFrame.subscriber().build().encode().array());
        clustered.cycle();
        clustered.cycle();
        assertThat(stream[0].begins(later)).as("both have ended").isTrue();
        assertThat(told.frames()).extracting(Control::type).containsExactly(Hello.WELCOME, Hello.ERROR);
        assertThat(told.frames().get(1).code()).isEqualTo(CloseReason.SHUTDOWN.code());
        assertThat(after.frames()).extracting(Control::type).containsExactly(Hello.WELCOME);
        assertThat(epochTold(after)).isEqualTo(8);
        clustered.closeConnections();
        clustered.close();
    }

    /** A node of a cluster must not wait for long, for it would hold up the others. */
    @Test
    void aJournalThatWaitsForTheSnapshotOfTheStateCanBeToldToGoOn() throws IOException {
        JournalSettings settings = new JournalSettings(64 << 10, 128 << 10, JournalSettings.UNLIMITED, 1);
        SimDisk disk = new SimDisk(new Random(1));
        Journal journal = new JournalOpening(disk, settings, 7, 0, null, RecoveryProgress.NOBODY).open();
        Orderer.Stream[] stream = new Orderer.Stream[1];
        StepsRig clustered = new StepsRig(journal, orderer(stream));
        journal.hold(0);
        Frames frames = new Frames();
        for (int i = 0; i < 100; i++) {
            frames.frame(MESSAGE, 100);
        }
        ByteBuffer messages = frames.nativeBuffer();
        for (int i = 0; i < 100; i++) {
            stream[0].append(messages, 0, messages.capacity());
            clustered.cycle();
        }
        int now = journalSteps(journal, 0);
        long held = journal.forced().position();
        assertThat(held).isBetween(128L << 10, 256L << 10);
        stream[0].makeRoom();
        journalSteps(journal, now);
        assertThat(journal.forced().position()).isEqualTo(100L * messages.capacity());
        assertThat(journal.stats().unheld()).isPositive();
        clustered.closeConnections();
        journal.abandon();
        clustered.close();
    }

    private static int journalSteps(Journal journal, int from) {
        int now = from;
        while (now < from + 200) {
            now++;
            JournalSteps.write(journal, now * 1_000_000L, now);
            JournalSteps.force(journal, now * 1_000_000L, now);
        }
        return now;
    }

    /** Orders nothing itself: the test does, by the stream that comes into {@code stream}. */
    private static Orderer orderer(Orderer.Stream[] stream) {
        EpochTable first = new EpochTable(List.of(new EpochTable.Epoch(7, 0, 1, 0)), 0, 1);
        return (Orderer) Proxy.newProxyInstance(
                Orderer.class.getClassLoader(), new Class<?>[] {Orderer.class}, (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "lives" -> {
                            return first;
                        }
                        case "setStream" -> stream[0] = (Orderer.Stream) arguments[0];
                        default -> {
                            return method.getReturnType() == boolean.class ? false : null;
                        }
                    }
                    return null;
                });
    }

    private static long epochTold(StepsRig.Client client) {
        return client.frames().get(0).epoch();
    }

    /** Who waits for the journal gets what was written before, and hears then that no more will be. */
    @Test
    void aMessageWrittenJustBeforeTheJournalFails() throws IOException {
        SimDisk disk = new SimDisk(new Random(1));
        JournalSettings settings =
                new JournalSettings(64 << 10, JournalSettings.UNLIMITED, JournalSettings.UNLIMITED, 1);
        Journal journal = new JournalOpening(disk, settings, 7, 0, null, RecoveryProgress.NOBODY).open();
        StepsRig journaled = new StepsRig(journal);
        StepsRig.Client writer = journaled.connect(Role.PUBLISHER);
        StepsRig.Client reader = journaled.connect(Role.SUBSCRIBER);
        reader.channel.read(StepsRig.ENOUGH);
        reader.deliver(
                HelloFrame.subscriber().level(Level.WRITTEN).build().encode().array());
        journaled.cycle();
        journaled.cycle();
        writer.deliver(message());
        journaled.cycle();
        JournalSteps.force(journal, 1_000_000, 1);
        JournalSteps.write(journal, 2_000_000, 2);
        assertThat(journal.written().position()).isEqualTo(108);
        assertThat(reader.frames()).extracting(Control::type).containsExactly(Hello.WELCOME);
        disk.failIn(1);
        JournalSteps.force(journal, 3_000_000, 3);
        assertThat(journal.failure()).isPresent();
        journaled.socketsAndTasks();
        journaled.cycle();
        assertThat(journaled.failures).singleElement().isInstanceOf(JournalException.class);
        assertThat(reader.frames()).extracting(Control::type).containsExactly(Hello.WELCOME, MESSAGE, Hello.ERROR);
        assertThat(reader.frames().get(2).code()).isEqualTo(CloseReason.JOURNAL_FAILED.code());
        journaled.closeConnections();
        journal.abandon();
        journaled.close();
    }
}
