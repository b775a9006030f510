package dev.msgrelay.loadgen.compare;

import dev.msgrelay.loadgen.measure.Machine;
import dev.msgrelay.loadgen.result.Results.Site;
import java.util.ArrayList;
import java.util.List;

/** Says in what the machines of two shootouts differ. */
final class Machines {
    private Machines() {}

    /** One line; empty when they do not. */
    static String difference(List<Site> a, List<Site> b) {
        if (a.size() != b.size()) {
            return a.size() + " machines against " + b.size();
        }
        List<String> differences = new ArrayList<>();
        for (int i = 0; i < a.size(); i++) {
            Machine one = a.get(i).machine();
            Machine other = b.get(i).machine();
            add(differences, "cores", one.cores(), other.cores());
            add(differences, "processor", one.cpu(), other.cpu());
            add(differences, "JDK", one.jdk(), other.jdk());
            add(differences, "kernel", one.kernel(), other.kernel());
            add(differences, "congestion control", one.congestionControl(), other.congestionControl());
            add(differences, "site", a.get(i).name(), b.get(i).name());
        }
        return String.join("; ", differences);
    }

    private static void add(List<String> differences, String what, Object one, Object other) {
        if (!one.equals(other)) {
            differences.add(what + " " + one + " against " + other);
        }
    }
}
