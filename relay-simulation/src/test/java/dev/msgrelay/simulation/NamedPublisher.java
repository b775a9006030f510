package dev.msgrelay.simulation;

import dev.msgrelay.protocol.AckFrame;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.server.connection.SessionState;
import java.nio.ByteBuffer;
import java.util.EnumSet;

/** One connection of a publisher with acknowledgements. It sends again what it has no ACK for. */
final class NamedPublisher extends Peer {
    private static final int MOST_UNACKED = 3_000;

    private final Producer producer;
    private final boolean waitsForWelcome;
    // Of HELLO: what it says of what it has; 0: nothing.
    private final long helloEpoch;
    private final int helloNumber;
    // And whether what lies right before it is gone, which it knows or not.
    private final boolean goneAtHello;
    private int nextToSend;
    // On this connection; 0: none.
    private int lastSent;
    // Of its messages, those that were there when the relay had its connection.
    private int thereAtFirst;
    // How far ACKs have told that messages are in the stream, and in the journal.
    private int lastAck;
    private int lastWritten;
    private int lastForced;
    private boolean replaced;
    private boolean overlaps;
    // To be looked at once the step is over: what is said in the middle of one.
    private int lateNumber;
    private int lateSequence;

    NamedPublisher(World world, SimChannel channel, Producer producer) {
        super(world, "named " + producer.source.id, channel, Role.PUBLISHER);
        this.producer = producer;
        boolean nothingGone = producer.source.inStream >= producer.acked;
        this.waitsForWelcome = producer.acked + producer.wire(0) == 0
                ? world.onceIn(3)
                : producer.acked > 0 && world.onceIn(3) && !producer.contested && nothingGone;
        this.nextToSend = producer.acked + 1;
        channel.read(world.oneOf(100, 700, 1 << 20, 1 << 20));
        HelloFrame.Builder hello = HelloFrame.publisher()
                .features(Features.ACKS)
                .name(producer.name)
                .producer(producer.id)
                .heartbeatMillis(world.oneOf(0, 100, 1000));
        helloNumber = waitsForWelcome ? 0 : nextToSend;
        helloEpoch = !waitsForWelcome && (world.onceIn(2) || !nothingGone) ? producer.epoch : 0;
        if (!waitsForWelcome) {
            hello.nextNumber(helloEpoch, producer.wire(nextToSend));
            producer.source.goesOnAt(nextToSend);
        }
        goneAtHello = lives.isEarlier(helloEpoch) && isGoneBefore(helloNumber);
        if (producer.level != null) {
            hello.level(producer.level);
        }
        wantHello(hello.build());
        if (producer.connection != null) {
            producer.connection.replaced = true;
            // The older one's HELLO may be on its way still, and come later than this one's.
            overlaps = producer.connection.overlaps || !producer.connection.closedByRelay;
        }
        producer.connection = this;
    }

    /**
     * Whether the one before it is missing, and it has come in a life that this publisher does not know, or not at all.
     */
    private boolean isGoneBefore(int number) {
        Source source = producer.source;
        int behind = source.latest(number);
        return number > 1 && source.latest(number - 1) == 0 && (behind == 0 || behind >= lives.forkOf(helloEpoch));
    }

    @Override
    protected void connected() {
        thereAtFirst = producer.source.inStream;
        world.producers.stream()
                .filter(p -> p != producer && p.name.equals(producer.name))
                .forEach(rival -> rival.source.mayStartAnew = true);
    }

    @Override
    protected void read() {
        giveUpBehindTheLast();
        if (!silent && channel.room < 1 << 12 && world.onceIn(3)) {
            channel.read(world.skewed(1 << 12));
        }
    }

    @Override
    protected void doMore() {
        if (world.onceIn(8)) {
            ping();
        } else {
            send(1 + world.skewed(30) * world.volume);
        }
    }

    private void giveUpBehindTheLast() {
        if (told == CloseReason.MESSAGE_GAP || (deserves.contains(CloseReason.MESSAGE_GAP) && !live())) {
            producer.giveUp();
        }
    }

