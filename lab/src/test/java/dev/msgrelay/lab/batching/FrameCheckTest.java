package dev.msgrelay.lab.batching;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.lab.WrongResultException;
import dev.msgrelay.loadgen.message.LoadMessage;
import dev.msgrelay.loadgen.message.MessageCheck;
import dev.msgrelay.loadgen.message.SizeTable;
import dev.msgrelay.protocol.FrameLayout;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class FrameCheckTest {
    private static final int BODY = 40;

    private final MessageCheck check = new MessageCheck(2, SizeTable.fixed(BODY), MessageCheck.Order.UNHEARD);

    @Test
    void onceWholeAndInOrderIsRight() {
        come(0, 0);
        come(1, 0);
        come(0, 1);
        assertThatCode(() -> Producers.verify(check, 2, 1)).doesNotThrowAnyException();
    }

    @Test
    void oneThatIsMissingIsLost() {
        come(0, 0);
        come(0, 2);
        assertWrong(3, 0, "3 messages were sent, 2 came: 1 lost");
    }

    @Test
    void soAreTheFirstAndTheLast() {
        come(0, 1);
        assertWrong(2, 0, "2 messages were sent, 1 came: 1 lost");
        come(1, 0);
        assertWrong(2, 2, "2 lost");
    }

    @Test
    void twiceIsWrong() {
        come(0, 0);
        come(0, 0);
        assertWrong(1, 0, "1 twice");
    }

    @Test
    void theOtherWayRoundIsWrong() {
        come(0, 0);
        come(0, 2);
        come(0, 1);
        assertWrong(3, 0, "1 out of order");
    }

    @Test
    void aByteThatIsAnotherOneIsDamage() {
        ByteBuffer body = body(0, 0);
        body.put(body.limit() - 1, (byte) 0);
        check.onMessage(LoadMessage.TYPE, body);
        assertWrong(1, 0, "1 damaged");
    }

    private void come(int producer, int number) {
        check.onMessage(LoadMessage.TYPE, body(producer, number));
    }

    private static ByteBuffer body(int producer, int number) {
        ByteBuffer frame = new Producers.Frame(producer, BODY).of(number, 0);
        return frame.position(FrameLayout.HEADER_LENGTH);
    }

    private void assertWrong(long first, long second, String message) {
        assertThatThrownBy(() -> Producers.verify(check, first, second))
                .isInstanceOf(WrongResultException.class)
                .hasMessageContaining(message);
    }
}
