package dev.msgrelay.server.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.journal.format.JournalName;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NameMovesTest {
    private static final JournalName ORDERS = new JournalName("orders", ProducerId.NONE, "", JournalName.Hole.NONE);
    private static final JournalName PRICES = new JournalName("prices", ProducerId.NONE, "", JournalName.Hole.NONE);

    private final NameMoves moves = new NameMoves();

    private List<String> before(long sequence) {
        List<String> told = new ArrayList<>();
        moves.takeBefore(sequence, (name, number, at) -> told.add(name.name() + ' ' + number + '@' + at));
        return told;
    }

    @Test
    void aBlockMayCutARun() {
        moves.add(ORDERS, 42, 3, 9);
        moves.add(PRICES, 43, 1, 1);
        moves.add(ORDERS, 45, 2, 11);
        assertThat(before(40)).isEmpty();
        assertThat(before(41)).containsExactly("orders 7@40");
        assertThat(before(41)).as("tried again").containsExactly("orders 7@40");
        assertThat(before(42)).containsExactly("orders 8@41");
        assertThat(before(45)).containsExactly("orders 9@42", "prices 1@43", "orders 10@44");
        assertThat(before(46)).containsExactly("orders 11@45");
        assertThat(before(100)).isEmpty();
    }

    @Test
    void whoFindsNoRoomWaitsUntilHalfOfItIsFree() {
        for (int i = 1; i <= NameMoves.MOST; i++) {
            assertThat(moves.hasRoom()).isTrue();
            moves.add(ORDERS, i, 1, i);
        }
        assertThat(moves.refused()).isFalse();
        assertThat(moves.hasRoom()).isFalse();
        assertThat(moves.refused()).isTrue();
        assertThat(moves.mayGoOn()).isFalse();
        before(NameMoves.MOST / 2);
        assertThat(moves.hasRoom()).isTrue();
        assertThat(moves.mayGoOn()).as("a little room").isFalse();
        before(NameMoves.MOST / 2 + 1);
        assertThat(moves.mayGoOn()).isTrue();
        assertThat(moves.refused()).isFalse();
        for (int i = 0; i < 3 * NameMoves.MOST; i++) {
            moves.stop();
            assertThat(moves.hasRoom()).isTrue();
            moves.add(ORDERS, i, 1, i);
        }
    }

    @Test
    void nothingIsLostBetweenTwoThreads() throws InterruptedException {
        int runs = 500_000;
        long[] last = {0, 0};
        Thread taker = new Thread(() -> {
            while (last[0] < runs) {
                moves.takeBefore(runs + 1L, (name, number, at) -> {
                    assertThat(number).isEqualTo(last[0] + 1).isEqualTo(at);
                    last[0] = number;
                });
            }
        });
        taker.start();
        for (int i = 1; i <= runs; i++) {
            while (!moves.hasRoom()) {
                Thread.yield();
            }
            moves.add(i % 2 == 0 ? ORDERS : PRICES, i, 1, i);
        }
        Await.join(taker);
        assertThat(last[0]).isEqualTo(runs);
    }
}
