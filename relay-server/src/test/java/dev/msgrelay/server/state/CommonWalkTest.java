package dev.msgrelay.server.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Readers of one interval, which share batches: at each head that one is told of, it has the stream up to there. */
class CommonWalkTest {
    private static final int MOST_READERS = 12;
    private static final int RUNS = 60;
    private static final int STEPS = 3000;
    private static final int MOST_ROUNDS = 2000;
    // Short batches for many readers, each of which walks alone, take tens of thousands.
    private static final int MOST_ROUNDS_FOR_ALL = 1_000_000;
    private static final long INTERVAL = 100;

    private final ArrayDeque<Runnable> core = new ArrayDeque<>();
    private final List<Client> clients = new ArrayList<>();
    private Random random;
    private StateRig rig;
    private StateDesk desk;
    private int batchBytes;
    private MemoryBudget.Pool pool;
    private UnpooledByteBufAllocator allocator;
    private boolean coreEnded;
    private long now;
    // The stream's last number when the present tick began.
    private long headOfTick;

    // How often a reader had a part of a batch already.
    private int parts;

    private enum Step {
        IDLE,
        ASKED,
        ANSWERED
    }

    private final class Client {
        final StateRig.Reader reader;
        final boolean slow;
        Step step = Step.IDLE;
        boolean loopEnded;
        // The least place where it may be told that it has all of the stream.
        long least;
        boolean begins = true;

        Client(long first, TypeRanges types, boolean slow) {
            reader = rig.new Reader(first, types, 0, this::answered);
            reader.walk.every(INTERVAL);
            this.slow = slow;
        }

        private void answered() {
            if (loopEnded) {
                throw new RejectedExecutionException("its loop has ended");
            }
            step = Step.ANSWERED;
        }

        void ask() {
            if (begins) {
                least = headOfTick;
                begins = false;
            }
            step = Step.ASKED;
            desk.ask(reader.walk);
        }

        /** Writes the batch. */
        void take() {
            parts += reader.walk.lead().isReadable() ? 1 : 0;
            reader.takeBatch();
            if (reader.walk.hasArrived()) {
                assertThat(reader.next).as("behind the head of the tick").isGreaterThan(least);
                begins = true;
            }
            desk.giveBack(reader.walk);
            step = Step.IDLE;
        }

        boolean isBehind() {
            return reader.next <= rig.head();
        }
    }

    private void begin(int size, int batchBytes, int mostBatches) {
        rig = new StateRig(size, TypeRanges.ALL, 0, 2 * MOST_READERS);
        pool = new MemoryBudget(Map.of(Part.STATE_BATCHES, StateDesk.bufferBytes(StateRig.MOST_RUN)))
                .pool(Part.STATE_BATCHES);
        allocator = new UnpooledByteBufAllocator(true);
        coreEnded = false;
        desk = new StateDesk(rig.index, this::onCore, allocator, pool, () -> now, batchBytes, mostBatches);
        this.batchBytes = batchBytes;
        now = 0;
        headOfTick = 0;
    }

    private void onCore(Runnable task) {
        if (coreEnded) {
            throw new RejectedExecutionException("the core has ended");
        }
        core.add(task);
    }

    private void end() {
        end(false);
    }

    /** @param early whether the core ends before its clients, which then give back what they have */
    private void end(boolean early) {
        runTasks();
        coreEnded = early;
        clients.forEach(this::leave);
        clients.clear();
        if (!early) {
            settle();
            assertThat(rig.index.walks()).isZero();
        }
        desk.close();
        assertThat(pool.used()).isZero();
        assertThat(allocator.metric().usedDirectMemory()).isZero();
        rig.close();
    }

    /** Fills all that was asked for, also batches that nobody waits for any more. */
    private void settle() {
        do {
            runTasks();
        } while (desk.serve() || !core.isEmpty());
    }

    private void leave(Client client) {
        if (client.step == Step.ANSWERED) {
            desk.giveBack(client.reader.walk);
        }
        boolean asked = client.step == Step.ASKED;
        desk.end(client.reader.walk);
        runTasks();
        if (asked && client.step == Step.ANSWERED) {
            desk.giveBack(client.reader.walk);
        }
    }

    private void runTasks() {
        while (!core.isEmpty()) {
            core.poll().run();
        }
    }

    private void cycle() {
        runTasks();
        desk.serve();
    }

    private void passTime() {
        now++;
        if (now % INTERVAL == 0) {
            headOfTick = rig.head();
        }
    }

