package dev.msgrelay.loadgen.plan;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LoadTest {
    @Test
    void processesAreSharedAboveTheLimits() {
        Load few = Load.oneToOne(100).withCounts(4, 16);
        assertThat(few.publisherProcesses()).isEqualTo(4);
        assertThat(few.subscriberProcesses()).isEqualTo(16);
        Load many = few.withCounts(64, 100);
        assertThat(many.publisherProcesses()).isEqualTo(4);
        assertThat(many.subscriberProcesses()).isEqualTo(16);
    }

    @Test
    void thePlainRelaysOnePublisherSendsWhatAllSendTogether() {
        Load load = Load.oneToOne(100).withCounts(4, 8);
        assertThat(load.withRate(5_000).ofPlainRelay())
                .isEqualTo(Load.oneToOne(100).withCounts(1, 8).withRate(20_000));
        assertThat(load.ofPlainRelay().isPaced()).isFalse();
        assertThat(load.withCounts(10_000, 1)
                        .withRate(Load.MAX_RATE)
                        .ofPlainRelay()
                        .rate())
                .isEqualTo(Load.MAX_RATE);
    }

    @Test
    void thePlainRelayKnowsNoStateAndNoInterval() {
        Load load = Load.oneToOne(100).withFromState(true).withInterval(500).withRate(5);
        assertThat(load.pace()).isEqualTo("5 msg/s, from the state, every 500 ms");
        assertThat(load.ofPlainRelay()).isEqualTo(Load.oneToOne(100).withRate(5));
    }

    @Test
    void sharesAreEvenAndComplete() {
        int sum = 0;
        for (int i = 0; i < 16; i++) {
            int share = Load.share(100, 16, i);
            assertThat(share).isBetween(6, 7);
            sum += share;
        }
        assertThat(sum).isEqualTo(100);
    }
}
