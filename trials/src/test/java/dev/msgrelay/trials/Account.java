package dev.msgrelay.trials;

import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.text.ShortText;
import dev.msgrelay.server.journal.disk.FileDisk;
import dev.msgrelay.server.journal.format.EpochTable;
import dev.msgrelay.server.journal.format.IndexRecord.Loss;
import dev.msgrelay.server.journal.read.JournalReader;
import dev.msgrelay.server.journal.recover.Recovery;
import dev.msgrelay.trials.Client.Role;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Holds what clients were told, by their notebooks, against what the journal's files have, or what a node of a cluster
 * gave to a reader of all of it. To be made when nobody writes them any more.
 *
 * <p>Of a publisher: every number up to the one that was acknowledged is there, each comes once, across all lives of
 * the relay, and within a life behind the one before; its bytes are those that were sent; it stands where the
 * acknowledgement said. In a cluster the acknowledgement may name the place of a later message of the publisher, which
 * an older connection has sent at another node.
 *
 * <p>Of a subscriber: each message that it had is the one that the journal has under this number, unless it was told
 * that it was rolled back; it had each number once, in order, from the first one to the last that was acknowledged, and
 * none was left out: not even with a word, since the journal keeps all of them. Of a viewer: {@link ViewAccount}.
 */
final class Account {
    /** Messages of one campaign at most: 8 bytes of memory for each. */
    private static final int MOST_MESSAGES = 1 << 24;

    /** Findings that are told in full. */
    private static final int MOST_FINDINGS = 20;

    private static final int CHUNK = 1 << 16;

    /** What is counted of the publishers and subscribers of a level. */
    enum Count {
        /** Messages, as publishers were told. */
        ACKNOWLEDGED("acknowledged"),
        /** Of them, those that are not in the journal. */
        LOST("lost"),
        /** Of the lost ones, those that the publisher was not told of. */
        UNTOLD("lost, not told"),
        /** Messages that stand there once more, in the same life or in a later one. */
        DOUBLED("doubled"),
        /** Messages that do not stand behind the one before, in the journal or at a subscriber. */
        DISORDERED("out of order"),
        /** Messages with other bytes than were sent, or that a subscriber had and the journal has not. */
        WRONG("wrong"),
        /** Messages that subscribers have had, those of all publishers. */
        HAD("had"),
        /** Messages that subscribers had, and were told that they are gone. */
        ROLLED_BACK("rolled back, told"),
        /** Messages that did not come, as subscribers were told. */
        GAPS("gaps, told"),
        /** Messages that newer ones have replaced, as viewers were told. */
        SUPERSEDED("superseded"),
        /** PINGs at which a viewer's state was compared with the stream. */
        STATES("states compared");

        private final String title;

        Count(String title) {
            this.title = title;
        }

        /** For people. */
        String title() {
            return title;
        }
    }

    /** What came of the publishers and subscribers of a level; each count is there. */
    record Row(Level level, Map<Count, Long> counts) {
        long get(Count count) {
            return counts.get(count);
        }
    }

    private final String where;
    private final Level survived;
    private final boolean exact;
    private final List<Client> clients;
    private final List<String> findings = new ArrayList<>();
    private final Map<Long, Published> published = new LinkedHashMap<>();
    private final Map<Level, Row> rows = new EnumMap<>(Level.class);

    /** Publisher and number of each message of the journal, by its sequence less 1. */
    private final List<long[]> stream = new ArrayList<>();

    // Of each life its epoch and the first message.
    private final List<long[]> lives = new ArrayList<>();
    private long last;
    private long epoch;

    /** The sequence of the last message of which publishers were told, the highest of all. */
    private long lastAcknowledged;

    /** What the journal has of a publisher. */
    private static final class Published {
        private final Client client;
        private final BitSet numbers = new BitSet();
        private final BitSet told = new BitSet();
        private long acknowledged;
        private long last;

        /** Of its last acknowledgement; 0: it told none. */
        private long lastSequence;

        Published(Client client) {
            this.client = client;
        }
    }

    /**
     * As {@link #of}; empty yet.
     *
     * @param where the stream is, for people
     * @param exact whether an acknowledgement names the place of its own message, and not of a later one
     */
    Account(String where, Level survived, boolean exact, List<Client> clients) {
        this.where = where;
        this.survived = survived;
        this.exact = exact;
        this.clients = clients;
        for (Client client : clients) {
            rows.computeIfAbsent(client.level(), level -> new Row(level, new EnumMap<>(Count.class)));
            if (client.role() == Role.PUBLISHER) {
                published.put(client.id(), new Published(client));
            }
        }
        for (Row row : rows.values()) {
            Arrays.stream(Count.values()).forEach(count -> row.counts.put(count, 0L));
        }
    }

