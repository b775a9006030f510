package dev.msgrelay.server.producers;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.connection.Durability;
import dev.msgrelay.server.connection.Services;
import dev.msgrelay.server.connection.Session;
import dev.msgrelay.server.connection.SessionState;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.stream.Orderer;
import dev.msgrelay.server.stream.PacketLog;
import dev.msgrelay.server.stream.RunScan;
import java.util.Optional;

/**
 * The producer of one connection: its name, its WELCOME, the numbers of its messages, and their acknowledgements.
 *
 * <pre>
 *   NONE --HELLO--> CLAIMING --the cluster gives the name--> SETTLING --earlier messages are settled--> WELCOMED
 *     '---------------the table gives the name---------------^   '-----another connection has the name---'--> LOST
 *
 *   messages are in the stream ---------------------> ACK
 *   wantsMore --> journal: written, forced ---------> ACK's levels
 * </pre>
 *
 * A HELLO without acknowledgements gets no name, and passes through the same stages. Owned by the core's thread; any
 * thread may call {@link #unsettled}.
 */
public final class Producer implements PublisherName.Holder, Orderer.Claimant {
    private enum Stage {
        /** No HELLO has come, or the relay drains and waits for no name. */
        NONE,
        /** HELLO asks for a name that the cluster has not given yet. */
        CLAIMING,
        /** WELCOME waits until messages accepted earlier have reached the level that the client waits for. */
        SETTLING,
        WELCOMED,
        /** Another connection of the same producer has the name. A task will end this connection. */
        LOST
    }

    private static final Runnable NOTHING = () -> {};

    private final Session session;
    private final Services services;
    private final PacketLog log;
    private final NameTable names;
    private final Runnable goOn;
    private Stage stage = Stage.NONE;
    private PublisherName name = PublisherName.NONE;
    // How many of the next messages are in the stream already.
    private long duplicates;
    private long acceptedBefore;
    private long fork = Durability.TODAY;
    private Levels levels = Levels.NONE;
    private volatile boolean unsettled;
    private HelloFrame hello;
    // Null before HELLO.
    private Replies replies;
    // Runs after all messages of an ended connection are in the order; tells the client why it ended.
    private Runnable lastWords = NOTHING;
    // Whether the table of names reports the journal's progress.
    private boolean watchesJournal;

    /** @param goOn run after a claimed name has come, and WELCOME is sent or due */
    public Producer(Session session, Services services, PacketLog log, NameTable names, Runnable goOn) {
        this.session = session;
        this.services = services;
        this.log = log;
        this.names = names;
        this.goOn = goOn;
    }

    public PublisherName name() {
        return name;
    }

    /** Returns whether HELLO asks for a name that the cluster has not given yet. */
    public boolean claims() {
        return stage == Stage.CLAIMING;
    }

    /** Returns whether another connection has the name, so that nothing more may be handed in under it. */
    public boolean hasLostItsName() {
        return stage == Stage.LOST;
    }

    /** Processes HELLO. In a cluster the caller continues with {@link #claim} if {@link #claims}. */
    public void greeted(HelloFrame said) throws FrameException {
        hello = said;
        replies = new Replies(session.channel(), services.budget().pool(Part.CONNECTIONS));
        if (said.wants(Features.ACKS) && names.givenElsewhere()) {
            stage = Stage.CLAIMING;
            return;
        }
        if (said.wants(Features.ACKS)) {
            String owner = session.rights().name();
            long now = services.clock().nanoTime();
            adopt(names.connect(said.name(), said.producer(), owner, this, now));
        }
        startSettling();
    }

    /** Asks the cluster for the name; returns false if there is no room for the question now. */
    public boolean claim() {
        return names.claim(hello.name(), hello.producer(), session.rights().name(), this);
    }

    /** Called because the relay drains. A name that the cluster assigns from now on is given back. */
    public void stopClaiming() {
        if (stage == Stage.CLAIMING) {
            stage = Stage.NONE;
        }
    }

    @Override
    public void claimed(CloseReason refusal, String text, long accepted, long sequence) {
        session.walled(() -> {
            try {
                goOnWithName(refusal, text, accepted, sequence);
            } catch (FrameException e) {
                session.close(e);
            }
        });
    }