    /** Messages up to so many: those that were made before, then new ones. */
    private void send(int count) {
        if ((waitsForWelcome && !welcomed) || !live() || spoilt || replaced) {
            return;
        }
        for (int i = 0; i < count && waiting() < world.volume << 15; i++) {
            if (deserves.contains(CloseReason.MESSAGE_GAP)) {
                return;
            }
            if (nextToSend > producer.made) {
                if (!world.mayPublish(producer.made) || producer.made - producer.acked >= MOST_UNACKED) {
                    return;
                }
                producer.made++;
            }
            if (nextToSend > producer.most) {
                deserves(CloseReason.MESSAGE_GAP);
            }
            lastSent = nextToSend++;
            want(producer.source, lastSent);
        }
    }

    @Override
    protected void sayWrong() {
        switch (world.below(3)) {
            case 0 -> wrong(7, -9, CloseReason.NEGATIVE_LENGTH);
            case 1 -> wrong(ControlFrames.SUBSCRIBE, 8, CloseReason.WRONG_ROLE);
            default -> wrong(ControlFrames.HELLO, 0, CloseReason.PROTOCOL_ORDER);
        }
    }

    @Override
    protected void behaveMore() {
        giveUpBehindTheLast();
        channel.read(1 << 16);
        send(100);
        deliver(Integer.MAX_VALUE);
        if (producer.contested && producer.owed().isEmpty()) {
            // Others want the name, too.
            leave(true);
        }
    }

    @Override
    String owed() {
        return !live() || spoilt || silent || deserves.contains(CloseReason.MESSAGE_GAP) ? "" : owedAnswer();
    }

    /** Whether all that it has sent is as far as it waits for: what more there is to be told may be told late. */
    boolean isSettled() {
        return producer.acked >= nextToSend - 1;
    }

    @Override
    protected void endOfStep() {
        if (lateNumber > 0) {
            checkAck(lateNumber, lateSequence);
            lateNumber = 0;
        }
    }

    /** Whether the relay may have another connection of the same producer: their HELLOs come in any order. */
    private boolean hasTwin() {
        return replaced || overlaps;
    }

    @Override
    protected EnumSet<CloseReason> mayEndBy() {
        EnumSet<CloseReason> reasons = super.mayEndBy();
        if (hasTwin()) {
            reasons.add(CloseReason.NAME_TAKEN);
        }
        if (producer.contested) {
            reasons.add(CloseReason.NAME_HELD);
        }
        if (producer.contested && hasTwin()) {
            // A HELLO that came late, to a relay that had forgotten the name, has set the count to where it was then.
            reasons.add(CloseReason.MESSAGE_GAP);
        }
        return reasons;
    }

    @Override
    protected void onControl(int type, ByteBuffer body) throws FrameException {
        if (type != ControlFrames.ACK) {
            super.onControl(type, body);
            return;
        }
        AckFrame.check(body);
        if (levels) {
            levels(
                    producer.number(AckFrame.number(body, Level.WRITTEN)),
                    producer.number(AckFrame.number(body, Level.FORCED)));
        }
        ack(producer.number(AckFrame.number(body)), (int) AckFrame.sequence(body));
    }

    @Override
    protected void welcome(WelcomeFrame said) {
        check(said.grants(Features.ACKS), "is not granted ACKS");
        check(said.epochChanged() == said.rolledBack(), "is told of another stream");
        producer.epoch = said.epoch();
        if (!producer.contested) {
            checkRolledBack(said);
        }
        if (helloEpoch == 0) {
            // What is gone a relay tells to who comes with the epoch of an earlier life. This one says no epoch, and
            // today's from now on: so nobody tells it any more.
            producer.source.told(producer.acked + 1);
        }
        if (said.rolledBack()) {
            world.trace(name, "is rolled back", said.fork(), helloNumber);
            world.saw("publishers rolled back", 1);
            producer.source.told(helloNumber);
            return;
        }
        int accepted = producer.number(said.accepted());
        Source source = producer.source;
        // WELCOME may have waited, while messages that came with HELLO got into the stream: with TLS for room behind
        // the relay's part of the handshake, with a level until that is as far as it is to get, and where it takes the
        // name over until the older connection's messages are shown. A contested name may have begun anew meanwhile.
        boolean waited = tls != null || levels || hasTwin();
        int there = waited ? Math.min(thereAtFirst, source.inStream) : source.inStream;
        if (accepted < there && !(producer.contested && accepted == 0)) {
            fail("is told accepted " + accepted + ", and " + there + " are in the stream");
        }
        world.trace(name, "is told accepted", accepted, source.inStream);
        if (accepted > 0) {
            lateNumber = accepted;
            lateSequence = 0;
            lastAck = accepted;
            producer.acked = Math.max(producer.acked, accepted);
            check(accepted <= producer.made, "is told accepted " + accepted + " of " + producer.made);
            if (levels) {
                lives.promise(producer.level, source.sequence(accepted), name);
            }
        }
        if (waitsForWelcome) {
            nextToSend = accepted + 1;
        }
    }

