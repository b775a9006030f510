package dev.msgrelay.server.state;

import static dev.msgrelay.server.state.StateRig.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.harness.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;

/** The newest message of each type against a plain map, and what a client gets of it against the whole stream. */
class StateIndexTest {
    private static final int AMPLE = 1 << 20;
    private static final int BUFFER = 64 << 10;
    private static final TypeRanges ALL = TypeRanges.ALL;

    @Test
    void anEmptyStreamIsComplete() {
        try (StateRig rig = new StateRig(AMPLE, ALL)) {
            StateRig.Reader reader = rig.new Reader(1, ALL, BUFFER).toTheHead();
            assertThat(reader.next).isEqualTo(1);
            assertThat(reader.lost + reader.superseded + reader.sent).isZero();
        }
    }

    @Test
    void theNewestOfEachTypeInTheOrderOfTheNumbers() {
        try (StateRig rig = new StateRig(AMPLE, ALL)) {
            byte one = 1;
            rig.publish(message(7, one), message(8, one), message(7), message(9, one));
            rig.publish(message(8, one, one), message(-5, one));
            StateRig.Reader all = rig.new Reader(1, ALL, BUFFER).toTheHead();
            // 7 is a tombstone now, 8 has come again: messages 3, 4, 5 and 6.
            assertThat(all.view.values())
                    .extracting(StateRig.Message::number)
                    .containsExactlyInAnyOrder(3L, 4L, 5L, 6L);
            assertThat(all.superseded).isEqualTo(2);
            // Of nothing, one, and two messages; of one type the others are passed over.
            assertThat(rig.new Reader(7, ALL, BUFFER).toTheHead().sent).isZero();
            assertThat(rig.new Reader(6, ALL, BUFFER).toTheHead().sent).isEqualTo(1);
            assertThat(rig.new Reader(5, ALL, BUFFER).toTheHead().sent).isEqualTo(2);
            StateRig.Reader some = rig.new Reader(1, TypeRanges.of(8, 8), BUFFER).toTheHead();
            assertThat(some.sent).isEqualTo(1);
            assertThat(some.superseded).isEqualTo(5);
            assertThat(rig.new Reader(1, TypeRanges.of(100, 200), BUFFER).toTheHead().superseded)
                    .isEqualTo(6);
        }
    }

    @Test
    void everyPlaceAgainstTheModel() {
        Random random = Seeds.random("StateIndexTest places");
        try (StateRig rig = new StateRig(AMPLE, ALL)) {
            for (int round = 0; round < 40; round++) {
                publish(rig, random, () -> random.nextInt(60), 20);
                TypeRanges types = random.nextBoolean() ? ALL : TypeRanges.of(5, 20, 33, 33);
                for (long p = 0; p <= rig.head(); p++) {
                    StateRig.Reader reader = rig.new Reader(p + 1, types, BUFFER).toTheHead();
                    assertThat(reader.view).isEqualTo(rig.newestBehind(p, types));
                    assertThat(reader.lost).isZero();
                }
            }
            assertThat(rig.index.figures().forgotten()).isZero();
            assertFreed(rig);
        }
    }

    /** All types become tombstones in the log, so nothing but one cell for each is left. */
    private static void assertFreed(StateRig rig) {
        for (int type = 0; type < 60; type++) {
            rig.publish(message(type));
        }
        rig.index.takeFigures();
        assertThat(rig.index.figures().types()).isEqualTo(60);
        assertThat(rig.index.figures().bytes()).isEqualTo(60 * 70);
    }

    @Test
    void theOldestAreForgottenAndThatIsTold() {
        Random random = Seeds.random("StateIndexTest forgotten");
        int size = (int) StateIndex.leastSize(3000);
        try (StateRig rig = new StateRig(size, ALL)) {
            for (int round = 0; round < 400; round++) {
                publish(rig, random, () -> random.nextInt(400), 20);
                long lost = rig.lost();
                StateIndex.Figures now = rig.index.figures();
                assertThat(now.bytes()).isBetween(0L, (long) size);
                assertThat(now.types()).isEqualTo(rig.newestBehind(lost, ALL).size());
                long value = now.forgottenValue();
                StateRig.Reader whole = rig.new Reader(1, ALL, BUFFER).toTheHead();
                assertThat(whole.lost).isEqualTo(value);
                assertThat(whole.view).isEqualTo(rig.newestBehind(lost, ALL));
                long p = 1 + random.nextLong(rig.head());
                StateRig.Reader back = rig.new Reader(p + 1, ALL, BUFFER).toTheHead();
                assertThat(back.lost).isEqualTo(lost > p ? lost : 0);
                assertThat(back.view).isEqualTo(rig.newestBehind(Math.max(lost, p), ALL));
            }
            assertThat(rig.index.figures().forgotten()).isPositive();
        }
    }