    private void goOnWithName(CloseReason refusal, String text, long accepted, long sequence) throws FrameException {
        if (stage != Stage.CLAIMING || session.state() != SessionState.GREETED) {
            // The answer came too late: the connection has ended, or the relay drains.
            if (refusal == null) {
                // The cluster now refuses messages of an older connection here that has the name. So that connection
                // loses the name.
                names.takenElsewhere(hello.name());
                names.giveUp(hello.name(), hello.producer());
            }
            return;
        }
        if (refusal != null) {
            throw new FrameException(refusal, text);
        }
        adopt(names.claimed(hello.name(), hello.producer(), session.rights().name(), this, accepted, sequence));
        startSettling();
        goOn.run();
    }

    private void adopt(PublisherName given) {
        name = given;
        if (hello.producer().equals(ProducerId.NONE) && given.warn()) {
            String line = session.who() + " sends no producer id: whoever says the same name is taken for it";
            services.closes().warn(CloseReason.NAME_TAKEN, services.clock().nanoTime(), line);
        }
    }

    private void startSettling() throws FrameException {
        stage = Stage.SETTLING;
        decideNumbers();
        watchJournal();
        welcomeIfSettled();
    }

    private void welcomeIfSettled() {
        if (settled()) {
            stage = Stage.WELCOMED;
            long next = log.lastSequence() + 1;
            session.welcome(hello, Policy.RELAY_DEFAULT, Features.ACKS, 0, next, acceptedBefore, fork);
            // Acknowledges messages that have come since HELLO.
            putAck();
            speak();
        }
    }

    /**
     * Called while a newer connection of this producer is read, so nothing may be written. A task ends this connection.
     */
    @Override
    public void nameTaken() {
        if (session.state() == SessionState.OPEN) {
            putAck();
        }
        String lost = name.name();
        name = PublisherName.NONE;
        stage = Stage.LOST;
        // This connection is no longer notified when its messages are in the order, so it does not wait for the order.
        session.execute(this::sayWaiting);
        session.execute(() -> session.close(CloseReason.NAME_TAKEN, "another connection has said HELLO as " + lost));
    }

    private void decideNumbers() throws FrameException {
        long known = services.durability().forkOf(hello);
        if (!isNumbered()) {
            fork = known == Durability.UNKNOWN ? known : Durability.TODAY;
            return;
        }
        decideNext(known);
        session.dialogue().ackedUpTo(Math.max(acceptedBefore, hello.number() - 1), name.sequence());
        Optional<Level> level = session.dialogue().level();
        if (level.isPresent()) {
            levels = new Levels(services.durability(), level.get(), name.sequence(), name.accepted());
            session.dialogue().tellLevels(levels.written(), levels.forced());
        }
    }

    private void decideNext(long life) throws FrameException {
        long known = name.accepted();
        long number = hello.number();
        boolean earlierLife = life != Durability.TODAY && life != Durability.UNKNOWN;
        boolean missing = number - 1 > known;
        boolean told = missing && life == Durability.TODAY && name.mayGoOnAt(number);
        if (!missing) {
            duplicates = number == 0 ? 0 : known - (number - 1);
            name.goOn();
        } else if (known > 0 && life == Durability.TODAY && !told) {
            throw new FrameException(
                    CloseReason.MESSAGE_GAP,
                    "HELLO: number " + number + " is above accepted + 1 = " + (known + 1) + " of " + name.name());
        } else if (!told) {
            // The missing messages were acknowledged by another relay, or by this relay before a restart that lost
            // them.
            name.goOnAt(number, life == Durability.TODAY ? 0 : known + 1);
        }
        long untold = 0;
        if (missing && earlierLife) {
            untold = known + 1;
        } else if (earlierLife) {
            // An earlier WELCOME had this news, but did not arrive. Later messages are acknowledged after this WELCOME.
            untold = name.untold(number, life);
        }
        acceptedBefore = untold > 0 ? 0 : told && known > 0 ? number - 1 : known;
        fork = untold > 0 ? untold : earlierLife ? Durability.TODAY : life;
    }

    private boolean settled() {
        return !name.changed && levels.settled(known()) >= known();
    }

    /** Returns the last number up to {@code acceptedBefore} that is in the stream. Later messages may be lost. */
    private long known() {
        return Math.min(acceptedBefore, name.accepted());
    }

