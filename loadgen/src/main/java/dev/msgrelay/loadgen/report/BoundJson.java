package dev.msgrelay.loadgen.report;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.bound.BoundBy;
import dev.msgrelay.loadgen.bound.CpuShare;
import dev.msgrelay.loadgen.bound.MachineShare;
import dev.msgrelay.loadgen.bound.Queue;
import dev.msgrelay.loadgen.bound.Queues;
import dev.msgrelay.loadgen.bound.RelayHolds;
import dev.msgrelay.loadgen.bound.Sampled;
import dev.msgrelay.loadgen.bound.Signals;
import dev.msgrelay.loadgen.run.Timeline;
import java.util.Locale;

/** What a run was bound by, and the numbers behind it, for programs; what was not seen is null. */
final class BoundJson {
    private static final double MILLI = 1e3;

    private BoundJson() {}

    static JsonObject bound(BoundBy bound) {
        JsonObject json = new JsonObject();
        json.put("kind", bound.kind().toString());
        json.put("confidence", bound.confidence().toString());
        json.put("reasons", new JsonArray(bound.reasons()));
        JsonArray alternatives = new JsonArray();
        bound.alternatives().forEach(kind -> alternatives.add(kind.toString()));
        json.put("alternatives", alternatives);
        json.put("unseen", new JsonArray(bound.unseen()));
        return json;
    }

    static JsonObject signals(Signals signals) {
        Sampled sampled = signals.sampled();
        JsonObject json = new JsonObject();
        json.put("samples", sampled.samples());
        JsonArray cpu = new JsonArray();
        sampled.cpu().forEach(share -> cpu.add(cpu(share, sampled.waitsKnown())));
        json.put("busiestThreads", cpu);
        json.put("machine", machine(sampled.machine()));
        json.put("queues", queues(sampled.queues()));
        json.put("segmentsSent", sampled.segments().sent());
        json.put("segmentsResent", sampled.segments().resent());
        json.put("relay", holds(signals.holds()));
        json.put("linkShareIn", known(signals.link().in()));
        json.put("linkShareOut", known(signals.link().out()));
        return json;
    }

    private static JsonObject cpu(CpuShare share, boolean waitsKnown) {
        JsonObject json = new JsonObject();
        json.put("process", share.process());
        json.put("role", share.role().name().toLowerCase(Locale.ROOT));
        json.put("thread", share.thread());
        json.put("ran", known(share.run()));
        json.put("waited", waitsKnown ? known(share.waited()) : null);
        return json;
    }

    private static JsonObject machine(MachineShare machine) {
        if (machine == null) {
            return null;
        }
        JsonObject json = new JsonObject();
        json.put("cores", machine.cores());
        json.put("idle", known(machine.idle()));
        json.put("softirq", known(machine.softirq()));
        json.put("steal", known(machine.steal()));
        json.put("own", known(machine.own()));
        return json;
    }

    private static JsonObject queues(Queues queues) {
        JsonObject json = new JsonObject();
        json.put("publisherSend", queue(queues.publisherSend()));
        json.put("relayReceive", queue(queues.relayReceive()));
        json.put("relaySend", queue(queues.relaySend()));
        json.put("subscriberReceive", queue(queues.subscriberReceive()));
        return json;
    }

    private static JsonObject queue(Queue queue) {
        if (queue == null) {
            return null;
        }
        JsonObject json = new JsonObject();
        json.put("connections", queue.connections());
        json.put("samples", queue.samples());
        json.put("waiting", known(queue.waiting()));
        json.put("meanBytes", Math.round(queue.meanBytes()));
        return json;
    }

    private static JsonObject holds(RelayHolds holds) {
        if (holds == null) {
            return null;
        }
        JsonObject json = new JsonObject();
        json.put("heldBack", known(holds.heldBack()));
        json.put("backpressure", known(holds.backpressure()));
        json.put("ringUsed", known(holds.ringUsed()));
        return json;
    }

    static JsonArray timeline(Timeline timeline) {
        JsonArray list = new JsonArray();
        for (Timeline.Point point : timeline.points()) {
            JsonObject json = new JsonObject();
            json.put("seconds", known(point.seconds()));
            json.put("messagesIn", whole(point.in()));
            json.put("bytesIn", whole(point.bytesIn()));
            json.put("messagesOut", whole(point.out()));
            json.put("bytesOut", whole(point.bytesOut()));
            json.put("lagBytes", point.lagBytes() < 0 ? null : point.lagBytes());
            list.add(json);
        }
        return list;
    }

    /** To a thousandth, or null. */
    private static Double known(double value) {
        return Double.isNaN(value) ? null : Math.round(value * MILLI) / MILLI;
    }

    private static Long whole(double value) {
        return Double.isNaN(value) ? null : Math.round(value);
    }
}
