package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.result.Ending;
import dev.msgrelay.loadgen.result.MaxRate;
import dev.msgrelay.loadgen.result.Shootout;
import dev.msgrelay.loadgen.result.Site;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Everything that a shootout has taken so far. Its thread owns it. */
final class Book {
    private final Head head;
    private final Map<String, Sheet> sheets = new LinkedHashMap<>();
    private final List<Site> sites;
    private final List<MaxRate> maxRates = new ArrayList<>();
    private Ending ending = Ending.running();

    /**
     * What is known before the first run.
     *
     * @param started ISO 8601, with the zone
     * @param command the command line
     */
    record Head(String version, String started, List<String> command, List<Site> sites) {}

    Book(Head head) {
        this.head = head;
        this.sites = new ArrayList<>(head.sites());
    }

    void add(Sheet sheet) {
        sheets.put(sheet.name(), sheet);
    }

    /** A further machine that takes part. */
    void add(Site site) {
        sites.add(site);
    }

    void add(MaxRate found) {
        maxRates.add(found);
    }

    Sheet sheet(String lane) {
        return sheets.get(lane);
    }

    void end(Ending how) {
        ending = how;
    }

    /** What a reader has to know beside the runs, one line each. */
    List<String> notes() {
        return sheets.values().stream().flatMap(sheet -> sheet.notes().stream()).toList();
    }

    /** All of it, as results know it. */
    Shootout shootout() {
        return new Shootout(
                head.version(),
                head.started(),
                head.command(),
                sites,
                sheets.values().stream().map(Sheet::result).toList(),
                maxRates,
                ending);
    }
}
