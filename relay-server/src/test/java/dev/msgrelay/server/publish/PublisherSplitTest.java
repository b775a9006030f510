package dev.msgrelay.server.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.publish.PublisherRig.Publisher;
import dev.msgrelay.server.stream.RunStage;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A publisher's bytes, cut into reads at every place: the same comes of it. */
class PublisherSplitTest {
    private static final int OTHERS = 1_000_000;

    @AutoClose
    private final PublisherRig rig = new PublisherRig();

    @Test
    void whatWasAcceptedBeforeIsDroppedAtEverySplit() {
        int messages = 5;
        int name = 1000;
        // So many were accepted on the first connection, from this number on they are sent again, and cut here.
        for (int accepted = 1; accepted <= messages; accepted++) {
            for (int first = 1; first <= accepted + 1; first++) {
                int length = resending("n" + name, first, messages).length;
                for (int cut = 1; cut <= length; cut++) {
                    resend("n" + ++name, accepted, first, messages, cut);
                }
            }
        }
    }

    private static byte[] resending(String name, int first, int messages) {
        return new Frames()
                .raw(Hello.acks(name, first).bytes())
                .raw(frames(first, messages).bytes())
                .bytes();
    }

    private void resend(String name, int accepted, int first, int messages, int cut) {
        byte[] again = resending(name, first, messages);
        long streamBefore = rig.log.head().position();
        long before = rig.messages();
        long duplicatesBefore = rig.duplicates();
        Publisher one = rig.connect()
                .read(new Frames()
                        .raw(Hello.acks(name, 1).bytes())
                        .raw(frames(1, accepted).bytes()));
        one.hangUp();
        Publisher two =
                rig.connect().read(Arrays.copyOf(again, cut)).read(Arrays.copyOfRange(again, cut, again.length));
        String what = name + ": " + accepted + " accepted, again from " + first + ", cut at " + cut;
        assertThat(rig.stream(streamBefore))
                .as(what)
                .isEqualTo(frames(1, messages).bytes());
        assertThat(rig.duplicates() - duplicatesBefore).as(what).isEqualTo(accepted + 1 - first);
        List<Control> told = two.told();
        assertThat(told.get(0).type()).as(what).isEqualTo(Hello.WELCOME);
        assertThat(told.get(0).accepted()).as(what).isEqualTo(accepted);
        if (accepted < messages) {
            Control last = told.get(told.size() - 1);
            assertThat(last.type()).as(what).isEqualTo(Hello.ACK);
            assertThat(last.first()).as(what).isEqualTo(messages);
            assertThat(last.sequence()).as(what).isEqualTo(before + messages);
        } else {
            assertThat(told).as(what).hasSize(1);
        }
        two.hangUp();
    }

    @Test
    void controlFramesAmongMessagesAtEverySplit() {
        byte[] bytes = new Frames()
                .raw(Hello.acks("orders", 0).bytes())
                .frame(1, 5)
                .raw(Hello.ping(11))
                .frame(2, 0)
                .frame(2, 0)
                .raw(Hello.pong(1))
                .header(0x80000042, 3)
                .raw(new byte[3])
                .raw(Hello.ping(12))
                .frame(3, 9)
                .bytes();
        byte[] expected =
                new Frames().frame(1, 5).frame(2, 0).frame(2, 0).frame(3, 9).bytes();
        for (int cut = 1; cut <= bytes.length; cut++) {
            long streamBefore = rig.log.head().position();
            long before = rig.messages();
            Publisher publisher =
                    rig.connect().read(Arrays.copyOf(bytes, cut)).read(Arrays.copyOfRange(bytes, cut, bytes.length));
            assertThat(rig.stream(streamBefore)).as("cut at " + cut).isEqualTo(expected);
            List<Control> told = publisher.told();
            assertThat(told.get(0).type()).isEqualTo(Hello.WELCOME);
            assertThat(told.get(0).accepted()).isEqualTo(4L * (cut - 1));
            assertThat(told)
                    .filteredOn(c -> c.type() == Hello.PONG)
                    .extracting(Control::first)
                    .last()
                    .isEqualTo(12L);
            List<Control> acks =
                    told.stream().filter(c -> c.type() == Hello.ACK).toList();
            Control last = acks.get(acks.size() - 1);
            assertThat(last.first()).isEqualTo(4L * cut);
            assertThat(last.sequence()).isEqualTo(before + 4);
            publisher.hangUp();
        }
        assertThat(rig.closes()).containsOnlyKeys(CloseReason.PEER_CLOSED);
    }

    @Test
    void largeFramesBehindHelloAtSomeSplits() {
        // Longer than what is moved in front of the next read, and than a read.
        byte[] bytes = new Frames()
                .raw(Hello.acks("large", 1).bytes())
                .frame(1, 90_000)
                .raw(Hello.ping(1))
                .frame(2, 70_000)
                .frame(3, 100)
                .bytes();
        byte[] expected =
                new Frames().frame(1, 90_000).frame(2, 70_000).frame(3, 100).bytes();
        Publisher first = rig.connect().read(bytes);
        assertThat(rig.stream()).isEqualTo(expected);
        first.hangUp();
        for (int cut = 1; cut < bytes.length; cut += 4999) {
            Publisher publisher =
                    rig.connect().read(Arrays.copyOf(bytes, cut)).read(Arrays.copyOfRange(bytes, cut, bytes.length));
            assertThat(rig.messages()).as("cut at " + cut).isEqualTo(3);
            assertThat(publisher.told().get(0).accepted()).isEqualTo(3);
            publisher.hangUp();
        }
        assertThat(rig.duplicates()).isEqualTo(3L * ((bytes.length + 4997) / 4999));
    }

    @Test
    void whatLiesBehindAControlFrameIsSafeFromOthersMessages() {
        // A producer of this process gathers; now and then the loop takes that in the middle of a read, to where the
        // log ends: which is where the rest of a read in place lies.
        RunStage stage = new RunStage(rig.ring, PublisherRig.MAX_BODY, () -> false);
        rig.handler.add(stage);
        Publisher publisher = rig.connect().read(Hello.acks("orders", 1));
        int reads = 2000;
        int sent = 0;
        for (int i = 0; i < reads; i++) {
            byte[] other = new Frames().frame(OTHERS + i, 150).bytes();
            assertThat(stage.put(OTHERS + i, ByteBuffer.wrap(other, 8, 150), 150))
                    .isTrue();
            publisher.read(new Frames()
                    .frame(sent++, 50)
                    .raw(Hello.ping(i))
                    .frame(sent++, 60)
                    .frame(sent++, 0));
            if (i % 3 == 0) {
                // An odd number of batches: the look at what was gathered comes with a read as well as between two.
                publisher.read(new Frames().frame(sent++, 7));
            }
        }
        int own = 0;
        int others = 0;
        for (Control frame : Control.all(ByteBuffer.wrap(rig.stream()))) {
            int expected = frame.type() >= OTHERS ? OTHERS + others++ : own++;
            assertThat(frame.type()).isEqualTo(expected);
            assertThat(frame.body())
                    .isEqualTo(new Frames()
                            .frame(expected, frame.body().remaining())
                            .buffer()
                            .position(8));
        }
        assertThat(own).isEqualTo(sent);
        assertThat(others).isEqualTo(reads);
        stage.close();
    }

    private static Frames frames(int from, int to) {
        Frames frames = new Frames();
        for (int number = from; number <= to; number++) {
            frames.frame(number, number % 3);
        }
        return frames;
    }
}
