package dev.msgrelay.trials;

import dev.msgrelay.testing.MachineRules;

class MachineRulesTest extends MachineRules {
    MachineRulesTest() {
        super(".");
    }
}
