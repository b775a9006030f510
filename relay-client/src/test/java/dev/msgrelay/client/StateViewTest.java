package dev.msgrelay.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.protocol.GapReason;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class StateViewTest {
    private final List<String> moves = new ArrayList<>();
    private final StateView view = new StateView(1000, (next, types) -> moves.add(next + ":" + types));

    private void message(int type, String body) {
        view.message(type, ByteBuffer.wrap(body.getBytes(UTF_8)));
    }

    private String get(int type) {
        return view.get(type).map(body -> UTF_8.decode(body).toString()).orElse(null);
    }

    @Test
    void movesAtPingsAndNotBefore() {
        view.beginAnew();
        message(1, "a");
        message(2, "b");
        message(1, "c");
        assertThat(get(1)).isNull();
        assertThat(view.isComplete()).isFalse();
        assertThat(view.whole()).isFalse();
        assertThat(view.next()).isZero();
        view.completeAt(4);
        assertThat(get(1)).isEqualTo("c");
        assertThat(get(2)).isEqualTo("b");
        assertThat(view.types()).containsExactly(1, 2);
        assertThat(view.whole()).isTrue();
        assertThat(view.next()).isEqualTo(4);
        message(2, "d");
        assertThat(get(2)).isEqualTo("b");
        view.completeAt(5);
        assertThat(get(2)).isEqualTo("d");
        // A heartbeat: nothing has changed, and nobody is told.
        view.completeAt(5);
        assertThat(moves).containsExactly("4:[1, 2]", "5:[2]");
    }

    @Test
    void anEmptyStateIsToldToo() {
        view.beginAnew();
        view.completeAt(1);
        assertThat(moves).containsExactly("1:[]");
        assertThat(view.whole()).isTrue();
        assertThat(view.types()).isEmpty();
    }

    @Test
    void anEmptyBodyRemovesTheType() {
        message(1, "a");
        message(2, "b");
        view.completeAt(3);
        message(1, "");
        message(9, "");
        assertThat(get(1)).isEqualTo("a");
        view.completeAt(5);
        assertThat(get(1)).isNull();
        assertThat(view.types()).containsExactly(2);
        assertThat(view.bytes()).isEqualTo(StateView.ENTRY_BYTES + 1);
        assertThat(moves).containsExactly("3:[1, 2]", "5:[1, 9]");
    }

    @Test
    void aLossMakesItLessThanWholeUntilItBeginsAnew() {
        view.gap(new Gap(1, 9, GapReason.SUPERSEDED.code()));
        view.completeAt(10);
        assertThat(view.whole()).isTrue();
        for (int code : new int[] {GapReason.NOT_HELD.code(), GapReason.SLOW.code(), Gap.UNEXPLAINED, 77}) {
            view.gap(new Gap(10, 11, code));
            view.completeAt(12);
            assertThat(view.isComplete()).isTrue();
            assertThat(view.whole()).as("reason %d", code).isFalse();
            view.beginAnew();
            view.completeAt(12);
            assertThat(view.whole()).isTrue();
        }
        view.widened();
        assertThat(view.whole()).isFalse();
    }

    @Test
    void whatItHeldIsVoidOnceItBeginsAnew() {
        message(1, "a");
        view.completeAt(2);
        message(2, "b");
        view.beginAnew();
        assertThat(get(1)).isNull();
        assertThat(view.bytes()).isZero();
        assertThat(view.next()).isZero();
        view.completeAt(7);
        assertThat(view.types()).isEmpty();
    }

    @Test
    void aBodyIsReadOnlyAndACopy() {
        byte[] bytes = {1, 2};
        ByteBuffer body = ByteBuffer.wrap(bytes);
        view.message(1, body);
        assertThat(body.remaining()).isEqualTo(2);
        bytes[0] = 9;
        view.completeAt(2);
        ByteBuffer got = view.get(1).orElseThrow();
        assertThat(got.get(0)).isEqualTo((byte) 1);
        assertThatThrownBy(() -> got.put(0, (byte) 5)).isInstanceOf(ReadOnlyBufferException.class);
        got.get();
        assertThat(view.get(1).orElseThrow().remaining()).isEqualTo(2);
    }

    @Test
    void bytesAreBoundedWithThoseThatWait() {
        message(1, "x".repeat(500));
        view.completeAt(2);
        message(1, "y".repeat(404));
        assertThat(view.bytes()).isEqualTo(1000);
        // The newer body of a type takes the place of the one before it.
        message(1, "z".repeat(404));
        assertThat(view.bytes()).isEqualTo(1000);
        view.completeAt(4);
        assertThat(view.bytes()).isEqualTo(452);
        message(2, "w".repeat(500));
        assertThat(view.bytes()).isEqualTo(1000);
        assertThatThrownBy(() -> message(3, ""))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "the view would have 1048 bytes with a message of type 3, beside 1 types and 1 that wait for"
                                + " a PING: its limit is 1000");
        assertThat(view.bytes()).as("it is left out").isEqualTo(1000);
        view.completeAt(6);
        assertThat(view.types()).containsExactly(1, 2);
        assertThat(view.whole()).isFalse();
        assertThatThrownBy(() -> new StateView(0)).isInstanceOf(IllegalArgumentException.class);
    }

    /** At each PING it is what a plain map of the whole stream is, and its sum of bytes is right. */
    @Test
    void isTheStreamTypeByType() {
        Random random = new Random(52);
        StateView large = new StateView();
        Map<Integer, String> stream = new HashMap<>();
        for (int i = 1; i <= 20_000; i++) {
            int type = random.nextInt(50);
            String body = random.nextInt(4) == 0 ? "" : "v".repeat(1 + random.nextInt(20));
            large.message(type, ByteBuffer.wrap(body.getBytes(UTF_8)));
            if (body.isEmpty()) {
                stream.remove(type);
            } else {
                stream.put(type, body);
            }
            if (random.nextInt(10) == 0) {
                large.completeAt(i + 1);
                Map<Integer, String> seen = new HashMap<>();
                large.types()
                        .forEach(one -> seen.put(
                                one, UTF_8.decode(large.get(one).orElseThrow()).toString()));
                assertThat(seen).as("before %d", i + 1).isEqualTo(stream);
                long bytes = stream.values().stream()
                        .mapToLong(one -> StateView.ENTRY_BYTES + one.length())
                        .sum();
                assertThat(large.bytes()).isEqualTo(bytes);
            }
        }
    }
}
