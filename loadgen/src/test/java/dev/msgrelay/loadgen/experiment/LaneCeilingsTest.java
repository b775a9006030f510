package dev.msgrelay.loadgen.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.msgrelay.loadgen.lane.Framing;
import dev.msgrelay.loadgen.lane.Link;
import dev.msgrelay.loadgen.lane.LinkSpeed;
import dev.msgrelay.loadgen.lane.SegmentFormat;
import dev.msgrelay.loadgen.message.BodySizes;
import dev.msgrelay.loadgen.message.SizeTable;
import dev.msgrelay.loadgen.result.Cell.Ceilings;
import org.junit.jupiter.api.Test;

class LaneCeilingsTest {
    private static final LinkSpeed GIGABIT = LinkSpeed.parse("1g");
    private static final SegmentFormat EMULATED = new SegmentFormat(1_500, Framing.TRAFFIC_CONTROL);

    @Test
    void oneSizeOnARealGigabit() {
        Link link = new Link(GIGABIT, SegmentFormat.usual(1_500));
        SizeTable sizes = SizeTable.of(BodySizes.fixed(100));
        Ceilings ceilings = Ceilings.of(link, sizes);
        // 125,000,000 * 1448 / 1538; / 108
        assertThat(ceilings.batched().bytesPerSecond()).isCloseTo(117_685_305.6, within(0.1));
        assertThat(ceilings.batched().messagesPerSecond()).isCloseTo(1_089_678.8, within(0.1));
        // 38 + 52 + 108 = 198 bytes of the link's time
        assertThat(link.single(sizes).messagesPerSecond()).isCloseTo(631_313.1, within(0.1));
        assertThat(ceilings.source()).isEqualTo(Ceilings.LINK);
    }

    @Test
    void oneSizeOnAnEmulatedGigabit() {
        Link link = new Link(GIGABIT, EMULATED);
        SizeTable sizes = SizeTable.of(BodySizes.fixed(100));
        Ceilings ceilings = Ceilings.of(link, sizes);
        // 125,000,000 * 1448 / 1514
        assertThat(ceilings.batched().bytesPerSecond()).isCloseTo(119_550_858.7, within(0.1));
        // 14 + 52 + 108 = 174
        assertThat(link.single(sizes).messagesPerSecond()).isCloseTo(718_390.8, within(0.1));
    }

    @Test
    void sizesTakeTheLinkByTheirMean() {
        // Frames of 200 to 300 bytes: 1000 bytes for four messages.
        Link link = new Link(GIGABIT, EMULATED);
        SizeTable sizes = SizeTable.of(BodySizes.parse("192-292"));
        Ceilings ceilings = Ceilings.of(link, sizes);
        assertThat(ceilings.batched().bytesPerSecond()).isCloseTo(119_550_858.7, within(0.1));
        assertThat(ceilings.batched().messagesPerSecond()).isCloseTo(119_550_858.7 / 250, within(1.0));
        // one a segment: 4 * (250 + 66) = 1264 bytes for four messages
        assertThat(link.single(sizes).messagesPerSecond()).isCloseTo(125_000_000.0 * 4 / 1_264, within(1.0));
        assertThat(link.single(sizes).bytesPerSecond()).isCloseTo(125_000_000.0 * 1_000 / 1_264, within(100.0));
    }
}
