package dev.msgrelay.server.journal.format;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.server.journal.format.IndexRecord.Kind;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IndexRecordTest {
    private static final long MOST = 1L << 62;
    private static final long SEED = 0x0123456789ABCDEFL;
    private static final IndexRecord BLOCK =
            new IndexRecord(Kind.BLOCK, 0xCAFEBABE, 0x1000, 0x20, 0x1100, 0x23, 0x18F00000000L, 0x0A0B0C0D);

    private static ByteBuffer bytes(SealedRecord record, long seed) {
        ByteBuffer target = ByteBuffer.allocate(IndexRecord.LENGTH);
        record.put(target, seed);
        assertThat(target.position()).isEqualTo(IndexRecord.LENGTH);
        return target.flip();
    }

    @Test
    void fieldsLieWhereTheDocumentSays() {
        String hex = HexFormat.of().formatHex(bytes(BLOCK, SEED).array());
        assertThat(hex.substring(0, 120))
                .isEqualTo("00000001" + "cafebabe" + "0000000000001000" + "0000000000000020" + "0000000000001100"
                        + "0000000000000023" + "0000018f00000000" + "000000000a0b0c0d" + "00000000");
        assertThat(IndexRecord.read(bytes(BLOCK, SEED), 0, SEED)).isEqualTo(BLOCK);
        IndexRecord forced = IndexRecord.forced(5000, 77, 3, -4);
        assertThat(IndexRecord.read(bytes(forced, SEED), 0, SEED)).isEqualTo(forced);
    }

    @Test
    void noOtherByteAndNoOtherSeedPasses() {
        for (int at = 0; at < IndexRecord.LENGTH; at++) {
            for (int bit = 0; bit < 8; bit++) {
                ByteBuffer changed = bytes(BLOCK, SEED);
                changed.put(at, (byte) (changed.get(at) ^ 1 << bit));
                assertThat(IndexRecord.read(changed, 0, SEED))
                        .as("byte %d bit %d", at, bit)
                        .isSameAs(SealedRecord.NONE);
            }
        }
        for (int bit = 0; bit < Long.SIZE; bit++) {
            assertThat(IndexRecord.read(bytes(BLOCK, SEED ^ 1L << bit), 0, SEED))
                    .as("seed bit %d", bit)
                    .isSameAs(SealedRecord.NONE);
        }
        assertThat(IndexRecord.read(ByteBuffer.allocate(IndexRecord.LENGTH), 0, 0))
                .as("zeros")
                .isSameAs(SealedRecord.NONE);
    }

    /** A record does not go back, has room for its messages, and ends within what a position or a sequence can be. */
    @ParameterizedTest
    @CsvSource({
        "BLOCK, 0, 1, 80, 11, true",
        "BLOCK, 0, 1, 80, 12, false",
        "LOST, 0, 1, 80, 12, false",
        "BLOCK, 100, 5, 100, 6, false",
        "LOST, 100, 5, 110, 5, false",
        "BLOCK, -8, 1, 80, 2, false",
        "BLOCK, 0x3FFFFFFFFFFFFFF8, 1, 0x4000000000000000, 2, true",
        "BLOCK, 0x3FFFFFFFFFFFFFF8, 1, 0x4000000000000001, 2, false",
        "BLOCK, 0, 0x4000000000000000, 80, 0x4000000000000001, false"
    })
    void recordsThatCannotBeAreNone(
            Kind kind, long position, long sequence, long endPosition, long endSequence, boolean can) {
        IndexRecord record = new IndexRecord(kind, 0, position, sequence, endPosition, endSequence, 0, 0);
        assertThat(IndexRecord.read(bytes(record, SEED), 0, SEED) instanceof IndexRecord)
                .isEqualTo(can);
    }

    @ParameterizedTest
    @CsvSource({"0, 0, true", "1, 0, false", "0, 1, false"})
    void whatIsForcedIsWithinThatToo(long bytesMore, long messagesMore, boolean can) {
        IndexRecord forced = IndexRecord.forced(MOST + bytesMore, MOST + messagesMore, 0, 0);
        assertThat(IndexRecord.read(bytes(forced, SEED), 0, SEED) instanceof IndexRecord)
                .isEqualTo(can);
    }

    @Test
    void names() {
        String moved = HexFormat.of()
                .formatHex(bytes(NameRecord.moved(3, 0x40, 0x50), SEED).array());
        assertThat(moved.substring(0, 48)).isEqualTo("00000005" + "00000003" + "0000000000000040" + "0000000000000050");
        JournalName name = new JournalName("x".repeat(100), new ProducerId(1, 2), "owner", JournalName.Hole.NONE);
        List<NameRecord> parts = NameRecord.of(9, name);
        assertThat(parts).hasSize(3);
        ByteBuffer all = ByteBuffer.allocate(16 + 2 + 100 + 5);
        for (NameRecord part : parts) {
            ByteBuffer bytes = bytes(part, SEED);
            NameRecord read = (NameRecord) NameRecord.read(bytes, 0, SEED);
            assertThat(read.slot()).isEqualTo(9);
            assertThat(read.total()).isEqualTo(all.capacity());
            assertThat(read.offset()).isEqualTo(all.position());
            all.put(read.bytes());
            assertThat(IndexRecord.read(bytes, 0, SEED)).isSameAs(SealedRecord.NONE);
            assertThat(NameRecord.read(bytes, 0, SEED + 1)).isSameAs(SealedRecord.NONE);
        }
        assertThat(all.hasRemaining()).isFalse();
        assertThat(NameRecord.decode(all.array())).contains(name);
        JournalName holed =
                new JournalName("orders", new ProducerId(1, 2), "owner", new JournalName.Hole(0x30, 0x40, 0x50));
        byte[] encoded = NameRecord.encode(holed);
        assertThat(HexFormat.of().formatHex(encoded, 16, 42))
                .isEqualTo("8006" + "0000000000000030" + "0000000000000040" + "0000000000000050");
        assertThat(NameRecord.decode(encoded)).contains(holed);
        assertThat(NameRecord.decode(Arrays.copyOf(encoded, 47))).isEmpty();
        assertThat(NameRecord.read(bytes(BLOCK, SEED), 0, SEED)).isSameAs(SealedRecord.NONE);
        assertThat(NameRecord.decode(new byte[17])).isEmpty();
        assertThat(NameRecord.decode(HexFormat.of().parseHex("00".repeat(16) + "0003" + "4142")))
                .isEmpty();
    }

    @Test
    void headers() {
        SegmentHeader header = new SegmentHeader(0x1122334455667788L, 0x8000000, 42, 0x18F00000000L, 0x7FFFFFF, -2);
        String hex = HexFormat.of().formatHex(header.bytes().array());
        assertThat(hex.substring(0, 120))
                .isEqualTo("52454c41594a4e4c" + "00000001" + "ffffffff" + "1122334455667788" + "0000000008000000"
                        + "000000000000002a" + "0000018f00000000" + "0000000007ffffff" + "fffffffe");
        assertThat(SegmentHeader.read(header.bytes())).contains(header);
        for (int at = 0; at < SegmentHeader.LENGTH; at++) {
            ByteBuffer changed = header.bytes();
            changed.put(at, (byte) (changed.get(at) ^ 1));
            assertThat(SegmentHeader.read(changed)).as("byte %d", at).isEmpty();
        }
        assertThat(SegmentHeader.read(ByteBuffer.allocate(10))).isEmpty();
        assertThat(SegmentHeader.read(new SegmentHeader(7, MOST + 1, 1, 0, 0, 0).bytes()))
                .isEmpty();
    }

    @Test
    void namesOfFiles() {
        assertThat(FileNames.stream(134_217_728)).isEqualTo("00000000000134217728.stream");
        assertThat(FileNames.base("00000000000134217728.index")).isEqualTo(134_217_728);
        assertThat(FileNames.base("00000000000134217728.index.spare")).isEqualTo(-1);
        assertThat(FileNames.base("99999999999999999999.stream")).isEqualTo(-1);
        assertThat(FileNames.base("lock")).isEqualTo(-1);
    }
}
