package dev.msgrelay.loadgen.result.view;

import dev.msgrelay.loadgen.page.Mark;
import dev.msgrelay.loadgen.page.Section;
import dev.msgrelay.loadgen.page.Section.Note;
import dev.msgrelay.loadgen.page.Table;
import dev.msgrelay.loadgen.page.Unit;
import dev.msgrelay.loadgen.result.Ceilings;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.Places;
import dev.msgrelay.loadgen.result.RunRecord;
import java.util.ArrayList;
import java.util.List;

/** Everything about one cell: its runs, whether they are valid, what bound them, and their curves. */
final class CellSection {
    private final LaneResult lane;
    private final Cell cell;

    CellSection(LaneResult lane, Cell cell) {
        this.lane = lane;
        this.cell = cell;
    }

    Section section() {
        RunTables tables = new RunTables(cell.runs());
        List<Table> details = new ArrayList<>(List.of(tables.latency(), tables.verification()));
        if (cell.runs().stream().anyMatch(run -> run.resources().boundBy() != null)) {
            details.add(tables.boundBy());
        }
        details.add(ProcessTable.of(cell.runs()));
        return new Section(
                lane.label() + ": " + Overview.title(cell),
                notes(),
                List.of(tables.throughput()),
                new Curves(cell).charts(),
                details);
    }

    private List<Note> notes() {
        List<Note> notes = new ArrayList<>();
        for (RunRecord run : cell.runs()) {
            String round = "Round " + run.moment().round();
            run.outcome().failures().forEach(failure -> notes.add(new Note(round + " FAILS: " + failure, Mark.BAD)));
            if (run.outcome().partial()) {
                notes.add(new Note(round + " is partial: it did not get to its end.", Mark.WARN));
            }
            run.outcome().marks().forEach(mark -> notes.add(new Note(round + ": " + mark, Mark.WARN)));
            if (!run.note().isEmpty()) {
                notes.add(new Note(round + ": " + run.note(), Mark.NOTE));
            }
        }
        notes.add(Note.of(places() + " " + ceilings()));
        return notes;
    }

    private String places() {
        if (lane.link() == null && !lane.places().isApart()) {
            return "Publishers, relay and subscribers are on one machine"
                    + (lane.places().publishers() == Places.Place.WITHIN
                            ? ", publishers within the relay's process."
                            : ".");
        }
        return "Publishers are " + side(lane.places().publishers()) + ", subscribers "
                + side(lane.places().subscribers())
                + (lane.link() == null ? ". Nobody tells the link's speed." : ".");
    }

    private static String side(Places.Place place) {
        return switch (place) {
            case NEAR -> "on the relay's side of the link";
            case NEAR_UNIX -> "on the relay's side of the link, over its Unix socket";
            case WITHIN -> "threads of the relay's process";
            case FAR -> "across the link";
        };
    }

    private String ceilings() {
        Ceilings ceilings = cell.ceilings();
        if (ceilings == null) {
            return "No ceiling is known.";
        }
        return "Ceiling (" + ceilings.source() + "): " + rate(ceilings.batched())
                + (ceilings.single() == null ? "." : "; with one message a segment " + rate(ceilings.single()) + ".");
    }

    private static String rate(Ceilings.Rate rate) {
        return Unit.COUNT.text(rate.messagesPerSecond()) + " msg/s, " + Unit.BYTES.text(rate.bytesPerSecond()) + "/s";
    }
}