    /** What was acknowledged to it is gone: it is told so, and from where on, and nobody else is. */
    private void checkRolledBack(WelcomeFrame said) {
        Source source = producer.source;
        int gone = lives.isEarlier(helloEpoch) ? source.firstGone(helloNumber) : 0;
        // What an earlier life told it one connection after the other may be told again, and passes over: the relay
        // knows numbers, and not who was told. So who starts with a high number, and has had no ACK, may have had all
        // before it acknowledged.
        boolean may = goneAtHello || (lives.isEarlier(helloEpoch) && said.fork() == 1 && producer.wire(0) > 0);
        if (said.rolledBack() ? !may : gone > 0) {
            fail("comes with number " + helloNumber + " of epoch " + helloEpoch + ", "
                    + (gone == 0 ? "nothing before it" : "message " + gone) + " is gone, and it is told "
                    + (said.rolledBack() ? "so" : "nothing"));
        } else if (gone > 0) {
            int fork = said.fork() == 1 ? 1 : producer.number(said.fork());
            int firstThere = fork;
            while (firstThere < gone && source.sequence(firstThere) == 0) {
                firstThere++;
            }
            boolean behindOneThatIs = fork == 1 || source.sequence(fork - 1) > 0;
            check(
                    fork <= gone && firstThere == gone && behindOneThatIs && said.accepted() == 0,
                    "is told that messages from " + fork + " on are gone, and " + gone + " is the first");
        }
    }

    private void levels(int written, int forced) {
        world.trace(name, "is told levels", written, forced);
        check(
                written >= lastWritten && forced >= lastForced,
                "is told written " + written + " and forced " + forced + " behind " + lastWritten + " and "
                        + lastForced);
        lastWritten = written;
        lastForced = forced;
        Source source = producer.source;
        lives.promise(Level.WRITTEN, source.sequence(written), name);
        lives.promise(Level.FORCED, source.sequence(forced), name);
    }

    private void ack(int number, int sequence) {
        world.trace(name, "ACK", number, sequence);
        check(levels ? number >= lastAck : number > lastAck, "is told ACK " + number + " behind " + lastAck);
        lastAck = number;
        if (connection.state() == SessionState.OPEN) {
            checkAck(number, sequence);
        } else {
            lateNumber = number;
            lateSequence = sequence;
        }
        int kept = !levels || producer.level == Level.STREAM
                ? number
                : producer.level == Level.WRITTEN ? lastWritten : lastForced;
        producer.acked = Math.max(producer.acked, kept);
    }

    @Override
    protected void checkToldAll() {
        // Of two connections of a name the later one may have taken what this one sent.
        check(
                !welcomed || hasTwin() || producer.contested || lastAck >= lastSent,
                "has sent messages up to " + lastSent + " before its fault, and the last ACK says " + lastAck);
    }

    private void checkAck(int number, int sequence) {
        int there = producer.source.sequence(number);
        if (producer.source.isGone(number)) {
            return;
        }
        check(
                there > 0 && (sequence == 0 || there == sequence),
                "is told that message " + number + " is in the stream as " + sequence
                        + (there == 0 ? ", and it is not there" : ", and it is there as " + there));
    }
}
