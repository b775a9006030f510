package dev.msgrelay.lab;

import dev.msgrelay.testing.MachineRules;

class MachineRulesTest extends MachineRules {
    MachineRulesTest() {
        super(
                ".",
                "lab.LabRun",
                "lab.Needs",
                "lab.asyncfiles.AsyncFilesExperiment",
                "lab.cli.LabMain",
                "lab.eventlog.EventLogExperiment",
                "lab.readers.Readers",
                "lab.senders.SendersExperiment");
    }
}
