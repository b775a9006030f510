package dev.msgrelay.loadgen.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.msgrelay.loadgen.lane.Link.LinkRate;
import dev.msgrelay.loadgen.message.SizeTable;
import dev.msgrelay.protocol.FrameLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Against values computed by hand. */
class LinkTest {
    private static final LinkSpeed ONE_GBE = LinkSpeed.parse("1gbe");
    private static final LinkSpeed TEN_GBE = LinkSpeed.parse("10gbe");
    private static final SegmentFormat USUAL = SegmentFormat.usual(1_500);
    private static final Link GIGABIT = new Link(ONE_GBE, USUAL);

    @Test
    void theKnownFiguresOfGigabitEthernet() {
        // segment 1500 - 20 - 20 - 12 = 1448; on the wire 8 + 14 + 1500 + 4 + 12 = 1538
        // 125,000,000 bytes/s * 1448 / 1538 = 117,685,305.6 bytes/s = 941,482,444.7 bit/s
        LinkRate one = GIGABIT.batched(SizeTable.fixed(100));
        assertThat(one.bytesPerSecond()).isCloseTo(117_685_305.6, within(0.1));
        assertThat(one.bytesPerSecond() * 8 / 1e6).isCloseTo(941.5, within(0.05));
        assertThat(one.lineFraction()).isCloseTo(0.941482, within(1e-6));
        // ... of frames of 108 bytes: 1,089,678.8 a second
        assertThat(one.messagesPerSecond()).isCloseTo(1_089_678.8, within(0.1));
        assertThat(new Link(TEN_GBE, USUAL).batched(SizeTable.fixed(100)).bytesPerSecond() / 1e6)
                .isCloseTo(1_176.9, within(0.05));
    }

    @ParameterizedTest
    @CsvSource({
        // MTU: segment; wire
        "1500, 1448, 1538",
        "9000, 8948, 9038",
        // 68 - 52 = 16; 68 + 14 + 4 = 86, above the least frame: 86 + 20 = 106
        "68,   16,   106",
    })
    void headersAreTakenOffTheMtuAndEthernetIsAddedToIt(int mtu, int segment, int wire) {
        SegmentFormat format = SegmentFormat.usual(mtu);
        assertThat(format.segmentBytes()).isEqualTo(segment);
        assertThat(format.wireBytes(segment)).isEqualTo(wire);
    }

    @Test
    void jumboFrames() {
        // 125e6 * 8948 / 9038 = 123,755,255.6
        assertThat(new Link(ONE_GBE, SegmentFormat.usual(9_000))
                        .batched(SizeTable.fixed(1_000))
                        .bytesPerSecond())
                .isCloseTo(123_755_255.6, within(0.1));
    }

    @Test
    void oneMessageASegmentPaysAllHeadersEachTime() {
        // frame 108; wire 8 + 14 + 52 + 108 + 4 + 12 = 198; 125e6 / 198 = 631,313.1 messages, 68,181,818.2 bytes/s
        LinkRate single = GIGABIT.single(SizeTable.fixed(100));
        assertThat(single.messagesPerSecond()).isCloseTo(631_313.1, within(0.1));
        assertThat(single.bytesPerSecond()).isCloseTo(68_181_818.2, within(0.1));
        assertThat(single.lineFraction()).isCloseTo(108 / 198.0, within(1e-12));
    }

    @Test
    void aMessageThatIsExactlyASegmentGainsNothingByBatching() {
        LinkRate batched = GIGABIT.batched(SizeTable.fixed(1_448 - 8));
        LinkRate single = GIGABIT.single(SizeTable.fixed(1_448 - 8));
        // 125e6 / 1538 = 81,274.4
        assertThat(single.messagesPerSecond()).isCloseTo(81_274.4, within(0.1));
        assertThat(batched.messagesPerSecond()).isCloseTo(single.messagesPerSecond(), within(1e-6));
    }