    /** A forgotten tombstone does not matter to who has nothing, and does to who may have the value. */
    @Test
    void forgottenTombstones() {
        try (StateRig rig = new StateRig((int) StateIndex.leastSize(28 + 60), ALL)) {
            // Two cells: the third type pushes out the first.
            rig.publish(message(1));
            rig.publish(message(2, (byte) 2));
            rig.publish(message(3, (byte) 3));
            assertThat(rig.lost()).isEqualTo(1);
            assertThat(rig.index.figures().forgottenValue()).isZero();
            assertThat(rig.index.figures().forgottenTombstone()).isEqualTo(1);
            assertThat(rig.new Reader(1, ALL, BUFFER).toTheHead().lost).isZero();
            rig.publish(message(4));
            rig.index.takeFigures();
            assertThat(rig.index.figures().forgottenValue()).isEqualTo(2);
            assertThat(rig.new Reader(1, ALL, BUFFER).toTheHead().lost).isEqualTo(2);
            rig.publish(message(5));
            rig.publish(message(6));
            // The tombstone of message 4 is gone too.
            assertThat(rig.lost()).isEqualTo(4);
            assertThat(rig.new Reader(4, ALL, BUFFER).toTheHead().lost).isEqualTo(4);
            assertThat(rig.new Reader(5, ALL, BUFFER).toTheHead().lost).isZero();
            assertThat(rig.new Reader(1, ALL, BUFFER).toTheHead().lost).isEqualTo(3);
        }
    }

    @Test
    void readersWalkWhileTypesChange() {
        Random random = Seeds.random("StateIndexTest walks");
        for (int size : new int[] {AMPLE, 20_000}) {
            try (StateRig rig = new StateRig(size, ALL)) {
                List<StateRig.Reader> readers = new ArrayList<>();
                int arrived = 0;
                int lost = 0;
                for (int step = 0; step < 20_000; step++) {
                    if (random.nextInt(4) == 0) {
                        publish(rig, random, () -> 1 + (int) Math.sqrt(random.nextInt(40_000)), 1 + random.nextInt(3));
                    }
                    if (readers.size() < 20 && random.nextInt(10) == 0) {
                        long first = random.nextBoolean() ? 1 : 1 + random.nextLong(rig.head() + 1);
                        TypeRanges types = random.nextBoolean() ? ALL : TypeRanges.of(0, random.nextInt(200));
                        readers.add(rig.new Reader(first, types, 32 + random.nextInt(1000)));
                    }
                    if (!readers.isEmpty()) {
                        StateRig.Reader reader = readers.get(random.nextInt(readers.size()));
                        boolean gone = random.nextInt(100) == 0;
                        if (gone) {
                            rig.index.leave(reader.walk);
                        }
                        if (gone || reader.step()) {
                            arrived += gone ? 0 : 1;
                            lost += reader.lost > 0 ? 1 : 0;
                            readers.remove(reader);
                        }
                    }
                }
                assertThat(arrived).isGreaterThan(30);
                assertThat(lost > 0).isEqualTo(size != AMPLE);
                readers.forEach(reader -> rig.index.leave(reader.walk));
                assertThat(rig.new Reader(1, ALL, BUFFER).toTheHead().next).isEqualTo(rig.head() + 1);
            }
        }
    }

    /** A body that a newer message has replaced is not copied when the log drops it, and pushes out no other type. */
    @Test
    void whatWasReplacedIsNotCopied() {
        byte[] body = new byte[StateRig.CHUNK * 9 / 10];
        try (StateRig rig = new StateRig((int) StateIndex.leastSize(body.length), ALL)) {
            for (int type = 0; type < 10; type++) {
                rig.publish(message(type));
            }
            for (int round = 0; round < 200; round++) {
                rig.publish(message(10, body));
                rig.publish(message(11, body));
                // The order gets to know the newest ones at different places of a chunk.
                if (round % 9 == 0) {
                    rig.index.takeFigures();
                }
            }
            assertThat(rig.lost()).isZero();
            assertThat(rig.index.figures().types()).isEqualTo(12);
            assertThat(rig.index.figures().bytes()).isEqualTo(12 * 70);
        }
    }

    /** The oldest one is forgotten, wherever the places of walks are: before all entries, between them, and behind. */
    @Test
    void theOldestIsForgottenAmongThePlacesOfWalks() {
        Random random = Seeds.random("StateIndexTest oldest");
        try (StateRig rig = new StateRig((int) StateIndex.leastSize(3000), ALL)) {
            List<StateRig.Reader> readers = new ArrayList<>();
            for (int round = 0; round < 4000; round++) {
                int types = round % 500 < 250 ? 5 : 400;
                publish(rig, random, () -> random.nextInt(types), 1 + random.nextInt(3));
                if (readers.size() < 90) {
                    readers.add(rig.new Reader(1 + random.nextLong(rig.head() + 1), ALL, 40 + random.nextInt(200)));
                }
                StateRig.Reader reader = readers.get(random.nextInt(readers.size()));
                if (reader.step()) {
                    rig.index.leave(reader.walk);
                    readers.remove(reader);
                }
                long lost = rig.lost();
                assertThat(rig.index.figures().types())
                        .isEqualTo(rig.newestBehind(lost, ALL).size());
            }
            assertThat(rig.index.figures().forgotten()).isPositive();
            readers.forEach(reader -> rig.index.leave(reader.walk));
            assertThat(rig.new Reader(1, ALL, BUFFER).toTheHead().view).isEqualTo(rig.newestBehind(rig.lost(), ALL));
        }
    }

