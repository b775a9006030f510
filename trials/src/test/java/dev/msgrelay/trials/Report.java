package dev.msgrelay.trials;

import dev.msgrelay.protocol.Level;
import dev.msgrelay.trials.Account.Count;
import dev.msgrelay.trials.Account.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What came of a trial.
 *
 * @param survived the least level of which nothing may be lost
 * @param accounts of each node
 * @param silences for people: for how long nothing was acknowledged, a line for each kind of incident
 * @param more what is wrong beside what accounts found
 */
record Report(Level survived, List<Account> accounts, List<String> silences, List<String> more) {
    /** What is wrong; empty: nothing. */
    List<String> findings() {
        List<String> all = new ArrayList<>(more);
        accounts.forEach(account -> all.addAll(account.findings()));
        return all;
    }

    /** Messages that publishers were told to be there. */
    long acknowledged() {
        return accounts.stream()
                .flatMap(account -> account.rows().stream())
                .mapToLong(row -> row.get(Count.ACKNOWLEDGED))
                .sum();
    }

    /** Silences, a line for each level of each account, and what the levels show that do not survive. */
    String text() {
        List<String> lines = new ArrayList<>(silences);
        long gone = 0;
        boolean control = false;
        for (Account account : accounts) {
            for (Row row : account.rows()) {
                boolean isControl = row.level().compareTo(survived) < 0;
                control |= isControl;
                gone += isControl ? row.get(Count.LOST) + row.get(Count.ROLLED_BACK) : 0;
                lines.add(account.where() + ", " + row.level().flag() + (isControl ? " (control)" : "") + ": "
                        + row.counts().entrySet().stream()
                                .map(one -> String.format(Locale.ROOT, "%,d ", one.getValue())
                                        + one.getKey().title())
                                .collect(Collectors.joining(", ")));
            }
        }
        if (control) {
            lines.add(
                    gone > 0
                            ? "control: below level " + survived.flag()
                                    + " messages are lost, as they may be: a loss is seen"
                            : "control: nothing was lost below level " + survived.flag()
                                    + ", so this does not show that a loss would be seen: more incidents, or a higher rate");
        }
        lines.addAll(findings());
        return String.join("\n", lines);
    }
}
