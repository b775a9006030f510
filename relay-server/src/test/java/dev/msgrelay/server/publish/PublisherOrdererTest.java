package dev.msgrelay.server.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.publish.PublisherRig.Publisher;
import dev.msgrelay.server.stream.Orderer;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A publisher whose messages others put in order. */
class PublisherOrdererTest {
    private final HeldOrderer orderer = new HeldOrderer();

    @AutoClose
    private final PublisherRig rig = new PublisherRig(orderer);

    private Publisher named(long accepted) {
        Publisher publisher = rig.connect().read(Hello.acks("orders", accepted + 1));
        orderer.claims.remove().claimed(null, "", accepted == 0 ? Orderer.NONE : accepted, accepted);
        rig.round();
        publisher.toldOnce(Hello.WELCOME);
        return publisher;
    }

    @Test
    void isInTheStreamAndAcknowledgedOnceItIsInOrder() {
        Publisher publisher = named(0);
        byte[] frames = new Frames().frame(1, 10).frame(2, 20).bytes();
        publisher.read(frames);
        assertThat(publisher.told()).isEmpty();
        assertThat(rig.messages()).isZero();
        orderer.order();
        rig.round();
        Control ack = publisher.toldOnce(Hello.ACK);
        assertThat(ack.first()).isEqualTo(2);
        assertThat(ack.sequence()).isEqualTo(2);
        assertThat(rig.stream()).isEqualTo(frames);
    }

    @Test
    void whatComesBehindHelloWaitsUntilTheNameIsThere() {
        Publisher publisher = rig.connect()
                .read(Hello.acks("orders", 1), new Frames().frame(1, 10).frame(1, 30));
        assertThat(publisher.told()).isEmpty();
        assertThat(publisher.waitsFor()).isEqualTo("name");
        assertThat(orderer.underWay()).isZero();
        orderer.claims.remove().claimed(null, "", Orderer.NONE, 0);
        rig.round();
        publisher.toldOnce(Hello.WELCOME);
        assertThat(orderer.firsts).containsExactly(1L);
        assertThat(publisher.waitsFor()).isEmpty();
    }

    @Test
    void numbersGoOnWhileNothingIsInOrder() {
        Publisher publisher = named(7);
        Frames one = new Frames().frame(1, 10);
        publisher.read(new Frames().frame(1, 10).frame(1, 10)).read(one).read(one);
        assertThat(orderer.firsts).containsExactly(8L, 10L, 11L);
        orderer.order();
        rig.round();
        assertThat(publisher.toldOnce(Hello.ACK).first()).isEqualTo(9);
    }

    @Test
    void whatItHasSentBeforeIsNotHandedOverAgain() {
        Publisher publisher = rig.connect()
                .read(
                        Hello.acks("orders", 5),
                        new Frames().frame(1, 10).frame(1, 10).frame(1, 10));
        orderer.claims.remove().claimed(null, "", 6, 600);
        rig.round();
        assertThat(orderer.firsts).containsExactly(7L);
        assertThat(rig.duplicates()).isEqualTo(2);
        assertThat(publisher.told()).extracting(Control::type).startsWith(Hello.WELCOME);
    }

    /** It comes from elsewhere; what others have of its name is as it was until its first message is in order. */
    @Test
    void itsFirstMessageHasTheNumberAtWhichItGoesOn() {
        Publisher publisher = rig.connect().read(Hello.acks("orders", 105).epoch(66));
        orderer.claims.remove().claimed(null, "", 100, 100);
        rig.round();
        Control welcome = publisher.toldOnce(Hello.WELCOME);
        assertThat(welcome.flags()).isEqualTo(WelcomeFrame.EPOCH_CHANGED);
        assertThat(welcome.accepted()).isEqualTo(100);
        publisher.read(new Frames().frame(1, 10).frame(1, 10)).read(new Frames().frame(1, 10));
        assertThat(orderer.firsts).containsExactly(105L, 107L);
        orderer.order();
        orderer.order();
        rig.round();
        assertThat(publisher.toldOnce(Hello.ACK).first()).isEqualTo(107);
    }

    @Test
    void withoutRoomItIsNotReadAndGoesOn() {
        Publisher publisher = named(0);
        orderer.room = false;
        publisher.read(new Frames().frame(1, 10));
        assertThat(publisher.waitsFor()).isEqualTo("room");
        assertThat(orderer.underWay()).isZero();
        orderer.room = true;
        rig.round();
        assertThat(orderer.underWay()).isEqualTo(1);
    }

