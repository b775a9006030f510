package dev.msgrelay.loadgen.lab.readers;

import static dev.msgrelay.loadgen.lab.readers.ReaderContestant.BYTES;
import static dev.msgrelay.loadgen.lab.readers.ReaderContestant.MESSAGES;

import dev.msgrelay.loadgen.lab.Claims;
import dev.msgrelay.loadgen.lab.Figure;
import dev.msgrelay.loadgen.lab.Finding;
import dev.msgrelay.loadgen.lab.Findings;
import dev.msgrelay.loadgen.lab.TableResult;
import dev.msgrelay.loadgen.lane.LaneKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What the article says, and what our figures say of it. */
final class ReaderClaims {
    /** A client that gets this share of what the link carries is held back by the link. */
    private static final double FULL = 0.95;

    private ReaderClaims() {}

    /** The article's figures, by network. */
    static Claims of(LaneKind lane) {
        return switch (lane) {
            case GBE_1 ->
                Claims.NONE
                        .and(Ladder.BYTE_WISE.text(), MESSAGES, 268_240, 289_184)
                        .and(Ladder.BYTE_WISE.text(), BYTES, 29.0, 31.2)
                        .and(Ladder.FOUR_BYTES.text(), MESSAGES, 523_834)
                        .and(Ladder.FOUR_BYTES.text(), BYTES, 56.6)
                        .and(Ladder.BUFFERED.text(), MESSAGES, 1_074_113)
                        .and(Ladder.BUFFERED.text(), BYTES, 116.0);
            case GBE_10 ->
                Claims.NONE
                        .and(Ladder.BYTE_WISE.text(), MESSAGES, 317_490)
                        .and(Ladder.BYTE_WISE.text(), BYTES, 34.3)
                        .and(Ladder.FOUR_BYTES.text(), MESSAGES, 589_866)
                        .and(Ladder.FOUR_BYTES.text(), BYTES, 63.7)
                        .and(Ladder.BUFFERED.text(), MESSAGES, 3_687_315)
                        .and(Ladder.BUFFERED.text(), BYTES, 398.2)
                        .and(Ladder.BOTH.text(), MESSAGES, 5_305_039)
                        .and(Ladder.BOTH.text(), BYTES, 572.9)
                        .and(Ladder.REUSING.text(), MESSAGES, 4_694_835)
                        .and(Ladder.REUSING.text(), BYTES, 507.0)
                        .and(Ladder.APPENDING.text(), MESSAGES, 10_834_236)
                        .and(Ladder.APPENDING.text(), BYTES, 1_170.1);
            case LOOPBACK ->
                Claims.NONE
                        .and(Ladder.BYTE_WISE.text(), MESSAGES, 304_850)
                        .and(Ladder.BYTE_WISE.text(), BYTES, 32.9)
                        .and(Ladder.BOTH.text(), MESSAGES, 4_816_955)
                        .and(Ladder.BOTH.text(), BYTES, 520.2)
                        .and(Ladder.APPENDING.text(), MESSAGES, 14_164_305)
                        .and(Ladder.APPENDING.text(), BYTES, 1_529.7)
                        .and(Ladder.COMPACTING.text(), MESSAGES, 16_000_000)
                        .and(Ladder.COMPACTING.text(), BYTES, 1_728.0)
                        .and(Ladder.HANDING.text(), MESSAGES, 19_880_715)
                        .and(Ladder.HANDING.text(), BYTES, 2_147.1);
            default -> Claims.NONE;
        };
    }

    /**
     * Of a sender of large writes.
     *
     * @param ceiling what the link carries at most, messages a second; NaN where there is no link
     */
    static List<Finding> judge(TableResult table, List<Ladder> steps, double ceiling) {
        Judged judged = new Judged(table, steps, ceiling);
        judged.step(
                "one read of four bytes instead of four makes reading almost twice as fast",
                Ladder.FOUR_BYTES,
                Ladder.BYTE_WISE);
        judged.step("one line, BufferedInputStream, changes things dramatically", Ladder.BUFFERED, Ladder.BYTE_WISE);
        judged.step("both methods combined achieve a combined effect", Ladder.BOTH, Ladder.BUFFERED);
        judged.step("without allocation the code runs slower", Ladder.BOTH, Ladder.REUSING);
        judged.open(Ladder.LOCAL, Ladder.REUSING);
        judged.open(Ladder.LOCAL, Ladder.BOTH);
        judged.step("buffers work almost three times faster than streams", Ladder.APPENDING, Ladder.BOTH);
        judged.step("the simpler code, which compacts, is also faster", Ladder.COMPACTING, Ladder.APPENDING);
        judged.step("handing over the buffer saves a copy", Ladder.HANDING, Ladder.COMPACTING);
        judged.step("from the first to the last about 70 times", Ladder.HANDING, Ladder.BYTE_WISE);
        judged.open(Ladder.RELAY, Ladder.HANDING);
        return judged.findings;
    }

    /** Of a sender that writes each message by itself. */
    static List<Finding> judgeSmallWrites(TableResult table, List<Ladder> steps) {
        Judged judged = new Judged(table, steps, Double.NaN);
        judged.open(Ladder.BOTH, Ladder.FOUR_BYTES);
        judged.open(Ladder.HANDING, Ladder.BOTH);
        judged.open(Ladder.RELAY, Ladder.HANDING);
        return judged.findings;
    }

    /** Findings about the steps that are in a table. */
    private static final class Judged {
        private final TableResult table;
        private final List<Ladder> steps;
        private final double ceiling;
        private final List<Finding> findings = new ArrayList<>();

        Judged(TableResult table, List<Ladder> steps, double ceiling) {
            this.table = table;
            this.steps = steps;
            this.ceiling = ceiling;
        }

        /** Beside the article's factor, where it has both figures over this lane. */
        void step(String claim, Ladder better, Ladder worse) {
            if (!steps.contains(better) || !steps.contains(worse)) {
                return;
            }
            if (fills(better) && fills(worse)) {
                findings.add(new Finding(
                        claim,
                        Finding.Outcome.UNDECIDED,
                        better.text() + " and " + worse.text() + " both fill the link"));
                return;
            }
            Optional<Claims.Claim> ahead = table.table().claims().of(better.text(), MESSAGES);
            Optional<Claims.Claim> behind = table.table().claims().of(worse.text(), MESSAGES);
            findings.add(
                    ahead.isPresent() && behind.isPresent()
                            ? Findings.better(
                                    claim,
                                    table,
                                    MESSAGES,
                                    better.text(),
                                    worse.text(),
                                    middle(ahead.get()) / middle(behind.get()))
                            : Findings.better(claim, table, MESSAGES, better.text(), worse.text()));
        }

        private boolean fills(Ladder step) {
            Figure figure = table.figure(table.row(step.text()), MESSAGES);
            return figure.isPresent() && figure.median() >= FULL * ceiling;
        }

        private static double middle(Claims.Claim claim) {
            return (claim.low() + claim.high()) / 2;
        }

        void open(Ladder a, Ladder b) {
            if (steps.contains(a) && steps.contains(b) && !(fills(a) && fills(b))) {
                findings.add(Findings.compare(table, MESSAGES, a.text(), b.text()));
            }
        }
    }
}