    @Test
    void onlyTheTypesThatAreKept() {
        TypeRanges kept = TypeRanges.of(-3, 10, 50, 60);
        try (StateRig rig = new StateRig(AMPLE, kept)) {
            for (int type = -10; type < 100; type++) {
                rig.publish(message(type, (byte) type));
            }
            StateRig.Reader reader = rig.new Reader(1, kept, BUFFER).toTheHead();
            assertThat(reader.view).isEqualTo(rig.newestBehind(0, kept));
            rig.index.takeFigures();
            assertThat(rig.index.figures().types()).isEqualTo(14 + 11);
            assertThat(rig.index.has(kept)).isTrue();
            assertThat(rig.index.has(TypeRanges.of(-3, -3, 51, 52))).isTrue();
            assertThat(rig.index.has(TypeRanges.of(10, 11))).isFalse();
            assertThat(rig.index.has(ALL)).isFalse();
        }
    }

    /** Nothing is known of what was before: it counts as forgotten. */
    @Test
    void aStreamThatWasThereBefore() {
        try (StateRig rig = new StateRig(AMPLE, ALL, 1000)) {
            StateRig.Reader nothing = rig.new Reader(1, ALL, BUFFER).toTheHead();
            assertThat(nothing.lost).isEqualTo(1000);
            rig.publish(message(1, (byte) 1));
            StateRig.Reader all = rig.new Reader(1, ALL, BUFFER).toTheHead();
            assertThat(all.lost).isEqualTo(1000);
            assertThat(all.sent).isEqualTo(1);
            assertThat(rig.new Reader(1001, ALL, BUFFER).toTheHead().lost).isZero();
            assertThat(rig.new Reader(500, ALL, BUFFER).toTheHead().lost).isEqualTo(1000);
        }
    }

    @Test
    void typesThatComeAndGoForEver() {
        int size = 70_000;
        try (StateRig rig = new StateRig(size, ALL)) {
            for (int type = 0; type < 300_000; type += 3) {
                rig.publish(message(type * 7919, (byte) 1), message(type, new byte[90]), message(type));
            }
            rig.index.takeFigures();
            StateIndex.Figures now = rig.index.figures();
            assertThat(now.bytes()).isBetween(size / 2L, (long) size);
            assertThat(now.types()).isBetween(1, size / 70);
            // Some come again when they were forgotten.
            assertThat(now.types() + now.forgotten())
                    .isGreaterThanOrEqualTo(rig.newestBehind(0, ALL).size());
        }
    }

    @Test
    void aMillionTypes() {
        int types = 1 << 20;
        try (StateRig rig = new StateRig(types * 70 + 70, ALL)) {
            StateRig.Message[] span = new StateRig.Message[256];
            for (int first = 0; first < types; first += span.length) {
                for (int i = 0; i < span.length; i++) {
                    // Neighbours, and types that differ in their highest bits alone.
                    int n = first + i;
                    span[i] = message(n % 2 == 0 ? n : n << 11, (byte) n);
                }
                rig.publish(span);
            }
            StateRig.Reader reader = rig.new Reader(1, ALL, BUFFER).toTheHead();
            assertThat(reader.lost).isZero();
            assertThat(reader.view).isEqualTo(rig.newestBehind(0, ALL));
            rig.index.takeFigures();
            assertThat(rig.index.figures().types()).isEqualTo(reader.view.size());
            // One that comes back is near the end of the order, wherever the others are.
            assertThat(rig.new Reader(rig.head() - 9, ALL, BUFFER).toTheHead().sent)
                    .isEqualTo(10);
            assertThat(rig.new Reader(2, ALL, BUFFER).toTheHead().lost).isZero();
        }
    }

    private static void publish(StateRig rig, Random random, IntSupplier types, int messages) {
        int left = messages;
        while (left > 0) {
            int first = types.getAsInt();
            boolean alike = random.nextInt(4) == 0;
            StateRig.Message[] span = new StateRig.Message[1 + random.nextInt(Math.min(left, 5))];
            int room = StateRig.MOST_RUN;
            for (int i = 0; i < span.length; i++) {
                int most = Math.max(0, room / (span.length - i) - 8);
                int length = alike ? 20 : lengthUpTo(Math.min(most, 3000), random);
                byte[] body = new byte[length];
                random.nextBytes(body);
                span[i] = message(alike ? first : types.getAsInt(), body);
                room -= 8 + length;
            }
            rig.publish(span);
            left -= span.length;
        }
    }

    /** A tombstone, lengths around those where one more cell begins, or any. */
    private static int lengthUpTo(int most, Random random) {
        int length =
                switch (random.nextInt(6)) {
                    case 0 -> 0;
                    case 1 -> 27 + random.nextInt(3);
                    case 2 -> 28 + 60 * random.nextInt(4) + random.nextInt(3) - 1;
                    case 3 -> random.nextInt(3001);
                    default -> random.nextInt(60);
                };
        return Math.min(most, length);
    }
}
