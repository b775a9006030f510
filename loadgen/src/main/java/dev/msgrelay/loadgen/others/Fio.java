package dev.msgrelay.loadgen.others;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import com.grack.nanojson.JsonParserException;
import dev.msgrelay.loadgen.run.Children;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.run.Traffic;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The ceiling of a journal: fio writes blocks one after the other over a file that is there and in the page cache, as recycled
 * segments are, with one {@code pwrite} each, and computes no CRC.
 */
public final class Fio extends SelfMeasured {
    /** The longest block of a journal, which it writes at full speed. */
    private static final int BLOCK = 1 << 20;

    /** As much as a temporary journal keeps. */
    private static final String SIZE = "1g";

    public Fio(Path disk) {
        super(disk);
    }

    @Override
    public String name() {
        return "fio, blocks of " + BLOCK + " bytes";
    }

    @Override
    public String obstacle() {
        return missing("install the package fio", "fio");
    }

    /** It needs no server. */
    @Override
    public Started start(Children children, Load load) {
        return new Started(null, null, null);
    }

    @Override
    Traffic measure(Path directory, Started started, Load load, Timing timing)
            throws IOException, RunException, InterruptedException {
        String said = output(List.of(
                "fio",
                "--name=journal",
                "--filename=" + directory.resolve("file"),
                "--rw=write",
                "--bs=" + BLOCK,
                "--size=" + SIZE,
                "--ioengine=psync",
                "--overwrite=1",
                "--invalidate=0",
                "--time_based",
                "--ramp_time=" + timing.warmup().toMillis() + "ms",
                "--runtime=" + timing.measured().toMillis() + "ms",
                "--output-format=json"));
        try {
            JsonObject write = JsonParser.object()
                    .from(said.substring(Math.max(0, said.indexOf('{'))))
                    .getArray("jobs")
                    .getObject(0)
                    .getObject("write");
            long nanos = timing.measured().toNanos();
            long bytes = Math.round(write.getDouble("bw_bytes") * nanos / 1e9);
            return new Traffic(bytes / BLOCK, bytes, nanos);
        } catch (JsonParserException e) {
            throw new RunException("fio did not say how fast it was: " + e.getMessage());
        }
    }
}
