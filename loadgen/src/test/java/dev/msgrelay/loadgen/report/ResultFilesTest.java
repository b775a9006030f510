package dev.msgrelay.loadgen.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Json;
import dev.msgrelay.loadgen.result.MadeUp;
import dev.msgrelay.loadgen.result.ResultFileException;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.RunRecord;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultFilesTest {
    @TempDir
    private Path directory;

    @Test
    void allFilesAreThereAndNoOther() throws Exception {
        ResultFiles files = ResultFiles.in(directory.resolve("new/results"));
        files.write(MadeUp.empty());
        files.write(MadeUp.full());
        assertThat(files.directory().toFile().list())
                .containsExactlyInAnyOrder("results.json", "results.csv", "latency.hlog", "report.html");
        assertThat(Json.read(files.directory())).isEqualTo(MadeUp.full());
        assertThat(files.directory().resolve("report.html")).content().contains("10gbe (emulated)");
    }

    @Test
    void theStandardReaderReadsTheLog() throws Exception {
        Results shootout = MadeUp.full();
        ResultFiles.in(directory).write(shootout);
        List<EncodableHistogram> read = new ArrayList<>();
        try (HistogramLogReader reader =
                new HistogramLogReader(directory.resolve("latency.hlog").toFile())) {
            while (reader.hasNext()) {
                read.add(reader.nextIntervalHistogram());
            }
            assertThat(reader.getStartTimeSec()).isEqualTo(1_769_860_800);
        }
        // Twelve runs, and four of them with a skew.
        assertThat(read).hasSize(16);
        Cell cell = shootout.lane("10gbe").orElseThrow().cells().get(0);
        RunRecord run = cell.runs().get(1);
        Histogram skew = (Histogram) read.stream()
                .filter(one -> "10gbe/1to8-body100/2/skew".equals(one.getTag()))
                .findFirst()
                .orElseThrow();
        assertThat(skew).isEqualTo(run.delays().skew().nanos());
        assertThat(skew.getStartTimeStamp())
                .isEqualTo(Instant.parse("2026-01-31T12:02:02Z").toEpochMilli());
        assertThat(skew.getEndTimeStamp() - skew.getStartTimeStamp()).isEqualTo(10_000);
        assertThat(read)
                .extracting(EncodableHistogram::getTag)
                .contains(
                        "loopback/4to1-bodyuniform:16-1000-batch10-rate20000/1/latency",
                        "loopback/1to1-body100/1/time_in_queue");
    }

    @Test
    void aRowIsARun() throws Exception {
        ResultFiles.in(directory).write(MadeUp.full());
        String csv = Files.readString(directory.resolve("results.csv"));
        List<String> lines = List.of(csv.split("\r\n"));
        assertThat(csv).endsWith("\r\n");
        assertThat(lines).hasSize(1 + 12);
        String[] names = lines.get(0).split(",");
        String[] first = lines.get(1).split(",", -1);
        assertThat(names)
                .startsWith("lane", "emulated")
                .contains("latency_p99.9_ns", "skew_max_ns", "cpu_s")
                .doesNotHaveDuplicates();
        assertThat(first).hasSameSizeAs(names).startsWith("loopback", "false", "near", "near", "100", "100");
        assertThat(first[List.of(names).indexOf("out_msg_per_s")]).isEqualTo("23200000");
        assertThat(first[List.of(names).indexOf("ingress_fraction")]).isEmpty();
        assertThat(first[List.of(names).indexOf("latency_p50_ns")])
                .as("at full speed")
                .isEmpty();
        assertThat(first[List.of(names).indexOf("time_in_queue_p50_ns")]).startsWith("4");
        assertThat(first[List.of(names).indexOf("longest_gap_ns")]).isEqualTo("12500000");
        assertThat(first[List.of(names).indexOf("check_ns")]).isEqualTo("6.5");
        assertThat(csv).contains("near,far,").contains("other programs took 43 % of all cores");
    }

    @Test
    void aFieldWithACommaIsQuoted() {
        Results shootout = MadeUp.full();
        Results odd = MadeUp.empty().with(shootout.lane("loopback").orElseThrow());
        Cell cell = new Cell(MadeUp.parameters("a \"b\", c", 1), null, List.of());
        odd = odd.with(
                "loopback", cell, shootout.lanes().get(0).cells().get(0).runs().get(0));
        assertThat(RunsCsv.of(odd)).contains(",\"a \"\"b\"\", c\",");
        assertThat(HistogramLog.of(odd)).contains("Tag=loopback/1to1-bodya__b___c/1/time_in_queue,");
    }

    @Test
    void aFullDiskIsToldAndWhatWasThereStays() throws Exception {
        long[] room = {4_000_000};
        ResultFiles files = ResultFiles.in(directory, file -> new Limited(Files.newOutputStream(file), room));
        Results before = MadeUp.loopback(1e6, 2e6);
        files.write(before);
        room[0] = 1_000;
        assertThatThrownBy(() -> files.write(MadeUp.full()))
                .isInstanceOf(ResultFileException.class)
                .hasMessage("cannot write " + directory.resolve("results.json") + ": No space left on device; "
                        + directory.resolve("results.json") + " has 2 runs");
        assertThat(Json.read(directory)).isEqualTo(before);
        assertThat(directory.toFile().list()).hasSize(4);
    }

    @Test
    void aDiskThatIsFullFromTheStartIsTold() throws Exception {
        ResultFiles files = ResultFiles.in(directory, file -> new Limited(Files.newOutputStream(file), new long[1]));
        assertThatThrownBy(() -> files.write(MadeUp.empty()))
                .hasMessageEndingWith("No space left on device; nothing is kept");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void anotherShootoutsResultsAreNotOverwritten() throws Exception {
        ResultFiles.in(directory).write(MadeUp.empty());
        assertThatThrownBy(() -> ResultFiles.in(directory))
                .hasMessage(directory + " has results already: " + directory.resolve("results.json"));
    }

    @Test
    void aFileIsNoDirectory() throws Exception {
        Path file = Files.createFile(directory.resolve("taken"));
        assertThatThrownBy(() -> ResultFiles.in(file))
                .isInstanceOf(ResultFileException.class)
                .hasMessageStartingWith("cannot make the directory " + file);
    }

    /** Has room for so many bytes, all files together. */
    private static final class Limited extends FilterOutputStream {
        private final long[] room;

        Limited(OutputStream out, long[] room) {
            super(out);
            this.room = room;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            room[0] -= length;
            if (room[0] < 0) {
                throw new IOException("No space left on device");
            }
            out.write(bytes, offset, length);
        }
    }
}