    private void publish(int types, int longest) {
        StateRig.Message[] span = new StateRig.Message[1 + random.nextInt(4)];
        for (int i = 0; i < span.length; i++) {
            int length = random.nextInt(4) == 0 ? 0 : random.nextInt(longest);
            span[i] = StateRig.message(random.nextInt(types), new byte[length]);
        }
        rig.publish(span);
    }

    private void some(Predicate<Client> which, Consumer<Client> does) {
        List<Client> found = clients.stream().filter(which).toList();
        if (!found.isEmpty()) {
            does.accept(found.get(random.nextInt(found.size())));
        }
    }

    private void all(Predicate<Client> which, Consumer<Client> does) {
        clients.stream().filter(which).toList().forEach(does);
    }

    /** While nothing is published, each reader comes to the head, and is told so. */
    private void allArrive() {
        for (int round = 0; round < MOST_ROUNDS_FOR_ALL; round++) {
            all(c -> c.step == Step.ANSWERED, Client::take);
            all(c -> c.step == Step.IDLE && (c.isBehind() || !c.begins), Client::ask);
            if (clients.stream().allMatch(c -> c.step == Step.IDLE)) {
                settle();
                desk.tick();
                assertThat(pool.used())
                        .as("no batch is kept")
                        .isLessThanOrEqualTo((long) StateDesk.MOST_FREE * batchBytes);
                return;
            }
            cycle();
        }
        assertThat(clients).as("readers that hang").isEmpty();
    }

    private void join() {
        int lowest = random.nextInt(50);
        TypeRanges chosen =
                switch (random.nextInt(6)) {
                    case 0, 1 -> TypeRanges.of(0, 60);
                    case 2 -> TypeRanges.of(lowest, lowest + 40);
                    default -> TypeRanges.ALL;
                };
        long head = rig.head();
        long first = random.nextBoolean() ? 1 : random.nextBoolean() ? head + 1 : 1 + random.nextInt((int) head + 1);
        Client client = new Client(first, chosen, random.nextInt(3) == 0);
        clients.add(client);
        if (random.nextBoolean()) {
            client.ask();
        }
    }

    private void run() {
        int types = 1 + random.nextInt(200);
        int longest = random.nextInt(5) == 0 ? 900 : 60;
        // The smallest forgets.
        int size = random.nextInt(3) == 0 ? (int) StateIndex.leastSize(1000) + 4000 : 1 << 20;
        begin(size, 100 + random.nextInt(random.nextBoolean() ? 400 : 4000), 2 + random.nextInt(10));
        int pace = 1 + random.nextInt(10);
        int rare = 1 + random.nextInt(4);
        for (int step = 0; step < STEPS; step++) {
            passTime();
            switch (random.nextInt(10)) {
                case 0 -> {
                    if (random.nextInt(rare) == 0) {
                        publish(types, longest);
                    }
                }
                case 1, 2 -> cycle();
                case 3, 4 -> some(c -> c.step == Step.ANSWERED && !c.slow, Client::take);
                case 5 -> {
                    // A tick: all that have arrived ask.
                    if (random.nextInt(pace) == 0) {
                        all(c -> c.step == Step.IDLE && c.isBehind(), Client::ask);
                    }
                }
                case 6 ->
                    some(c -> c.step == Step.IDLE, client -> {
                        if (client.begins && random.nextInt(20) == 0) {
                            client.reader.choose(client.reader.types().intersect(TypeRanges.of(0, 50)));
                        }
                        client.ask();
                    });
                case 7 -> {
                    if (clients.size() < MOST_READERS && random.nextInt(5) == 0) {
                        join();
                    }
                }
                case 8 -> {
                    if (random.nextInt(10) == 0) {
                        some(c -> c.step == Step.ANSWERED && c.slow, Client::take);
                    }
                }
                default -> {
                    if (random.nextInt(30) == 0) {
                        some(c -> true, client -> {
                            clients.remove(client);
                            client.loopEnded = random.nextBoolean();
                            for (int i = random.nextInt(4); i > 0 && client.loopEnded; i--) {
                                cycle();
                            }
                            leave(client);
                        });
                    }
                    if (random.nextInt(200) == 0) {
                        allArrive();
                    }
                    desk.tick();
                }
            }
        }
        boolean early = random.nextBoolean();
        if (!early) {
            allArrive();
        }
        end(early);
    }

    @Test
    void eachHasTheStreamWhereItIsToldSo() {
        for (int i = 0; i < RUNS; i++) {
            random = Seeds.random("CommonWalkTest " + i);
            run();
        }
        assertThat(parts).as("batches of which a part was known").isPositive();
    }

