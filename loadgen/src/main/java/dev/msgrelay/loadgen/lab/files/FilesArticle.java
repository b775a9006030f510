package dev.msgrelay.loadgen.lab.files;

import dev.msgrelay.loadgen.lab.Article;
import dev.msgrelay.loadgen.lab.Claims;
import dev.msgrelay.loadgen.lab.Column;
import java.util.List;
import java.util.OptionalDouble;

/**
 * The article's figures: five loops each, in bytes per second. Those of buffered streams stand beside our loops on a
 * growing file, because the article's stream cuts the file to nothing before it writes.
 */
final class FilesArticle {
    static final Article ARTICLE = new Article(
            "Java Sequential IO Performance",
            2011,
            "2.0 GHz Sandy Bridge, 8 GB of memory, Intel 320 SSD, ext4, Fedora 15, Java 6");

    private static final double MEGA = 1e6;

    private record Loops(String row, List<Integer> write, List<Integer> read) {
        double[] sorted(Column column) {
            return (column == FileLoop.WRITE ? write : read)
                    .stream().mapToDouble(bytes -> bytes / MEGA).sorted().toArray();
        }
    }

    private static final List<Loops> SMALL = List.of(
            new Loops(
                    "RandomAccessFile, pre-allocated",
                    List.of(379_610_750, 294_041_636, 250_980_392, 250_366_748, 260_394_151),
                    List.of(1_452_482_269, 1_494_890_510, 1_422_222_222, 1_388_474_576, 1_422_222_222)),
            new Loops(
                    "BufferedStreamFile, growing",
                    List.of(98_178_331, 100_244_738, 82_948_562, 108_503_311, 113_055_478),
                    List.of(286_433_566, 288_857_545, 154_100_827, 153_869_271, 152_608_047)),
            new Loops(
                    "BufferedChannelFile, pre-allocated",
                    List.of(228_443_948, 265_629_053, 223_825_136, 232_992_036, 212_779_220),
                    List.of(356_173_913, 374_063_926, 1_539_849_624, 1_539_849_624, 1_534_082_397)),
            new Loops(
                    "MemoryMappedFile, pre-allocated",
                    List.of(300_955_180, 313_149_847, 326_374_501, 327_680_000, 326_895_450),
                    List.of(305_899_925, 310_538_286, 303_857_566, 304_535_315, 303_632_320)));

    private static final List<Loops> LARGE = List.of(
            new Loops(
                    "RandomAccessFile, pre-allocated",
                    List.of(167_402_321, 193_934_802, 192_948_159, 191_814_180, 190_635_762),
                    List.of(251_922_012, 257_052_307, 248_460_768, 245_225_408, 275_315_073)),
            new Loops(
                    "BufferedStreamFile, growing",
                    List.of(154_823_102, 152_083_913, 133_099_369, 131_065_708, 132_694_052),
                    List.of(248_355_313, 253_418_301, 146_056_197, 146_217_827, 148_116_004)),
            new Loops(
                    "BufferedChannelFile, pre-allocated",
                    List.of(186_703_740, 190_591_410, 187_220_038, 191_585_397, 192_653_214),
                    List.of(215_075_218, 211_030_680, 223_087_606, 221_297_747, 211_789_038)),
            new Loops(
                    "MemoryMappedFile, pre-allocated",
                    List.of(123_023_322, 121_961_023, 123_317_778, 121_472_738, 120_362_615),
                    List.of(231_530_156, 230_403_600, 229_899_250, 231_739_745, 231_190_382)));

    private FilesArticle() {}

    private static List<Loops> of(int megabytes) {
        return switch (megabytes) {
            case FilesOptions.SMALL -> SMALL;
            case FilesOptions.LARGE -> LARGE;
            default -> List.of();
        };
    }

    /** The slowest and the fastest of its five loops. */
    static Claims claims(int megabytes) {
        Claims claims = Claims.NONE;
        for (Loops loops : of(megabytes)) {
            for (Column column : List.of(FileLoop.WRITE, FileLoop.READ)) {
                double[] sorted = loops.sorted(column);
                claims = claims.and(loops.row(), column, sorted[0], sorted[sorted.length - 1]);
            }
        }
        return claims;
    }

    /** How many times row {@code b} row {@code a} was there, by their medians; empty for a size that it did not measure. */
    static OptionalDouble ratio(int megabytes, Column column, String a, String b) {
        return of(megabytes).isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(median(megabytes, column, a) / median(megabytes, column, b));
    }

    private static double median(int megabytes, Column column, String row) {
        return of(megabytes).stream()
                .filter(loops -> loops.row().equals(row))
                .map(loops -> loops.sorted(column))
                .mapToDouble(sorted -> sorted[sorted.length / 2])
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("the article has no row " + row));
    }
}
