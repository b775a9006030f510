package dev.msgrelay.loadgen.worker;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.load.BodySizes;
import dev.msgrelay.loadgen.load.SizeTable;
import dev.msgrelay.protocol.Policy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The process of the subscribers that read too slowly on purpose.
 *
 * <pre>
 *  --from ENDPOINT           where the messages come from
 *  --connections K           in this process (1)
 *  --publishers N            whose messages come
 *  --body SIZES              of them, see BodySizes
 *  --seed N                  of the order of sizes (1)
 *  --bytes-per-second R      that each of them reads
 *  --policy NAME             that each asks for: disconnect, backpressure or skip
 * </pre>
 */
public final class SlowReaderMain {
    private final WorkerArgs args;
    private final Control control;
    private final List<SlowReader> readers = new ArrayList<>();

    private SlowReaderMain(WorkerArgs args, Control control) {
        this.args = args;
        this.control = control;
    }

    public static void main(String[] args) {
        Control.main(args, (parsed, control) -> new SlowReaderMain(parsed, control).run());
    }

    private void run() throws IOException, InterruptedException {
        Policy policy = Policy.ofFlag(args.text("policy"));
        SizeTable sizes = SizeTable.of(BodySizes.parse(args.text("body")), args.number("seed", 1));
        for (int i = 0; i < args.number("connections", 1); i++) {
            readers.add(new SlowReader(
                    Sockets.connect(args.endpoint("from")),
                    policy,
                    args.number("bytes-per-second"),
                    args.number("publishers"),
                    sizes,
                    "slow-" + i));
        }
        control.say("ready", Map.of("connections", readers.size()));
        Progress progress = Progress.start(control, () -> 0, () -> 0);
        control.awaitWindow();
        control.awaitSent();
        JsonArray results = new JsonArray();
        for (SlowReader reader : readers) {
            reader.stop();
            results.add(reader.result());
        }
        JsonObject result = new JsonObject();
        result.put("slow", results);
        progress.last();
        control.say("result", result);
    }
}
