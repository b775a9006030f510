package dev.msgrelay.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.engine.RelayEngine;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The end of a relay, step by step: what was read goes out first, whenever the shutdown looks. */
class DrainStepsTest {
    private final StepsRig rig = new StepsRig();
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
        return new Frames().frame(5, 100).bytes();
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
        publisher.deliver(new Frames().frame(5, 100).header(6, -1).bytes());
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
}