    @Test
    void oneByteMoreTakesASecondSegment() {
        // 1538 + (8 + 14 + 52 + 1 + 4 + 12 = 91, no padding: the frame is 71) = 1629; 125e6 / 1629 = 76,734.2
        assertThat(USUAL.wireBytesOf(1_449)).isEqualTo(1_629);
        assertThat(GIGABIT.single(SizeTable.fixed(1_449 - 8)).messagesPerSecond())
                .isCloseTo(76_734.2, within(0.1));
        // batched: 117,685,305.6 / 1449 = 81,218.3
        assertThat(GIGABIT.batched(SizeTable.fixed(1_449 - 8)).messagesPerSecond())
                .isCloseTo(81_218.3, within(0.1));
    }

    @Test
    void aMessageOfSeveralSegments() {
        // frame 10,008 = 6 * 1448 + 1320; wire 6 * 1538 + (90 + 1320) = 10,638; 125e7 / 10,638 = 117,503.3
        assertThat(USUAL.wireBytesOf(10_008)).isEqualTo(10_638);
        assertThat(new Link(TEN_GBE, USUAL).single(SizeTable.fixed(10_000)).messagesPerSecond())
                .isCloseTo(117_503.3, within(0.1));
    }

    @Test
    void theSmallestAndTheLargestMessage() {
        // an empty body: frame 8, wire 8 + 14 + 52 + 8 + 4 + 12 = 98; 125e6 / 98 = 1,275,510.2
        assertThat(GIGABIT.single(SizeTable.fixed(0)).messagesPerSecond()).isCloseTo(1_275_510.2, within(0.1));
        // 117,685,305.6 / 8 = 14,710,663.2
        assertThat(GIGABIT.batched(SizeTable.fixed(0)).messagesPerSecond()).isCloseTo(14_710_663.2, within(0.1));
        // 64 MiB + 8 = 67,108,872 = 46,345 * 1448 + 1,312; wire 46,345 * 1538 + 1,402 = 71,280,012
        assertThat(GIGABIT.single(SizeTable.fixed(FrameLayout.MAX_MAX_BODY)).messagesPerSecond())
                .isCloseTo(125e6 / 71_280_012, within(1e-9));
    }

    @Test
    void severalReceiversShareTheEgress() {
        LinkRate all = GIGABIT.batched(SizeTable.fixed(100));
        LinkRate each = all.dividedBy(8);
        // 1,089,678.8 / 8 = 136,209.8; 117,685,305.6 / 8 = 14,710,663.2
        assertThat(each.messagesPerSecond()).isCloseTo(136_209.8, within(0.1));
        assertThat(each.bytesPerSecond()).isCloseTo(14_710_663.2, within(0.1));
        assertThat(each.lineFraction()).isCloseTo(0.941482 / 8, within(1e-6));
    }

    @Test
    void impossibleFormatsAreRefused() {
        assertThatThrownBy(() -> SegmentFormat.usual(67)).hasMessage("MTU 67 is not within 68..65535");
        assertThatThrownBy(() -> SegmentFormat.usual(65_536)).hasMessageContaining("65536");
    }

    @Test
    void anEmulatedLinkCountsFramesWithoutWhatIsAroundThem() {
        // 14 + 1500 = 1514; 125e6 * 1448 / 1514 = 119,550,858.7 bytes/s = 956,406,869.2 bit/s
        SegmentFormat emulated = new SegmentFormat(1_500, Framing.TRAFFIC_CONTROL);
        assertThat(new Link(ONE_GBE, emulated).batched(SizeTable.fixed(100)).bytesPerSecond())
                .isCloseTo(119_550_858.7, within(0.1));
        // 14 + 52 + 8 = 74; with 1 byte 67: not padded
        assertThat(emulated.wireBytes(8)).isEqualTo(74);
        assertThat(emulated.wireBytes(1)).isEqualTo(67);
    }
}
