package dev.msgrelay.loadgen.report;

import dev.msgrelay.loadgen.lane.LaneStatus;
import dev.msgrelay.loadgen.link.Link;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.result.Json;
import java.util.List;
import java.util.Map;

/** Which lanes there are, for people and for programs. */
public final class LanesReport {
    private static final double MEGA = 1e6;

    private LanesReport() {}

    public static String line(LaneStatus status) {
        return Unit.format(
                "%-28s %-13s %s",
                status.spec().label(),
                status.possible() ? "possible" : "not possible",
                status.possible() ? link(status.spec().emulatedLink()) : status.reason());
    }

    private static String link(Link link) {
        return link == null
                ? "no line rate: 'loadgen ceiling' measures what it can do"
                : Unit.format(
                        "%s each way, at most %,.1f MB/s of TCP payload",
                        link.speed(), link.payloadBytesPerSecond() / MEGA);
    }

    /**
     * A lane for programs.
     *
     * @param reason why it is not possible; null where it is
     * @param mtu in bytes; null where the lane is not emulated, as what follows
     */
    private record Line(
            String lane,
            String label,
            boolean emulated,
            boolean possible,
            String reason,
            Integer mtu,
            Long bitsPerSecond,
            Double payloadBytesPerSecond) {
        static Line of(LaneStatus status) {
            Link link = status.spec().emulatedLink();
            return new Line(
                    status.spec().kind().title(),
                    status.spec().label(),
                    status.spec().isEmulated(),
                    status.possible(),
                    status.reason(),
                    link == null ? null : link.format().mtu(),
                    link == null ? null : link.speed().bitsPerSecond(),
                    link == null ? null : link.payloadBytesPerSecond());
        }
    }

    public static String json(List<LaneStatus> all) {
        return Json.text(Map.of("lanes", all.stream().map(Line::of).toList()));
    }
}
