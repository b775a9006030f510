package dev.msgrelay.server.ingest;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.core.Orderer;
import dev.msgrelay.server.log.PacketLog;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.session.Outbox;
import dev.msgrelay.server.session.Services;
import dev.msgrelay.server.session.Session;
import dev.msgrelay.server.session.SessionState;

/**
 * A publisher that has said HELLO: how it gets its name, when it is welcomed, and what it is told of its messages.
 *
 * <pre>
 *   NONE --HELLO--> CLAIMING --others give the name--> SETTLING --as far as it waits for--> WELCOMED
 *     '---------------the table gives the name---------^   '-----another connection has the name-'--> LOST
 * </pre>
 *
 * A HELLO without acknowledgements has no name, and goes the same way. Owned by the connection's thread, which is the core's.
 */
final class NamedProducer implements PublisherName.Holder, Orderer.Claimant {
    private enum Stage {
        /** No HELLO has come, or the relay drains and waits for no name. */
        NONE,
        /** Others have to give the name. */
        CLAIMING,
        /** WELCOME waits until what was accepted before has got as far as the client waits for. */
        SETTLING,
        WELCOMED,
        /** Another connection of the same producer has the name: a task that ends this one is under way. */
        LOST
    }

    private final Session session;
    private final Services services;
    private final PacketLog log;
    private final NameTable names;
    // The giver of names where several relays are one; null: the table gives them.
    private final Orderer orderer;
    private final Runnable goOn;
    private final ProducerState numbers;
    private final Runnable acknowledging = this::tellTaken;
    private final Runnable looking = this::tellDurable;
    private Stage stage = Stage.NONE;
    private HelloFrame hello;
    // Null before HELLO.
    private Replies replies;
    // The connection has ended, and is told why once all its messages are in the order; null: nothing waits for that.
    private Runnable lastWords;
    // Whether the table of names tells of the journal.
    private boolean watchesJournal;

    /** @param goOn run once a name that was claimed has come, and WELCOME is said or due */
    NamedProducer(Session session, Services services, PacketLog log, NameTable names, Orderer orderer, Runnable goOn) {
        this.session = session;
        this.services = services;
        this.log = log;
        this.names = names;
        this.orderer = orderer;
        this.goOn = goOn;
        this.numbers = new ProducerState(services.durability(), services.counters());
    }

    ProducerState numbers() {
        return numbers;
    }

    /** Whether HELLO asks for a name that others have not given yet. */
    boolean claims() {
        return stage == Stage.CLAIMING;
    }

    /** Whether another connection has the name, so that nothing more may be handed in under it. */
    boolean hasLostItsName() {
        return stage == Stage.LOST;
    }

    // ---- HELLO -------------------------------------------------------------------------------------------------

    /** HELLO has come. Where others give names, {@link #claim} is next. */
    void greeted(HelloFrame said) throws FrameException {
        hello = said;
        replies = new Replies(session.channel(), services.budget().pool(Part.CONNECTIONS));
        if (said.wants(Features.ACKS) && orderer != null) {
            stage = Stage.CLAIMING;
            return;
        }
        if (said.wants(Features.ACKS)) {
            String owner = session.standing().name();
            long now = services.clock().nanoTime();
            NameTable.Answer given = names.connect(said.name(), said.producer(), owner, this, now);
            if (given.refusal() != null) {
                throw new FrameException(given.refusal(), given.text());
            }
            adopt(given.name());
        }
        begin();
    }

    /** Asks others for the name. Returns false where they have no room for the question now. */
    boolean claim() {
        return orderer.claim(hello.name(), hello.producer(), session.standing().name(), this);
    }

