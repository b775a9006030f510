package dev.msgrelay.loadgen.worker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ToldStreamTest {
    private final ToldStream told = new ToldStream();

    @BeforeEach
    void threeMessagesFromTheHundredthOn() {
        assertThat(told.hasBegun()).isFalse();
        told.startAt(100);
        assertThat(told.hasBegun()).isTrue();
        for (int i = 0; i < 3; i++) {
            told.messages(1);
        }
    }

    @Test
    void gapsAndPingsWhereTheStreamStandsAreTrue() {
        told.stands(103);
        told.gap(103, 109);
        told.messages(1);
        told.stands(111);
        told.gap(111, 111);
        assertThat(told.missed()).isEqualTo(8);
        assertThat(told.all().gaps()).isEqualTo(2);
        assertThat(told.all().untrue()).isZero();
    }

    @Test
    void aGapOverMessagesThatCameIsNot() {
        told.gap(101, 109);
        assertThat(told.all().untrue()).isOne();
        told.stands(110);
        assertThat(told.all().untrue()).as("it goes on from there").isOne();
    }

    @Test
    void neitherIsOneThatLeavesMessagesOut() {
        told.gap(105, 109);
        assertThat(told.all().untrue()).isOne();
    }

    @Test
    void aPingTellsMessagesThatDidNotCome() {
        told.stands(104);
        assertThat(told.all().untrue()).isOne();
    }

    @Test
    void aPingNeedNotSay() {
        told.stands(0);
        assertThat(told.all().untrue()).isZero();
    }
}
