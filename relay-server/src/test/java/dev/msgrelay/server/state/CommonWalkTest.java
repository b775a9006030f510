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
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Readers of one interval, which share batches: at each head that one is told of, it has the stream up to there. */
class CommonWalkTest {
    private static final int MOST_READERS = 12;
    private static final int RUNS = 60;
    private static final int STEPS = 3000;

    private final ArrayDeque<Runnable> core = new ArrayDeque<>();
    private final List<Client> clients = new ArrayList<>();
    private Random random;
    private StateRig rig;
    private StateDesk desk;
    private MemoryBudget.Pool pool;

    // How often a reader asked alone, and together with others, and had a part of a batch already.
    private int alone;
    private int together;
    private int parts;

    private enum Step {
        IDLE,
        ASKED,
        ANSWERED
    }

    private final class Client {
        final StateRig.Reader reader;
        Step step = Step.IDLE;

        Client(long first, TypeRanges types) {
            reader = rig.new Reader(first, types, 0, () -> step = Step.ANSWERED);
            reader.walk.every(1);
        }

        void ask() {
            step = Step.ASKED;
            if (!desk.isTogether(reader.walk)) {
                alone++;
            } else {
                together++;
            }
            desk.ask(reader.walk);
        }

        /** Writes the batch. */
        void take() {
            parts += reader.walk.lead().isReadable() ? 1 : 0;
            reader.takeBatch();
            desk.giveBack(reader.walk);
            step = Step.IDLE;
        }

        boolean isBehind() {
            return reader.next <= rig.head();
        }
    }

    private void begin(int size) {
        rig = new StateRig(size, TypeRanges.ALL, 0, 2 * MOST_READERS);
        pool = new MemoryBudget(Map.of(Part.STATE_BATCHES, StateDesk.bufferBytes(StateRig.MOST_RUN)))
                .pool(Part.STATE_BATCHES);
        desk = new StateDesk(rig.index, core::add, new UnpooledByteBufAllocator(true), pool, () -> 1);
    }

    private void end() {
        clients.forEach(this::leave);
        clients.clear();
        cycle();
        while (desk.serve()) {
            // a batch that nobody waits for any more
        }
        cycle();
        desk.close();
        assertThat(pool.used()).isZero();
        rig.close();
    }

    private void leave(Client client) {
        if (client.step == Step.ANSWERED) {
            desk.giveBack(client.reader.walk);
        }
        desk.end(client.reader.walk);
        while (!core.isEmpty()) {
            core.poll().run();
        }
        if (client.step == Step.ANSWERED) {
            desk.giveBack(client.reader.walk);
        }
    }

    private void cycle() {
        while (!core.isEmpty()) {
            core.poll().run();
        }
        desk.serve();
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

    private void run() {
        int types = 1 + random.nextInt(200);
        int longest = random.nextInt(5) == 0 ? 900 : 60;
        // The smallest forgets.
        begin(random.nextInt(3) == 0 ? (int) StateIndex.leastSize(1000) + 4000 : 1 << 20);
        int pace = 1 + random.nextInt(10);
        for (int step = 0; step < STEPS; step++) {
            switch (random.nextInt(8)) {
                case 0 -> publish(types, longest);
                case 1 -> cycle();
                case 2, 3 -> some(c -> c.step == Step.ANSWERED, Client::take);
                case 4 -> {
                    // A tick: all that have arrived ask.
                    if (random.nextInt(pace) == 0) {
                        clients.stream()
                                .filter(c -> c.step == Step.IDLE && c.isBehind())
                                .forEach(Client::ask);
                    }
                }
                case 5 -> some(c -> c.step == Step.IDLE && c.isBehind(), Client::ask);
                case 6 -> {
                    if (clients.size() < MOST_READERS && random.nextInt(10) == 0) {
                        TypeRanges chosen = random.nextInt(3) == 0 ? TypeRanges.of(0, types / 2) : TypeRanges.ALL;
                        clients.add(new Client(1 + random.nextInt((int) rig.head() + 1), chosen));
                    }
                }
                default -> {
                    if (random.nextInt(100) == 0) {
                        some(c -> true, client -> {
                            clients.remove(client);
                            leave(client);
                        });
                    }
                    desk.tick();
                }
            }
        }
        end();
    }

    @Test
    void eachHasTheStreamWhereItIsToldSo() {
        for (int i = 0; i < RUNS; i++) {
            random = Seeds.random("CommonWalkTest " + i);
            run();
        }
        assertThat(new int[] {alone, together, parts})
                .as("asked alone, together, batches of which a part was known")
                .doesNotContain(0);
    }

    /** Each batch is filled once, and has one buffer, however many readers there are. */
    @Test
    void oneBufferForAll() {
        random = Seeds.random("CommonWalkTest one buffer");
        begin(1 << 20);
        rig.publish(StateRig.message(1, (byte) 1));
        for (int i = 0; i < MOST_READERS; i++) {
            clients.add(new Client(1, TypeRanges.ALL));
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
}