    /**
     * Makes it.
     *
     * @param directory the journal
     * @param survived the least level that survives what was done: of those below it messages may be lost
     */
    static Account of(Path directory, Level survived, List<Client> clients) throws IOException {
        Account account = new Account("the journal", survived, true, clients);
        account.read(directory);
        account.settle();
        return account;
    }

    /**
     * Makes it of a node of a cluster, where nothing of any level may be lost.
     *
     * @param where the node, for people
     * @param reader the notebook of a subscriber that has read all of its stream
     */
    static Account ofNode(String where, Path reader, List<Client> clients) throws IOException {
        Account account = new Account(where, Level.STREAM, false, clients);
        refuseMoreThan(Notebook.count(reader));
        Notebook.read(reader, account::read);
        account.settle();
        return account;
    }

    /** Where the stream is, for people. */
    String where() {
        return where;
    }

    /** The first message that another account has otherwise, or not at all; 0: none. */
    long differsFrom(Account other) {
        for (long sequence = 1; sequence <= Math.max(last, other.last); sequence++) {
            if (at(sequence) != other.at(sequence)) {
                return sequence;
            }
        }
        return 0;
    }

    /** What is wrong, a line each; empty: nothing. */
    List<String> findings() {
        return findings;
    }

    /** A row for each level. */
    List<Row> rows() {
        return List.copyOf(rows.values());
    }

    // ---- the journal -------------------------------------------------------------------------------------------

    private void read(Path directory) throws IOException {
        FileDisk disk = new FileDisk(directory);
        Recovery found = Recovery.inspect(disk, Recovery.Depth.ALL);
        found.damage().forEach(loss -> find("the journal is damaged: " + loss.description()));
        if (!found.sound() && found.damage().isEmpty()) {
            find("the journal is not sound: see relay-server journal check");
        }
        if (found.startSequence() > 1) {
            find("the journal begins with message " + found.startSequence() + ": more was published than it keeps");
        }
        List<EpochTable.Epoch> epochs = found.epochs().epochs();
        JournalReader.read(disk, found, 1, new JournalReader.Sink() {
            private int life;

            @Override
            public boolean message(long sequence, int type, ByteBuffer body) throws IOException {
                for (; life < epochs.size() && epochs.get(life).sequence() <= sequence; life++) {
                    life(epochs.get(life).epoch());
                }
                place(sequence, type, body);
                return true;
            }

            @Override
            public void lost(Loss loss) {
                find("the journal has a hole: " + loss.description());
            }
        });
        if (!epochs.isEmpty()) {
            life(epochs.get(epochs.size() - 1).epoch());
        }
    }

    /** What the reader of a node has noted. */
    private void read(Notebook.Kind kind, long a, long b, long c) {
        switch (kind) {
            case MESSAGE -> {
                stands(a);
                place(a, b, c);
            }
            case WRONG -> {
                stands(a);
                foreign("message " + a + " of " + where + " is none that was sent");
            }
            case GAP -> {
                stands(a);
                last = Math.max(last, b);
                find(where + " does not give its messages " + a + " to " + b);
            }
            case EPOCH -> life(c);
            default -> find(where + " has another stream from message " + a + " on");
        }
    }

    /** A life of the relay begins. */
    void life(long newEpoch) {
        epoch = newEpoch;
        lives.add(new long[] {newEpoch, last + 1});
        published.values().forEach(one -> one.last = 0);
    }

    /** The last message of a life that no later one has replaced; 0: nothing is known of such a life. */
    long lastOf(long life) {
        long found = 0;
        for (long[] one : lives) {
            if (one[0] == life) {
                found = Long.MAX_VALUE;
            } else {
                found = Math.min(found, one[1] - 1);
            }
        }
        return found;
    }

    /** The next message of the journal. */
    void place(long sequence, int type, ByteBuffer body) throws IOException {
        refuseMoreThan(sequence);
        stands(sequence);
        if (NumberedBody.is(type, body)) {
            place(sequence, NumberedBody.publisher(body), NumberedBody.number(body));
        } else {
            foreign("message " + sequence + " of " + where + ", type " + type + ", " + body.remaining()
                    + " bytes, is none that was sent");
        }
    }

    private static void refuseMoreThan(long messages) throws IOException {
        if (messages > MOST_MESSAGES) {
            throw new IOException("more than " + MOST_MESSAGES + " messages: ask for fewer incidents, or a lower rate");
        }
    }

