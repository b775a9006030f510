package dev.msgrelay.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class MachineRulesTest extends MachineRules {
    /** Code that obeys the rules, and looks like code that does not. */
    private static final class Good {
        static String locale() {
            return String.format(Locale.ROOT, "%d", 1) + "TITLE".toLowerCase(Locale.ROOT) + Character.toUpperCase('c');
        }

        static String machine() {
            Supplier<String> reference = ThisMachine::path;
            System.setProperty("relay.test.none", "");
            return reference.get();
        }
    }

    MachineRulesTest() {
        super(".", "testing.scripted.Driver");
    }

    @Test
    void callsAndReferencesAreFound() {
        assertThat(found(new ClassFileImporter().importClasses(ThisMachine.class, Good.class), call -> true))
                .as("helpers are left out")
                .noneMatch(use -> use.startsWith("testing.ThisMachine "))
                .contains(
                        "testing.MachineRulesTest calls java.lang.String.format(Locale,String,Object[])",
                        "testing.MachineRulesTest calls dev.msgrelay.testing.ThisMachine.path()")
                .noneMatch(use -> readsTheMachine(use.substring(use.lastIndexOf(' ') + 1)))
                .noneMatch(use -> followsTheLocale(use.substring(use.lastIndexOf(' ') + 1)));
    }

    @Test
    void theRulesFindWhatTheyLookFor() {
        assertThat(List.of(
                        "java.lang.System.getProperty(String,String)",
                        "java.lang.System.getenv()",
                        "java.lang.Runtime.exec(String[])",
                        "java.lang.ProcessBuilder.<init>(List)",
                        "java.time.ZonedDateTime.now()"))
                .allMatch(MachineRules::readsTheMachine);
        assertThat(List.of("java.lang.System.setProperty(String,String)", "java.time.ZonedDateTime.now(Clock)"))
                .noneMatch(MachineRules::readsTheMachine);
        assertThat(List.of(
                        "java.lang.String.format(String,Object[])",
                        "java.lang.String.formatted(Object[])",
                        "java.lang.String.toLowerCase()",
                        "java.lang.String.getBytes()",
                        "java.lang.String.<init>(byte[],int,int)",
                        "java.io.PrintStream.printf(String,Object[])",
                        "java.io.InputStreamReader.<init>(InputStream)",
                        "java.text.NumberFormat.getInstance()",
                        "java.util.Formatter.<init>(Appendable)"))
                .allMatch(MachineRules::followsTheLocale);
        assertThat(List.of(
                        "java.lang.String.format(Locale,String,Object[])",
                        "java.lang.String.<init>(byte[],int,int,Charset)",
                        "java.io.InputStreamReader.<init>(InputStream,Charset)",
                        "java.util.Formatter.<init>(Appendable,Locale)"))
                .noneMatch(MachineRules::followsTheLocale);
    }

    /** The names are put together here, as the rule reads this source, too. */
    @Test
    void filesOfTheMachineAreFound() {
        assertThat(List.of(
                        "Files.exists(Path.of(\"/" + "proc/net/tcp\"))",
                        "Path.of(\n        \"/" + "sys/fs\", name)",
                        "new File(\"/" + "etc/passwd\")"))
                .allMatch(MachineRules::namesAFileOfTheMachine);
        assertThat(List.of("new Quota(\"/sys/fs/cgroup/pod\")", "Path.of(\"/process\")", "Path.of(\"/dev/full\")"))
                .noneMatch(MachineRules::namesAFileOfTheMachine);
    }
}
