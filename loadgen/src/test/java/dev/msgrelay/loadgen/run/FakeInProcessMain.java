package dev.msgrelay.loadgen.run;

import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.inprocess.InProcessMain;
import dev.msgrelay.loadgen.run.FakeRelay.Fault;
import dev.msgrelay.loadgen.worker.Control;
import dev.msgrelay.loadgen.worker.Outlet;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The worker of in-process runs, with a relay in its process that does one thing wrong. */
public final class FakeInProcessMain {
    private static final long READY_NANOS = TimeUnit.SECONDS.toNanos(120);
    private static final int RUN_LENGTH = 12;

    private FakeInProcessMain() {}

    public static void main(String[] args) {
        Control.main(args, (parsed, control) -> {
            FakeRelay relay = new FakeRelay(
                    Fault.valueOf(parsed.text("fault")),
                    parsed.number("place"),
                    parsed.flag("answer") ? Policy.ofFlag(parsed.text("answer")) : null,
                    parsed.number("threads"),
                    parsed.number("subscribers"),
                    true);
            control.hold(relay);
            InProcessMain.run(parsed, control, new Target(relay));
        });
    }

    private record Target(FakeRelay relay) implements InProcessMain.Target {
        @Override
        public Outlet newPublisher(boolean single) {
            return relay::publish;
        }

        @Override
        public Endpoint subscribe() throws IOException {
            return relay.started().subscribe();
        }

        @Override
        public long subscribers() {
            return relay.subscribers();
        }

        @Override
        public JsonObject stats() {
            return new JsonObject();
        }
    }

    /**
     * That worker as a contestant.
     *
     * @param place in the stream where the fault happens, from 0
     * @param answer to HELLO; null: subscribers say nothing
     */
    record Fake(Fault fault, long place, Policy answer) implements Contestant {
        @Override
        public String name() {
            return "fake, publishers in its process";
        }

        @Override
        public Started start(Children children, Load load) throws IOException, RunException, InterruptedException {
            List<String> args = new ArrayList<>(List.of("--fault", fault.name(), "--place", "" + place));
            args.addAll(List.of("--threads", "" + load.publishers(), "--subscribers", "" + load.subscribers()));
            args.addAll(List.of("--body", "" + load.body(), "--seed", "" + load.seed()));
            args.addAll(List.of("--run-length", "" + RUN_LENGTH));
            if (answer != null) {
                args.addAll(List.of("--answer", answer.flag()));
            }
            Child child =
                    children.startWorker(children.placement().relay(), "fake relay", FakeInProcessMain.class, args);
            JsonObject ready = child.await("ready", READY_NANOS);
            return new Started(child, null, Endpoint.parse(ready.getString("subscribe")));
        }
    }
}
