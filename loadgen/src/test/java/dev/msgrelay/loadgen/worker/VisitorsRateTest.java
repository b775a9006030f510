package dev.msgrelay.loadgen.worker;

import static org.assertj.core.api.Assertions.assertThat;

import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.load.BodySizes;
import dev.msgrelay.loadgen.load.Check;
import dev.msgrelay.loadgen.load.FrameBatch;
import dev.msgrelay.loadgen.load.LoadMessage;
import dev.msgrelay.loadgen.load.SizeTable;
import dev.msgrelay.loadgen.load.TypeChoice;
import dev.msgrelay.protocol.TypeRanges;
import java.nio.ByteBuffer;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a subscriber of a run counts where visitors publish beside the run's own publisher. */
class VisitorsRateTest {
    private static final int OWN = 0;
    private static final int VISITOR = 1;
    private static final int OF_OWN = 30;
    private static final int OF_VISITOR = 10;

    private static ByteBuffer messages(SizeTable sizes, int publisher, int count) {
        FrameBatch batch = FrameBatch.ofMessages(sizes, count);
        batch.fill(LoadMessage.stamp(publisher, 0), System.nanoTime());
        return batch.take();
    }

    /** Of one size they are counted by runs, of several one by one. */
    @ParameterizedTest
    @ValueSource(strings = {"20", "uniform:20-2000"})
    void theirMessagesAreCheckedAndNoPartOfTheRate(String bodies) throws Exception {
        SizeTable sizes = SizeTable.of(BodySizes.parse(bodies), 7);
        Receiver.Settings settings = new Receiver.Settings(
                Check.FULL, 2, 1, sizes, new TypeChoice(sizes, TypeRanges.ALL), 1, 16, 0, null, 0);
        Control control = new Control();
        control.onCommand("run 0 0 " + Long.MAX_VALUE);
        ByteBuffer own = messages(sizes, OWN, OF_OWN);
        long ownBytes = own.remaining();
        try (Loopback loopback = Loopback.open()) {
            Receiver receiver =
                    new Receiver(loopback.near(), settings, 1 << 16, control, "subscriber-0", settings.newCheck(), 0);
            loopback.far().write(own);
            loopback.far().write(messages(sizes, VISITOR, OF_VISITOR));
            loopback.far().shutdownOutput();
            assertThat(receiver.awaitEnd(60_000)).isTrue();
            receiver.stop();
            JsonObject result = receiver.result(0, Map.of(OWN, (long) OF_OWN, VISITOR, (long) OF_VISITOR));
            assertThat(result.getLong("total")).isEqualTo(OF_OWN + OF_VISITOR);
            assertThat(result.getLong("lost")).isZero();
            assertThat(result.getLong("messages")).isEqualTo(OF_OWN);
            assertThat(result.getLong("bytes")).isEqualTo(ownBytes);
        }
    }
}