    private void stands(long sequence) {
        if (sequence != last + 1) {
            find("message " + sequence + " stands where " + (last + 1) + " was to come, in " + where);
        }
        last = Math.max(last, sequence);
    }

    /** Nobody can say whose it was: it counts for what must not fail. */
    private void foreign(String text) {
        find(text);
        add(published.values().iterator().next().client.level(), Count.WRONG, 1);
    }

    private void place(long sequence, long publisher, long number) {
        Published one = published.get(publisher);
        if (one == null) {
            foreign("message " + sequence + " of " + where + ", of publisher " + publisher + ", is none that was sent");
            return;
        }
        while (sequence > (long) stream.size() * CHUNK) {
            stream.add(new long[CHUNK]);
        }
        int at = (int) (sequence - 1);
        stream.get(at / CHUNK)[at % CHUNK] = NumberedBody.packed(publisher, number);
        if (one.numbers.get((int) number)) {
            add(one.client.level(), Count.DOUBLED, 1);
            find(one.client.name() + ": message " + number + " stands there once more, at " + sequence);
        } else if (one.last > 0 && number != one.last + 1) {
            add(one.client.level(), Count.DISORDERED, 1);
            find(one.client.name() + ": message " + number + " stands behind " + one.last + ", at " + sequence);
        }
        one.last = number;
        one.numbers.set((int) number);
    }

    /** Whether the journal has this message under this number. */
    private boolean has(long sequence, long publisher, long number) {
        return at(sequence) == NumberedBody.packed(publisher, number);
    }

    /** Whether an acknowledgement of this message may name this place. */
    private boolean mayName(long sequence, long publisher, long number) {
        long there = at(sequence);
        long its = NumberedBody.packed(publisher, number);
        return exact ? there == its : there >= its && there < NumberedBody.packed(publisher + 1, 0);
    }

    /** Publisher and number of a message, as {@link NumberedBody#packed}; 0: there is none. */
    long at(long sequence) {
        int chunk = (int) ((sequence - 1) / CHUNK);
        return chunk < stream.size() ? stream.get(chunk)[(int) ((sequence - 1) % CHUNK)] : 0;
    }

    // ---- what clients were told --------------------------------------------------------------------------------

    /** The journal is read: now the notebooks. */
    void settle() throws IOException {
        for (Published one : published.values()) {
            publisher(one);
        }
        for (Client client : clients) {
            switch (client.role()) {
                case PUBLISHER -> {}
                case SUBSCRIBER -> subscriber(client);
                case VIEWER, SCREEN -> {
                    ViewAccount view = new ViewAccount(this, client);
                    Notebook.read(client.notebook(), view);
                    view.settle(epoch, lastAcknowledged);
                }
            }
        }
    }

    private void publisher(Published one) throws IOException {
        Client client = one.client;
        Notebook.read(client.notebook(), (kind, a, b, c) -> {
            switch (kind) {
                case ACKNOWLEDGED -> one.acknowledged = Math.max(one.acknowledged, a);
                case GONE -> one.told.set((int) a, (int) Math.max(a, b + 1));
                // The whole of its former stream.
                case CHANGED -> {
                    find(client.name() + ": was told that the stream is another one");
                    one.told.set(0, (int) one.acknowledged + 1);
                }
                default -> {}
            }
        });
        acknowledgedAt(one);
        int end = (int) one.acknowledged + 1;
        BitSet lost = new BitSet();
        lost.set(1, Math.max(1, end));
        lost.andNot(one.numbers);
        int first = lost.nextSetBit(0);
        long count = lost.cardinality();
        lost.andNot(one.told);
        add(client.level(), Count.ACKNOWLEDGED, one.acknowledged);
        add(client.level(), Count.LOST, count);
        add(client.level(), Count.UNTOLD, lost.cardinality());
        if (one.acknowledged == 0) {
            find(client.name() + ": nothing was acknowledged");
        }
        if (count > 0 && survives(client)) {
            find(client.name() + ": " + count + " of " + one.acknowledged + " acknowledged messages are not in " + where
                    + ", the first one is " + first);
        }
        if (!one.told.isEmpty() && survives(client)) {
            find(client.name() + ": was told that " + ShortText.counted(one.told.cardinality(), "message")
                    + " may be gone, which are acknowledged at level "
                    + client.level().flag());
        }
        if (!lost.isEmpty()) {
            find(client.name() + ": it was not told that " + ShortText.counted(lost.cardinality(), "message")
                    + " of those that were acknowledged are gone, the first one is " + lost.nextSetBit(0));
        }
    }

