package dev.msgrelay.loadgen.message;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.message.StateCheck.Wrong;
import org.junit.jupiter.api.Test;

class StateCheckTest {
    private static final int TYPES = 5;

    private final SizeTable sizes = SizeTable.fixed(16).withTypes(TYPES);
    private final StateCheck check = new StateCheck(sizes);

    /** The first five messages carry the types 1 to 5, so the later ones decide what may be passed over. */
    @Test
    void whatNewerOnesReplacedMayBePassedOver() {
        long end = TYPES + 40L;
        for (long number = 0; number < end; number++) {
            if (newestBefore(end, sizes.typeOf(number)) == number) {
                check.onMessage(sizes.typeOf(number), number);
            } else {
                check.onPassedOver(1);
            }
        }
        check.onPing();
        check.onMessage(sizes.typeOf(end), end);
        check.onPing();
        assertThat(check.compared()).isEqualTo(2);
        assertThat(check.wrong()).isZero();
        assertThat(check.first()).isNull();
    }

    @Test
    void aTypeThatWasPassedOverAndDidNotComeIsWrong() {
        check.onMessage(1, 0);
        check.onPassedOver(1);
        check.onMessage(3, 2);
        check.onPing();
        check.onPing();
        assertThat(check.wrong()).isEqualTo(2);
        assertThat(check.first()).isEqualTo(new Wrong(4, 2, 1, StateCheck.NONE));
        assertThat(check.first()).hasToString("type 2 had none where message 1 is the newest before sequence 4");
    }

    @Test
    void anOlderValueIsWrong() {
        for (int number = 0; number < TYPES; number++) {
            check.onMessage(number + 1, number);
        }
        int type = sizes.typeOf(TYPES);
        check.onPassedOver(1);
        check.onPing();
        assertThat(check.first()).isEqualTo(new Wrong(TYPES + 2L, type, TYPES, type - 1L));
    }

    @Test
    void betweenTwoPingsItMayBeBehind() {
        check.onPassedOver(1);
        long number = 1;
        for (; sizes.typeOf(number) != 1; number++) {
            check.onMessage(sizes.typeOf(number), number);
        }
        check.onMessage(1, number);
        check.onPing();
        assertThat(check.wrong()).isZero();
    }

    @Test
    void aMessageInTheWrongPlaceIsWrong() {
        check.onMessage(2, 1);
        check.onPing();
        assertThat(check.first()).isEqualTo(new Wrong(2, 1, 0, StateCheck.NONE));
    }

    @Test
    void aForeignTypeTakesAPlaceInTheStream() {
        check.onMessage(TYPES + 1, 0);
        check.onPing();
        assertThat(check.first()).isEqualTo(new Wrong(2, 1, 0, StateCheck.NONE));
    }

    @Test
    void aLossThatIsToldIsNoWrongState() {
        check.onMessage(1, 0);
        check.onLost(2);
        check.onPing();
        assertThat(check.wrong()).isZero();
    }

    @Test
    void oneTypeHasOneEntry() {
        StateCheck one = new StateCheck(SizeTable.fixed(16));
        one.onPassedOver(7);
        one.onMessage(LoadMessage.TYPE, 7);
        one.onPing();
        assertThat(one.wrong()).isZero();
        one.onPassedOver(1);
        one.onPing();
        assertThat(one.first()).isEqualTo(new Wrong(10, LoadMessage.TYPE, 8, 7));
    }

    private long newestBefore(long end, int type) {
        long number = end - 1;
        while (sizes.typeOf(number) != type) {
            number--;
        }
        return number;
    }
}