    @Test
    void aNameThatCannotBeAskedForNowIsAskedForLater() {
        Publisher publisher = rig.connect();
        orderer.room = false;
        publisher.read(Hello.acks("orders", 1));
        assertThat(orderer.claims).isEmpty();
        orderer.room = true;
        rig.round();
        orderer.claims.remove().claimed(null, "", Orderer.NONE, 0);
        publisher.toldOnce(Hello.WELCOME);
    }

    @Test
    void aNameThatIsRefusedEndsIt() {
        Publisher publisher = rig.connect().read(Hello.acks("orders", 1));
        orderer.claims.remove().claimed(CloseReason.NAME_HELD, "HELLO: it belongs to another", Orderer.NONE, 0);
        assertThat(publisher.told()).extracting(Control::type).containsExactly(Hello.ERROR);
        assertThat(rig.closed(CloseReason.NAME_HELD)).isEqualTo(1);
        assertThat(orderer.left).isEmpty();
    }

    @Test
    void aNameThatAnotherRelayHasGivenAwayEndsIt() {
        named(0);
        rig.names.takenElsewhere("orders");
        rig.round();
        assertThat(rig.closed(CloseReason.NAME_TAKEN)).isEqualTo(1);
        assertThat(orderer.left).as("it is another connection's").isEmpty();
    }

    @Test
    void whoEndsLeavesItsNameEvenIfThatComesLater() {
        named(0).hangUp();
        assertThat(orderer.left).containsExactly("orders");
        rig.connect().read(Hello.acks("trades", 1)).hangUp();
        orderer.claims.remove().claimed(null, "", Orderer.NONE, 0);
        assertThat(orderer.left).containsExactly("orders", "trades");
    }

    @Test
    void theLastWordWaitsForTheOrderAndSoDoesTheName() {
        Publisher publisher = named(0);
        publisher.read(new Frames().frame(1, 10)).read(new Frames().frame(2, 10).header(3, -1));
        assertThat(rig.closed(CloseReason.NEGATIVE_LENGTH)).isOne();
        orderer.order();
        rig.round();
        assertThat(publisher.told()).isEmpty();
        assertThat(orderer.left).isEmpty();
        orderer.order();
        rig.round();
        List<Control> told = publisher.told();
        assertThat(told).extracting(Control::type).containsExactly(Hello.ACK, Hello.ERROR);
        assertThat(told.get(0).first()).isEqualTo(2);
        assertThat(orderer.left).containsExactly("orders");
    }

    @Test
    void whoseNameIsTakenMeanwhileIsToldWhyAtOnce() {
        Publisher publisher = named(0);
        publisher.read(new Frames().frame(1, 10).header(3, -1));
        rig.names.takenElsewhere("orders");
        rig.round();
        assertThat(publisher.toldOnce(Hello.ERROR).code()).isEqualTo(CloseReason.NEGATIVE_LENGTH.code());
        orderer.order();
        rig.round();
        assertThat(rig.messages()).isOne();
        assertThat(orderer.left).as("it is another connection's").isEmpty();
    }

    @Test
    void whoGoesMeanwhileLeavesItsName() {
        Publisher publisher = named(0);
        publisher.read(new Frames().frame(1, 10).header(3, -1));
        publisher.hangUp();
        assertThat(orderer.left).containsExactly("orders");
        orderer.order();
        rig.round();
        assertThat(rig.messages()).isOne();
        assertThat(rig.closes()).containsOnlyKeys(CloseReason.NEGATIVE_LENGTH);
    }

    @Test
    void anOlderOneEndsAlsoWhereTheNewerOneHasGoneBeforeItHadTheName() {
        named(0);
        rig.connect().read(Hello.acks("orders", 1)).hangUp();
        assertThat(rig.closed(CloseReason.NAME_TAKEN)).isZero();
        orderer.claims.remove().claimed(null, "", Orderer.NONE, 0);
        rig.round();
        assertThat(rig.closed(CloseReason.NAME_TAKEN)).isEqualTo(1);
        assertThat(orderer.left).containsExactly("orders");
    }

    @Test
    void aPlainOneIsPutInOrderAsWell() {
        Publisher publisher = rig.connect();
        byte[] frames = new Frames().frame(1, 10).bytes();
        publisher.read(frames);
        assertThat(rig.messages()).isZero();
        orderer.order();
        rig.round();
        assertThat(rig.stream()).isEqualTo(frames);
    }
}