    /**
     * Each acknowledgement that tells a sequence means the message that stands there, or in a cluster one before it,
     * unless that is told to be gone.
     */
    private void acknowledgedAt(Published one) throws IOException {
        Client client = one.client;
        Notebook.read(client.notebook(), (kind, a, b, c) -> {
            if (kind == Notebook.Kind.ACKNOWLEDGED) {
                one.lastSequence = one.told.get((int) a) ? 0 : c;
                if (one.lastSequence > 0 && one.numbers.get((int) a) && !mayName(c, client.id(), a)) {
                    add(client.level(), Count.WRONG, 1);
                    find(client.name() + ": message " + a + " was acknowledged as " + c + ", where another one stands");
                }
            }
        });
        lastAcknowledged = Math.max(lastAcknowledged, one.lastSequence);
    }

    private void subscriber(Client client) throws IOException {
        Had had = new Had(client);
        Notebook.read(client.notebook(), had);
        int wrong = had.wrong.cardinality();
        add(client.level(), Count.HAD, had.all.cardinality());
        if (had.epoch != epoch) {
            find(client.name() + ": has not come back to the relay's last life");
        }
        if (wrong > 0) {
            add(client.level(), Count.WRONG, wrong);
            find(client.name() + ": had " + ShortText.counted(wrong, "message")
                    + " that " + where + " has not under their numbers, the first one is "
                    + had.wrong.nextSetBit(0));
        }
        if (had.next <= 1) {
            find(client.name() + ": had nothing");
        } else if (had.next <= lastAcknowledged) {
            find(client.name() + ": message " + had.next
                    + " has not come, nor what follows; the last acknowledged one is " + lastAcknowledged);
        }
        if (had.missed <= last) {
            find(client.name() + ": was told that message " + had.missed + " does not come, which " + where + " has");
        }
    }

    /** What a subscriber has had, by sequence. */
    private final class Had implements Notebook.Reader {
        private final Client client;
        private final BitSet all = new BitSet();
        // Of them, those that the journal has not.
        private final BitSet wrong = new BitSet();
        private long next = 1;
        // The first message of a GAP that was not taken back.
        private long missed = Long.MAX_VALUE;
        private long epoch;

        Had(Client client) {
            this.client = client;
        }

        @Override
        public void entry(Notebook.Kind kind, long a, long b, long c) {
            switch (kind) {
                case MESSAGE -> {
                    expect(a);
                    all.set((int) a);
                    wrong.set((int) a, !has(a, b, c));
                    next = a + 1;
                }
                case WRONG -> {
                    add(client.level(), Count.WRONG, 1);
                    find(client.name() + ": message " + a + " came with bytes that nobody sent");
                    next = a + 1;
                }
                case GAP -> {
                    expect(a);
                    add(client.level(), Count.GAPS, b - a + 1);
                    missed = Math.min(missed, a);
                    next = b + 1;
                }
                case ROLLED_BACK -> rollBack(a, c);
                case CHANGED -> {
                    find(client.name() + ": was told at message " + next + " that the stream is another one");
                    rollBack(a, c);
                }
                default -> epoch = c;
            }
        }

        private void expect(long sequence) {
            if (sequence != next) {
                add(client.level(), Count.DISORDERED, 1);
                find(client.name() + ": message " + sequence + " came where " + next + " was to come");
            }
        }

        private void rollBack(long fork, long newEpoch) {
            int gone = all.cardinality();
            all.clear((int) fork, Math.max((int) fork, all.length()));
            wrong.clear((int) fork, Math.max((int) fork, wrong.length()));
            gone -= all.cardinality();
            add(client.level(), Count.ROLLED_BACK, gone);
            if (gone > 0 && survives(client)) {
                find(client.name() + ": " + gone + (gone == 1 ? " message from " : " messages from ") + fork
                        + (gone == 1 ? " on was" : " on were") + " taken back, which it has at level "
                        + client.level().flag());
            }
            missed = missed < fork ? missed : Long.MAX_VALUE;
            // What it has not had yet is not taken back: it is still to come.
            next = Math.min(next, fork);
            epoch = newEpoch;
        }
    }

    // ---- findings ----------------------------------------------------------------------------------------------

    private boolean survives(Client client) {
        return client.level().compareTo(survived) >= 0;
    }

    void add(Level level, Count count, long n) {
        rows.get(level).counts.merge(count, n, Long::sum);
    }

    void find(String what) {
        if (findings.size() < MOST_FINDINGS) {
            findings.add(what);
        } else if (findings.size() == MOST_FINDINGS) {
            findings.add("and more");
        }
    }
}
