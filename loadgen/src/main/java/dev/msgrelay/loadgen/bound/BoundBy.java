package dev.msgrelay.loadgen.bound;

import java.util.List;

/**
 * What a run was bound by.
 *
 * @param confidence in that
 * @param reasons sentences with the numbers, the decisive one first; at least one
 * @param alternatives what it may have been as well, the likelier first; mostly empty
 * @param unseen what could not be looked at, so that nothing follows from its absence; mostly empty
 */
public record BoundBy(
        BoundKind kind,
        Confidence confidence,
        List<String> reasons,
        List<BoundKind> alternatives,
        List<String> unseen) {

    public BoundBy {
        reasons = List.copyOf(reasons);
        alternatives = List.copyOf(alternatives);
        unseen = List.copyOf(unseen);
    }
}
