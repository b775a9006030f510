package dev.msgrelay.server.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.publish.PublisherRig.Publisher;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** No read moves the head: what a publisher is told of messages in the same batch waits for the end of the batch. */
class LastWordTest {
    private static final Frames TWO = new Frames().frame(1, 10).frame(2, 10);

    @AutoClose
    private final PublisherRig rig = new PublisherRig();

    private Publisher named() {
        return rig.welcomed(Hello.acks("orders", 1));
    }

    private static void readOnly(Publisher publisher, byte[] bytes) {
        readBeforeTasks(publisher, bytes);
        publisher.channel.runPendingTasks();
    }

    private static void readBeforeTasks(Publisher publisher, byte[] bytes) {
        ByteBuf buffer = publisher.connection.reader().whereToRead();
        buffer.writeBytes(bytes);
        publisher.channel.pipeline().fireChannelRead(buffer);
        publisher.channel.pipeline().fireChannelReadComplete();
    }

    @Test
    void theLastWordStandsBehindTheAckOfWhatReadersSee() {
        Publisher publisher = named();
        readOnly(publisher, new Frames().frame(1, 10).frame(2, 10).header(3, -1).bytes());
        assertThat(rig.closed(CloseReason.NEGATIVE_LENGTH)).isOne();
        assertThat(rig.stream()).isEmpty();
        assertThat(publisher.told()).isEmpty();
        rig.round();
        assertThat(rig.stream()).isEqualTo(TWO.bytes());
        List<Control> told = publisher.told();
        assertThat(told).extracting(Control::type).containsExactly(Hello.ACK, Hello.ERROR);
        assertThat(told.get(0).first()).isEqualTo(2);
    }

    @Test
    void aPlainOneIsToldThen() {
        Publisher publisher = rig.connect();
        readOnly(publisher, new Frames().frame(1, 10).frame(2, 10).header(3, -1).bytes());
        assertThat(publisher.told()).isEmpty();
        rig.round();
        assertThat(rig.stream()).isEqualTo(TWO.bytes());
        assertThat(publisher.toldOnce(Hello.ERROR).code()).isEqualTo(CloseReason.NEGATIVE_LENGTH.code());
    }

    @Test
    void whoTakesTheNameIsWelcomedOnceReadersSeeWhatWasAccepted() {
        Publisher first = named();
        readOnly(first, TWO.bytes());
        Publisher second = rig.connect();
        readOnly(second, Hello.acks("orders", 1).bytes());
        first.channel.runPendingTasks();
        assertThat(rig.closed(CloseReason.NAME_TAKEN)).isOne();
        assertThat(rig.stream()).isEmpty();
        assertThat(first.told()).isEmpty();
        assertThat(second.told()).isEmpty();
        rig.round();
        assertThat(rig.stream()).isEqualTo(TWO.bytes());
        List<Control> told = first.told();
        assertThat(told).extracting(Control::type).containsExactly(Hello.ACK, Hello.ERROR);
        assertThat(told.get(0).first()).isEqualTo(2);
        assertThat(second.told()).extracting(Control::type).startsWith(Hello.WELCOME);
    }

    /**
     * The read that takes the name over leaves the older connection alone; this one hands in nothing more all the same.
     */
    @Test
    void theOlderConnectionEndsByATaskOfItsOwn() {
        Publisher first = named();
        first.read(TWO.bytes());
        first.told();
        Publisher second = rig.connect();
        readOnly(second, Hello.acks("orders", 3).bytes());
        assertThat(rig.closes()).isEmpty();
        byte[] theirs = new Frames().frame(3, 30).frame(4, 40).bytes();
        readOnly(second, theirs);
        readOnly(first, new Frames().frame(3, 50).frame(4, 50).bytes());
        assertThat(rig.closes()).containsOnlyKeys(CloseReason.NAME_TAKEN);
        rig.round();
        assertThat(rig.stream())
                .isEqualTo(new Frames().raw(TWO.bytes()).raw(theirs).bytes());
        assertThat(first.told()).extracting(Control::type).containsExactly(Hello.ERROR);
        assertThat(second.told()).extracting(Control::type).containsExactly(Hello.WELCOME, Hello.ACK);
    }

    /** The older connection may read twice before its task; the bytes that are dropped may begin a frame. */
    @Test
    void noByteIsLookedAtOnceTheNameIsLost() {
        Publisher first = named();
        Publisher second = rig.connect();
        readOnly(second, Hello.acks("orders", 1).bytes());
        readBeforeTasks(first, new Frames().frame(1, 50).header(2, 50).bytes());
        byte[] body = new byte[50];
        Arrays.fill(body, (byte) -1);
        readBeforeTasks(first, body);
        first.channel.runPendingTasks();
        assertThat(rig.closes()).containsOnlyKeys(CloseReason.NAME_TAKEN);
        assertThat(rig.stream()).isEmpty();
    }

    @Test
    void whoIsGoneIsToldNothing() {
        Publisher publisher = named();
        readOnly(publisher, new Frames().frame(1, 10).header(3, -1).bytes());
        publisher.hangUp();
        rig.round();
        assertThat(rig.messages()).isOne();
        assertThat(rig.closes()).containsOnlyKeys(CloseReason.NEGATIVE_LENGTH);
    }
}