    /** The relay drains: a name that comes from now on is given back. */
    void stopClaiming() {
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
            // The connection has ended meanwhile, or the relay drains.
            if (refusal == null) {
                // The others take nothing from an older connection here any more: it loses the name as well.
                names.takenElsewhere(hello.name());
                orderer.leave(hello.name(), hello.producer());
            }
            return;
        }
        if (refusal != null) {
            throw new FrameException(refusal, text);
        }
        PublisherName name =
                names.claimed(hello.name(), hello.producer(), session.standing().name(), this, accepted, sequence);
        if (name == null) {
            orderer.leave(hello.name(), hello.producer());
            throw new FrameException(CloseReason.TOO_MANY_NAMES, "HELLO: too many names have connections here");
        }
        adopt(name);
        begin();
        goOn.run();
    }

    private void adopt(PublisherName name) {
        if (numbers.take(name, hello.producer())) {
            String line = session.who() + " sends no producer id: whoever says the same name is taken for it";
            services.closes().warn(CloseReason.NAME_TAKEN, services.clock().nanoTime(), line);
        }
    }

    private void begin() throws FrameException {
        stage = Stage.SETTLING;
        numbers.begin(hello, session.dialogue().level(), outbox());
        watchJournal();
        letIn();
    }

    /** Welcomes the client, once what was accepted of it has got as far as it waits for. */
    private void letIn() {
        if (numbers.settled()) {
            stage = Stage.WELCOMED;
            long next = log.lastSequence() + 1;
            session.welcome(hello, Policy.RELAY_DEFAULT, Features.ACKS, next, numbers.acceptedBefore(), numbers.fork());
            // Messages that have come since HELLO.
            numbers.acknowledge(outbox());
            speak();
        }
    }

    /** Within the read of a newer connection of the same producer, so nothing is written: a task ends this one. */
    @Override
    public void nameTaken() {
        if (session.state() == SessionState.OPEN) {
            numbers.acknowledge(outbox());
        }
        String name = numbers.leave().name();
        stage = Stage.LOST;
        if (lastWords != null) {
            // Nobody tells this connection any more what becomes of its messages.
            session.execute(this::sayWaiting);
        }
        session.execute(() -> session.close(CloseReason.NAME_TAKEN, "another connection has said HELLO as " + name));
    }

    // ---- what the client is told ---------------------------------------------------------------------------------

    private Outbox outbox() {
        return session.dialogue().outbox();
    }

    @Override
    public void acknowledge() {
        session.walled(acknowledging);
    }

    private void tellTaken() {
        numbers.taken();
        watchJournal();
        if (session.state() == SessionState.OPEN) {
            numbers.acknowledge(outbox());
            speak();
        } else if (stage == Stage.SETTLING) {
            letIn();
        }
        if (lastWords != null && !numbers.isUnderWay()) {
            ended(SessionState.OPEN);
            sayWaiting();
        }
    }

    private void watchJournal() {
        if (numbers.want(log.head().position()) && !watchesJournal) {
            watchesJournal = true;
            names.waits(this);
        }
    }

    @Override
    public boolean journalMoved() {
        watchesJournal = false;
        if (session.state().speaks()) {
            session.walled(looking);
        }
        return watchesJournal;
    }

    private void tellDurable() {
        if (numbers.look(outbox())) {
            if (stage == Stage.SETTLING) {
                letIn();
            }
            speak();
        }
        watchesJournal = numbers.waits();
    }

    /** Sends what is due unless a write is in flight. */
    void speak() {
        // Readers may not see all of a lost name's messages yet: the last words acknowledge them.
        if (session.state().speaks() && replies != null && stage != Stage.LOST) {
            replies.send(outbox(), log.lastSequence());
        }
    }

    // ---- the end -------------------------------------------------------------------------------------------------

    /** The connection has ended: what it has sent before is to be acknowledged. */
    void ended(SessionState before) {
        if (before == SessionState.OPEN) {
            numbers.acknowledge(outbox());
            numbers.look(outbox());
        }
    }

    /**
     * The connection has ended: has something said once messages that wait for their place in the order have it, and so for as
     * long keeps the name. Returns whether any wait.
     */
    boolean waitForOrder(Runnable words) {
        boolean waits = numbers.isUnderWay();
        lastWords = waits ? words : null;
        return waits;
    }

    private void sayWaiting() {
        Runnable words = lastWords;
        lastWords = null;
        if (words != null) {
            words.run();
        }
    }

    /** Sends what is due to a client that has said HELLO, before the reason of the end. */
    void sayLast() {
        if (replies != null && session.channel().isActive()) {
            replies.sendLast(outbox(), log.lastSequence());
        }
    }

    /** Gives the name back, and memory once the channel is closed. More than once without harm. */
    void release() {
        lastWords = null;
        PublisherName name = numbers.leave();
        if (name != null) {
            names.disconnect(name, this, services.clock().nanoTime());
        }
        if (replies != null && session.state() == SessionState.GONE) {
            replies.release();
            replies = null;
        }
    }
}