    /** Each batch is filled once, and has one buffer, however many readers there are. */
    @Test
    void oneBufferForAll() {
        random = Seeds.random("CommonWalkTest one buffer");
        begin(1 << 20, StateDesk.BATCH_BYTES, 64);
        rig.publish(StateRig.message(1, (byte) 1));
        for (int i = 0; i < MOST_READERS; i++) {
            clients.add(new Client(1, TypeRanges.ALL, false));
        }
        for (Client client : clients) {
            client.ask();
            cycle();
            client.take();
        }
        desk.tick();
        long before = pool.used();
        for (int i = 0; i < 50; i++) {
            rig.publish(StateRig.message(i, (byte) i));
        }
        clients.forEach(Client::ask);
        cycle();
        assertThat(clients).allMatch(client -> client.step == Step.ANSWERED);
        assertThat(pool.used()).isLessThanOrEqualTo(Math.max(before, StateDesk.BATCH_BYTES));
        clients.forEach(Client::take);
        assertThat(clients).allMatch(client -> client.reader.next == 52);
        end();
    }

    /** Has readers come to the head; returns how many batches were filled for that. */
    private int cyclesToTheHead(List<Client> those) {
        those.forEach(Client::ask);
        int cycles = 0;
        while (!those.stream().allMatch(client -> client.begins)) {
            cycle();
            cycles++;
            those.stream().filter(client -> client.step == Step.ANSWERED).forEach(Client::take);
            those.stream()
                    .filter(client -> client.step == Step.IDLE && !client.begins)
                    .forEach(Client::ask);
            assertThat(cycles).isLessThan(MOST_ROUNDS);
        }
        return cycles;
    }

    /** A reader that has nothing, takes a part of the state and leaves, or is slow, keeps no others from sharing. */
    @Test
    void whoBeginsFromNothingHoldsUpNobody() {
        for (boolean leaves : new boolean[] {true, false}) {
            begin(1 << 20, 200, 8);
            for (int i = 0; i < 200; i++) {
                rig.publish(StateRig.message(i, new byte[40]));
            }
            Client first = new Client(1, TypeRanges.ALL, true);
            List<Client> live = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                live.add(new Client(rig.head() + 1, TypeRanges.ALL, false));
            }
            clients.add(first);
            clients.addAll(live);
            for (int batch = 0; batch < 2; batch++) {
                first.ask();
                while (first.step == Step.ASKED) {
                    cycle();
                }
                if (batch == 0) {
                    first.take();
                }
            }
            cyclesToTheHead(live);
            if (leaves) {
                leave(first);
                clients.remove(first);
            }
            int cycles = 0;
            for (int tick = 0; tick < 10; tick++) {
                rig.publish(StateRig.message(tick, new byte[40]));
                cycles = cyclesToTheHead(live);
            }
            assertThat(cycles).as("a batch for all").isEqualTo(1);
            end();
        }
    }

    private Client with(long first) {
        Client client = new Client(first, TypeRanges.ALL, false);
        clients.add(client);
        return client;
    }

    private void nextBatch(Client client) {
        client.ask();
        for (int i = 0; client.step == Step.ASKED && i < MOST_ROUNDS; i++) {
            cycle();
        }
        client.take();
    }

    /** A reader that has passed places after a batch of them was filled has not arrived where that batch has. */
    @Test
    void whoWalkedAloneArrivesAtNoEarlierHead() {
        begin(1 << 20, 200, 8);
        for (int i = 0; i < 100; i++) {
            rig.publish(StateRig.message(i, new byte[40]));
        }
        with(91).ask();
        for (int i = 0; i < 10; i++) {
            cycle();
        }
        Client late = with(1);
        while (late.reader.next <= 50) {
            nextBatch(late);
        }
        rig.publish(StateRig.message(60, new byte[40]));
        for (int i = 0; !late.begins && i < MOST_ROUNDS; i++) {
            nextBatch(late);
        }
        assertThat(late.reader.next).isEqualTo(102);
        end();
    }

    /** Who has had something is told of tombstones that were forgotten; who has nothing is not. */
    @Test
    void whatIsMissingIsToldToWhoHadSomething() {
        begin((int) StateIndex.leastSize(1000), StateDesk.BATCH_BYTES, 8);
        rig.publish(StateRig.message(0, new byte[40]));
        rig.publish(StateRig.message(0));
        for (int type = 1; rig.lost() == 0; type++) {
            rig.publish(StateRig.message(type, new byte[40]));
        }
        Client nothing = with(1);
        Client something = with(2);
        nextBatch(nothing);
        nextBatch(something);
        assertThat(nothing.begins && something.begins).isTrue();
        assertThat(nothing.reader.lost).isZero();
        assertThat(something.reader.lost).isEqualTo(2);
        end();
    }
}
