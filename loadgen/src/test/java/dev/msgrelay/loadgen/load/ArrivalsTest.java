package dev.msgrelay.loadgen.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** The skew against arrivals that are worked out by hand. */
class ArrivalsTest {
    private static final int CAPACITY = 16;

    @Test
    void itIsTheTimeFromTheFirstSubscriberToTheLast() {
        Arrivals all = joined(log(1, 10, 20, 30), log(1, 13, 20, 37), log(1, 11, 20, 34));
        assertThat(values(all.skew().nanos())).containsExactly(0L, 3L, 7L);
        assertThat(all.skew().incomplete()).isZero();
    }

    @Test
    void aMessageThatOneDidNotGetIsLeftOutAndCounted() {
        Arrivals.Log second = new Arrivals.Log(CAPACITY, 1);
        second.add(0, 15);
        second.add(2, 36);
        Arrivals all = joined(log(1, 10, 20, 30), second);
        assertThat(values(all.skew().nanos())).containsExactly(5L, 6L);
        assertThat(all.skew().incomplete()).isOne();
    }

    @Test
    void aDuplicateDoesNotStandInForAnotherSubscriber() {
        Arrivals.Log twice = log(1, 10);
        twice.add(0, 90);
        Arrivals.Log nothing = new Arrivals.Log(CAPACITY, 1);
        assertThat(joined(twice, nothing).skew().incomplete()).isOne();
        assertThat(values(joined(twice, log(1, 14)).skew().nanos()))
                .as("it arrived when it came first")
                .containsExactly(4L);
    }

    @Test
    void oneSubscriberHasNoSkew() {
        assertThat(joined(log(1, 10, 20)).skew()).isSameAs(Arrivals.Skew.NONE);
    }

    @Test
    void clocksThatAreAheadAreSetBack() {
        Arrivals all = new Arrivals();
        all.add(log(1, 10, 20), 0);
        all.add(log(1, 1_013, 1_025), 1_000);
        assertThat(values(all.skew().nanos())).containsExactly(3L, 5L);
    }

    @Test
    void processesAreJoinedAsTheirSubscribersAre() {
        Arrivals one = joined(log(1, 10, 20), log(1, 13, 21));
        Arrivals other = joined(log(1, 17, 19));
        Arrivals all = new Arrivals();
        all.add(Arrivals.decode(one.encode()));
        all.add(Arrivals.decode(other.encode()));
        assertThat(values(all.skew().nanos())).containsExactly(2L, 7L);
    }

    @Test
    void aFullLogKeepsEverySecondMessage() {
        Arrivals.Log log = new Arrivals.Log(4, 1);
        for (int n = 0; n < 9; n++) {
            log.add(n, 100 + n);
        }
        assertThat(log.sampling()).isEqualTo(4);
        assertThat(stamps(log)).containsExactly(0L, 4L, 8L);
        assertThat(log.nanos(2)).isEqualTo(108);
    }

    @Test
    void logsOfDifferentSamplingAreComparedInWhatBothHave() {
        Arrivals.Log fine = new Arrivals.Log(8, 1);
        Arrivals.Log coarse = new Arrivals.Log(4, 1);
        for (int n = 0; n < 8; n++) {
            fine.add(n, 10L * n);
            coarse.add(n, 10L * n + n);
        }
        Arrivals all = joined(fine, coarse);
        assertThat(all.skew().sampling()).isEqualTo(2);
        assertThat(values(all.skew().nanos())).containsExactly(0L, 2L, 4L, 6L);
        assertThat(all.skew().incomplete()).isZero();
    }

    @Test
    void whatIsKeptDependsOnTheNumbersAloneWhateverTheOrderAmongPublishers() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Arrivals.Log[] logs = {new Arrivals.Log(64, 1), new Arrivals.Log(64, 1)};
        for (Arrivals.Log log : logs) {
            long[] next = new long[3];
            while (next[0] + next[1] + next[2] < 6_000) {
                int publisher = random.nextInt(3);
                if (next[publisher] < 2_000) {
                    log.add(LoadMessage.stamp(publisher, next[publisher]++), random.nextInt(1_000));
                }
            }
        }
        Arrivals.Skew skew = joined(logs).skew();
        assertThat(skew.incomplete()).as("seed %d", seed).isZero();
        assertThat(skew.nanos().getTotalCount())
                .as("seed %d", seed)
                .isEqualTo(3 * ((2_000 + skew.sampling() - 1) / skew.sampling()));
    }

    @Test
    void morePublishersThanRoomEndTheThinning() {
        Arrivals.Log log = new Arrivals.Log(4, 1);
        for (int publisher = 0; publisher < 10; publisher++) {
            log.add(LoadMessage.stamp(publisher, 0), 1);
        }
        assertThat(log.size()).isEqualTo(4);
    }

    @Test
    void withoutRoomNothingIsKept() {
        Arrivals.Log log = new Arrivals.Log(0, 1_024);
        log.add(0, 1);
        assertThat(log.size()).isZero();
        assertThat(log.sampling()).isEqualTo(1_024);
    }

    @Test
    void whatIsNoSuchTextIsRefused() {
        assertThatThrownBy(() -> Arrivals.decode("bm9uc2Vuc2U=")).isInstanceOf(IllegalArgumentException.class);
        String whole = joined(log(1, 10, 20), log(1, 13, 21)).encode();
        assertThatThrownBy(() -> Arrivals.decode(whole.substring(0, 16))).isInstanceOf(IllegalArgumentException.class);
    }

    /** Numbers 0, 1, ... of publisher 0 at these times. */
    private static Arrivals.Log log(int sampling, long... nanos) {
        Arrivals.Log log = new Arrivals.Log(CAPACITY, sampling);
        for (int n = 0; n < nanos.length; n++) {
            log.add(n, nanos[n]);
        }
        return log;
    }

    private static Arrivals joined(Arrivals.Log... logs) {
        Arrivals all = new Arrivals();
        for (Arrivals.Log log : logs) {
            all.add(log, 0);
        }
        return all;
    }

    private static List<Long> stamps(Arrivals.Log log) {
        List<Long> stamps = new ArrayList<>();
        for (int i = 0; i < log.size(); i++) {
            stamps.add(log.stamp(i));
        }
        return stamps;
    }

    /** All values, from the smallest; small ones are exact. */
    private static List<Long> values(Histogram histogram) {
        List<Long> values = new ArrayList<>();
        histogram.recordedValues().forEach(value -> {
            for (long i = 0; i < value.getCountAtValueIteratedTo(); i++) {
                values.add(value.getValueIteratedTo());
            }
        });
        return values;
    }
}