    /** Returns whether messages have numbers, because the connection has a name. */
    public boolean isNumbered() {
        return name != PublisherName.NONE;
    }

    public void checkNumbers(int messages) throws FrameException {
        if (!name.hasNumbersFor(messages)) {
            throw new FrameException(
                    CloseReason.MESSAGE_GAP, "the numbers of " + name.name() + " are used up: they end at 2^63 - 1");
        }
    }

    /** Returns whether the next messages are in the stream already. */
    public boolean sendsAgain() {
        return duplicates > 0;
    }

    /** Drops frames at the front that are in the stream already; returns their bytes. */
    public int drop(RunScan span) {
        int count = (int) Math.min(duplicates, span.frames());
        duplicates -= count;
        services.counters().add(Counter.DUPLICATES, count);
        return count == span.frames() ? span.wholeBytes() : span.lengthOf(count);
    }

    @Override
    public void acknowledge() {
        session.walled(this, Producer::tellInStream);
    }

    private void tellInStream() {
        levels.addInStream(name.sequence(), name.accepted());
        watchJournal();
        if (session.state() == SessionState.OPEN) {
            putAck();
            speak();
        } else if (stage == Stage.SETTLING) {
            welcomeIfSettled();
        }
        if (session.state().ended() && !name.isUnderWay()) {
            ended(SessionState.OPEN);
            sayWaiting();
        }
    }

    private void watchJournal() {
        if (wantsMore() && !watchesJournal) {
            watchesJournal = true;
            names.waits(this);
        }
    }

    @Override
    public boolean journalMoved() {
        watchesJournal = false;
        if (session.state().speaks()) {
            session.walled(this, Producer::tellDurable);
        }
        return watchesJournal;
    }

    private void tellDurable() {
        if (lookAtLevels()) {
            if (stage == Stage.SETTLING) {
                welcomeIfSettled();
            }
            speak();
        }
        watchesJournal = levels.waits();
    }

    private void putAck() {
        if (isNumbered()) {
            session.dialogue().ack(name.accepted(), name.sequence());
        }
    }

    /** Asks the journal for the client's level; returns whether a message is not yet both written and forced. */
    private boolean wantsMore() {
        unsettled = levels.publisherWaits();
        if (levels.waits()) {
            levels.want(log.head().position());
            return true;
        }
        return false;
    }

    /** Puts the levels into the next ACK; returns whether the journal has moved. */
    private boolean lookAtLevels() {
        if (!levels.look()) {
            return false;
        }
        unsettled = levels.publisherWaits();
        session.dialogue().levels(levels.written(), levels.forced());
        return true;
    }

    /** Returns whether a message has not yet reached the level that the client waits for. Any thread. */
    public boolean unsettled() {
        return unsettled;
    }

    /** Sends the frames that are due, unless a write is in flight. */
    public void speak() {
        // A connection that has lost its name acknowledges at its end, when subscribers see all its messages.
        if (session.state().speaks() && stage != Stage.LOST) {
            replies.send(session.dialogue(), log.lastSequence());
        }
    }

    /** Prepares the last acknowledgement of a connection that has ended. */
    public void ended(SessionState before) {
        if (before == SessionState.OPEN) {
            putAck();
            lookAtLevels();
        }
    }

    /**
     * Runs {@code words} once the messages are in the order, and keeps the name until then. If no message waits,
     * returns false and runs nothing.
     */
    public boolean waitForOrder(Runnable words) {
        boolean waits = name.isUnderWay();
        lastWords = waits ? words : NOTHING;
        return waits;
    }

    private void sayWaiting() {
        Runnable words = lastWords;
        lastWords = NOTHING;
        words.run();
    }

    /** Sends frames that are due, if the client said HELLO. The caller then sends why the connection ends. */
    public void sayLast() {
        if (replies != null && session.channel().isActive()) {
            replies.sendLast(session.dialogue(), log.lastSequence());
        }
    }

    /** Gives the name back and, if the channel is closed, the memory. May be called more than once. */
    public void release() {
        lastWords = NOTHING;
        PublisherName had = name;
        name = PublisherName.NONE;
        names.disconnect(had, this, services.clock().nanoTime());
        if (replies != null && session.state() == SessionState.GONE) {
            replies.release();
            replies = null;
        }
    }
}
