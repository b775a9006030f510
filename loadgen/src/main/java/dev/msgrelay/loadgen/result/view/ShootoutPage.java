package dev.msgrelay.loadgen.result.view;

import dev.msgrelay.loadgen.page.Page;
import dev.msgrelay.loadgen.page.Section;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.Shootout;
import dev.msgrelay.loadgen.result.Site;
import java.util.ArrayList;
import java.util.List;

/** The report of a shootout: an overview of all cells, a section for each of them, and the environment. */
public final class ShootoutPage {
    private ShootoutPage() {}

    public static Page of(Shootout shootout) {
        List<Section> sections = new ArrayList<>();
        sections.add(Overview.of(shootout));
        for (LaneResult lane : shootout.lanes()) {
            for (Cell cell : lane.cells()) {
                sections.add(new CellSection(lane, cell).section());
            }
        }
        return new Page("Relay shootout", subtitle(shootout), sections, "Environment", facts(shootout));
    }

    private static String subtitle(Shootout shootout) {
        long measured =
                shootout.lanes().stream().filter(lane -> lane.skipped() == null).count();
        return shootout.origin().started() + ", " + measured + (measured == 1 ? " lane, " : " lanes, ")
                + shootout.runs() + " runs";
    }

    private static List<Page.Fact> facts(Shootout shootout) {
        List<Page.Fact> facts = new ArrayList<>();
        for (Site site : shootout.sites()) {
            String who = shootout.sites().size() == 1 ? "" : site.name() + ": ";
            facts.add(
                    new Page.Fact(who + "cores", Integer.toString(site.machine().cores())));
            facts.add(new Page.Fact(who + "processor", site.machine().cpu()));
            facts.add(new Page.Fact(who + "JDK", site.machine().jdk()));
            facts.add(new Page.Fact(who + "kernel", site.machine().kernel()));
            facts.add(
                    new Page.Fact(who + "TCP congestion control", site.machine().congestionControl()));
        }
        for (LaneResult lane : shootout.lanes()) {
            if (lane.link() != null) {
                facts.add(new Page.Fact("link of " + lane.label(), lane.link().toString()));
            }
        }
        facts.add(new Page.Fact("loadgen", shootout.origin().version()));
        facts.add(new Page.Fact("command", String.join(" ", shootout.origin().command())));
        facts.add(new Page.Fact("started", shootout.origin().started()));
        facts.add(new Page.Fact("ended", Overview.ending(shootout.ending())));
        return facts;
    }
}
