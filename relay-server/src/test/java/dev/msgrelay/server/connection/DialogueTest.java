package dev.msgrelay.server.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Epochs;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.GoAwayFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.Protocol;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.server.assembly.NoJournal;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.figures.Counters;
import dev.msgrelay.server.harness.Control;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Of each kind the newest, WELCOME first, and never more bytes than it says. */
class DialogueTest {
    private final RelayConfig config = RelayConfig.builder().build();
    private final Dialogue dialogue = new Dialogue(
            Role.SUBSCRIBER,
            new RelayIdentity("relay", 1024),
            new NoJournal(7),
            new Counters(),
            new Timeouts(config.clients(), config.limits(), null));

    private static ByteBuffer welcome(String server) {
        return new WelcomeFrame(
                        Protocol.VERSION,
                        Policy.SKIP,
                        WelcomeFrame.EPOCH_CHANGED | WelcomeFrame.ROLLED_BACK,
                        Features.EPOCHS | Features.PEER,
                        7,
                        1,
                        0,
                        1024,
                        5000,
                        15_000,
                        TypeRanges.MAX_RANGES,
                        server,
                        1,
                        new Epochs(Collections.nCopies(Epochs.MOST, new Epochs.Row(7, 1))),
                        0,
                        "[1111:2222:3333:4444:5555:6666:7777:8888]:40001",
                        "i".repeat(64))
                .encode();
    }

    private List<Control> due() {
        return due(5, 9, false);
    }

    private List<Control> due(long next, long head, boolean counts) {
        int most = dialogue.mostBytes();
        ByteBuffer out = ByteBuffer.allocate(1 << 20);
        assertThat(dialogue.putDue(out, next, head)).isEqualTo(counts);
        assertThat(out.position()).isLessThanOrEqualTo(most);
        assertThat(dialogue.due()).as("forgotten once put").isFalse();
        return Control.all(out.flip());
    }

    private void welcomed() {
        dialogue.welcome(welcome("relay"));
        assertThat(due(5, 9, true)).extracting(Control::type).containsExactly(ControlFrames.WELCOME);
    }

    @Test
    void nothingIsDueBeforeWelcome() {
        dialogue.pong(1);
        dialogue.ping(0);
        dialogue.subscribed(3);
        dialogue.gap(1, 2, GapReason.SLOW);
        dialogue.goAway(new GoAwayFrame(CloseReason.SHUTDOWN, 1, ""));
        assertThat(dialogue.due()).isFalse();
        assertThat(dialogue.takeGoAway().hasRemaining()).isFalse();
        dialogue.welcome(welcome("relay"));
        assertThat(dialogue.due()).isTrue();
        assertThat(due(5, 9, true)).extracting(Control::type).first().isEqualTo(ControlFrames.WELCOME);
    }

    @Test
    void theNewestOfEachKind() {
        welcomed();
        for (int i = 1; i <= 1000; i++) {
            dialogue.ping(0);
            dialogue.pong(2 * i);
            dialogue.ack(i, 3L * i);
            dialogue.gap(10 * i, 10 * i + 9, i == 1 ? GapReason.NOT_HELD : GapReason.SLOW);
        }
        List<Control> told = due(5, 9, true);
        assertThat(told)
                .extracting(Control::type)
                .containsExactly(ControlFrames.GAP, ControlFrames.ACK, ControlFrames.PING, ControlFrames.PONG);
        assertThat(told.get(0).body().getLong(0)).as("gaps become one").isEqualTo(10);
        assertThat(told.get(0).body().getLong(8)).isEqualTo(10_009);
        assertThat(told.get(1).first()).isEqualTo(1000);
        assertThat(told.get(1).sequence()).isEqualTo(3000);
        assertThat(told.get(2).first()).isEqualTo(1000);
        assertThat(told.get(2).sequence()).as("next").isEqualTo(5);
        assertThat(told.get(2).head()).isEqualTo(9);
        assertThat(told.get(3).first()).isEqualTo(2000);
    }

    @Test
    void anAckThatSaysNothingNewIsNotDue() {
        welcomed();
        dialogue.ackedUpTo(7, 70);
        dialogue.ack(7, 70);
        dialogue.ack(6, 60);
        assertThat(dialogue.due()).isFalse();
        dialogue.ack(8, 80);
        assertThat(due().get(0).first()).isEqualTo(8);
        dialogue.ack(8, 80);
        assertThat(dialogue.due()).isFalse();
    }

    @Test
    void anAckTellsLevelsAlsoWhereOnlyTheyHaveMoved() {
        welcomed();
        dialogue.ackedUpTo(7, 70);
        dialogue.tellLevels(7, 3);
        dialogue.levels(7, 3);
        assertThat(dialogue.due()).isFalse();
        dialogue.ack(9, 90);
        assertAck(9L, 90L, 7L, 3L);
        dialogue.levels(8, 3);
        dialogue.levels(8, 7);
        assertAck(9L, 90L, 8L, 7L);
    }

    private void assertAck(Long... fields) {
        Control ack = due().get(0);
        assertThat(List.of(ack.first(), ack.sequence(), ack.written(), ack.forced()))
                .containsExactly(fields);
    }

    @Test
    void everySubscribeIsAnsweredInItsOrder() {
        welcomed();
        for (int i = 0; i < 100; i++) {
            dialogue.subscribed(1000 - i);
        }
        assertThat(dialogue.answers()).isEqualTo(100);
        List<Control> told = due(5, 9, true);
        assertThat(told).hasSize(100).allMatch(c -> c.type() == ControlFrames.SUBSCRIBED);
        for (int i = 0; i < 100; i++) {
            assertThat(told.get(i).body().getInt(0)).isEqualTo(1000 - i);
            assertThat(told.get(i).sequence()).isEqualTo(5);
        }
        assertThat(dialogue.answers()).isZero();
    }

    @Test
    void goAwayMayGoAlone() {
        welcomed();
        dialogue.pong(1);
        dialogue.goAway(new GoAwayFrame(CloseReason.SHUTDOWN, 5000, CloseReason.SHUTDOWN.text()));
        List<Control> alone = Control.all(dialogue.takeGoAway());
        assertThat(alone).hasSize(1);
        assertThat(alone.get(0).type()).isEqualTo(ControlFrames.GOAWAY);
        assertThat(alone.get(0).closesInMillis()).isEqualTo(5000);
        assertThat(dialogue.takeGoAway().hasRemaining()).isFalse();
        assertThat(due()).extracting(Control::type).containsExactly(ControlFrames.PONG);
    }

    @Test
    void mostBytesHoldsForTheWorstCase() {
        dialogue.welcome(welcome("s".repeat(255)));
        dialogue.gap(1, Long.MAX_VALUE, GapReason.NOT_HELD);
        dialogue.ack(Long.MAX_VALUE, Long.MAX_VALUE);
        dialogue.ping(0);
        dialogue.pong(1);
        dialogue.goAway(new GoAwayFrame(CloseReason.SHUTDOWN, Integer.MAX_VALUE, CloseReason.SHUTDOWN.text()));
        assertThat(dialogue.mostBytes()).isEqualTo(Dialogue.MOST_BYTES);
        for (int i = 0; i < 77; i++) {
            dialogue.subscribed(i);
        }
        assertThat(due(1, 2, true)).hasSize(6 + 77);
        assertThat(dialogue.mostBytes()).isEqualTo(Dialogue.MOST_BYTES);
    }
}
