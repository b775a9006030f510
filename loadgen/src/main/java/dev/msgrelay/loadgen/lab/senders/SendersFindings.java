package dev.msgrelay.loadgen.lab.senders;

import static dev.msgrelay.loadgen.lab.senders.SendersArticle.BLOCKING;
import static dev.msgrelay.loadgen.lab.senders.SendersArticle.BLOCKING_40;
import static dev.msgrelay.loadgen.lab.senders.SendersArticle.NON_BLOCKING;
import static dev.msgrelay.loadgen.lab.senders.SendersArticle.SIMPLE;

import dev.msgrelay.loadgen.lab.Column;
import dev.msgrelay.loadgen.lab.Finding;
import dev.msgrelay.loadgen.lab.Findings;
import dev.msgrelay.loadgen.lab.TableResult;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** What the figures say to the article's claims, for the largest number of clients. */
final class SendersFindings {
    private final TableResult table;
    private final int limit;
    private final int clients;

    private SendersFindings(TableResult table, int limit, int clients) {
        this.table = table;
        this.limit = limit;
        this.clients = clients;
    }

    static List<Finding> of(TableResult table, int limit, SendersOptions options) {
        List<Finding> findings = new ArrayList<>();
        for (int clients : options.clients()) {
            SendersFindings of = new SendersFindings(table, limit, clients);
            of.claims(findings, clients > options.workers());
        }
        int most = options.clients().stream().max(Integer::compare).orElseThrow();
        new SendersFindings(table, limit, most).openQuestions(findings);
        return findings;
    }

    private void claims(List<Finding> findings, boolean moreThanWorkers) {
        if (moreThanWorkers) {
            findings.add(better(
                    "with more downloads than workers, SimpleBlocking's initial time goes to extreme heights",
                    SendersGo.INITIAL,
                    NON_BLOCKING,
                    SIMPLE));
        }
        if (moreThanWorkers && limit > 0) {
            String claim = "the Equal ones use the bandwidth significantly better than SimpleBlocking";
            findings.add(better(claim, SendersGo.THROUGHPUT, NON_BLOCKING, SIMPLE));
            findings.add(better(claim, SendersGo.THROUGHPUT, BLOCKING, SIMPLE));
        }
        findings.add(better("SimpleBlocking's downloads are faster one by one", SendersGo.SPEED, SIMPLE, BLOCKING));
        findings.add(better(
                "EqualBlocking performs better than EqualNonBlocking", SendersGo.THROUGHPUT, BLOCKING, NON_BLOCKING));
        findings.add(better(
                "EqualNonBlocking has the smaller latency than EqualBlocking",
                SendersGo.INITIAL,
                NON_BLOCKING,
                BLOCKING));
    }

    /** What comments and footnotes ask, and what the article does not have. */
    private void openQuestions(List<Finding> findings) {
        findings.add(better(
                "(a comment) a pool as large as the number of cores is better",
                SendersGo.THROUGHPUT,
                SendersExperiment.NON_BLOCKING_CORES,
                NON_BLOCKING));
        findings.add(compare(SendersGo.THROUGHPUT, BLOCKING, BLOCKING_40));
        findings.add(compare(SendersGo.CPU, SendersExperiment.SIMPLE_TRANSFER, SIMPLE));
        findings.add(compare(SendersGo.CPU, SendersExperiment.BLOCKING_TRANSFER, BLOCKING));
        findings.add(compare(SendersGo.CPU, SendersExperiment.NON_BLOCKING_TRANSFER, NON_BLOCKING));
        findings.add(compare(SendersGo.THROUGHPUT, SendersExperiment.LOOP, BLOCKING));
        findings.add(compare(SendersGo.INITIAL, SendersExperiment.LOOP, NON_BLOCKING));
        findings.add(compare(SendersGo.CPU, SendersExperiment.LOOP, NON_BLOCKING));
        findings.add(compare(SendersGo.CPU, SendersExperiment.LOOP_TRANSFER, SendersExperiment.LOOP));
    }

    private Finding compare(Column column, String a, String b) {
        return Findings.compare(table, column, label(a), label(b));
    }

    private Finding better(String claim, Column column, String better, String worse) {
        OptionalDouble article = SendersArticle.ratio(limit, column, label(better), label(worse));
        return article.isPresent()
                ? Findings.better(claim, table, column, label(better), label(worse), article.getAsDouble())
                : Findings.better(claim, table, column, label(better), label(worse));
    }

    private String label(String name) {
        return SendersArticle.label(name, clients);
    }
}
