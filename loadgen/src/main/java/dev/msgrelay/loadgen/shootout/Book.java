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
    private final Shootout.Origin origin;
    private final Map<String, Sheet> sheets = new LinkedHashMap<>();
    private final List<Site> sites;
    private final List<MaxRate> maxRates = new ArrayList<>();
    private Ending ending = Ending.running();

    /**
     * @param sites the machines that take part as far as they are known, the relay's first
     */
    Book(Shootout.Origin origin, List<Site> sites) {
        this.origin = origin;
        this.sites = new ArrayList<>(sites);
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
    private List<String> notes() {
        return sheets.values().stream().flatMap(sheet -> sheet.notes().stream()).toList();
    }

    /** All of it, as results know it. */
    Shootout shootout() {
        return new Shootout(
                origin, sites, sheets.values().stream().map(Sheet::result).toList(), maxRates, notes(), ending);
    }
}
