package dev.msgrelay.testing;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

/**
 * The rules of what a module may know of the machine that it runs on; each module has a test that extends this class.
 * Tests ask {@link ThisMachine}, and start processes by {@link TestProcess}. Main code reads the machine in few
 * classes, which the module's test names. Nothing is formatted or decoded by the default locale, charset or zone.
 */
public abstract class MachineRules {
    /** The classes that are there to know it. */
    private static final Set<String> HELPERS = Set.of(ThisMachine.class.getName(), TestProcess.class.getName());

    /** Methods and constructors whose answer is another on another machine. */
    private static final Pattern MACHINE = Pattern.compile(String.join(
            "|",
            "java\\.lang\\.System\\.(getProperty|getProperties|getenv)\\(.*",
            "java\\.lang\\.(Boolean\\.getBoolean|Integer\\.getInteger|Long\\.getLong)\\(.*",
            "java\\.lang\\.Runtime\\.(availableProcessors|exec|maxMemory)\\(.*",
            "java\\.lang\\.ProcessBuilder\\.<init>\\(.*",
            "java\\.lang\\.ProcessHandle\\$Info\\.(command|commandLine|user)\\(.*",
            "java\\.lang\\.management\\.ManagementFactory\\.getOperatingSystemMXBean\\(.*",
            "java\\.net\\.InetAddress\\.getLocalHost\\(.*",
            "java\\.time\\.ZoneId\\.systemDefault\\(.*",
            "java\\.time\\.Clock\\.systemDefaultZone\\(.*",
            "java\\.time\\.(Local|Zoned|Offset)(Date|Time|DateTime)\\.now\\(\\)",
            "java\\.util\\.TimeZone\\.getDefault\\(.*",
            "java\\.util\\.Calendar\\.getInstance\\(\\)"));

    /** What follows the default locale, or in older JDKs the default charset, which follows it. */
    private static final Pattern LOCALE = Pattern.compile(String.join(
            "|",
            "java\\.lang\\.String\\.format\\(String,Object\\[\\]\\)",
            "java\\.lang\\.String\\.(formatted\\(.*|toUpperCase\\(\\)|toLowerCase\\(\\)|getBytes\\(\\))",
            "java\\.lang\\.String\\.<init>\\(byte\\[\\](,int,int)?\\)",
            "java\\.io\\.(PrintStream|PrintWriter|Console)\\.(printf|format)\\(String,Object\\[\\]\\)",
            "java\\.io\\.File(Reader|Writer)\\.<init>\\((String|File|FileDescriptor)(,boolean)?\\)",
            "java\\.io\\.(InputStreamReader|OutputStreamWriter)\\.<init>\\([A-Za-z]+\\)",
            "java\\.io\\.PrintWriter\\.<init>\\((OutputStream|File|String)(,boolean)?\\)",
            "java\\.io\\.PrintStream\\.<init>\\((File|String)\\)",
            "java\\.io\\.ByteArrayOutputStream\\.toString\\(\\)",
            "java\\.lang\\.Process\\.(input|error)Reader\\(\\)",
            "java\\.nio\\.charset\\.Charset\\.defaultCharset\\(.*",
            "java\\.util\\.Scanner\\.<init>\\((InputStream|File|Path)\\)",
            "java\\.util\\.Formatter\\.<init>\\((?!.*Locale).*",
            "java\\.util\\.Locale\\.getDefault\\(.*",
            "java\\.text\\.(DecimalFormat|SimpleDateFormat)\\.<init>\\((?!.*(Locale|Symbols)).*",
            "java\\.text\\.NumberFormat\\.get\\w+\\(\\)",
            "java\\.text\\.Collator\\.getInstance\\(\\)",
            "java\\.time\\.format\\.DateTimeFormatter\\.(ofPattern\\(String\\)|ofLocalized.*)"));

    /**
     * A string of a source that names a file of the machine; below /sys only as a path, since recorded text names some.
     */
    private static final Pattern PLACE =
            Pattern.compile("\"/(proc|etc)\\b[^\"]*\"|(Path\\.of|File)\\(\\s*\"/sys\\b[^\"]*\"");

    private static final String ASSUMPTIONS = "org.junit.jupiter.api.Assumptions.";
    private static final String ROOT = "dev.msgrelay.";

    private final Path module;
    private final Set<String> readers;

    /**
     * @param module directory of the module, from that of the tests
     * @param readers classes of its main code that read the machine, without the common beginning of their names
     */
    protected MachineRules(String module, String... readers) {
        this.module = Path.of(module);
        this.readers = new TreeSet<>(Set.of(readers));
    }

    /** A test that skips itself does so by {@link ThisMachine}, which prints why. */
    @Test
    void testsReadNothingOfTheMachine() {
        Assertions.assertEquals(
                List.of(), found("target/test-classes", call -> readsTheMachine(call) || call.startsWith(ASSUMPTIONS)));
    }

    @Test
    void mainCodeReadsTheMachineInNamedPlaces() {
        Set<String> found = new TreeSet<>();
        for (String use : found("target/classes", MachineRules::readsTheMachine)) {
            found.add(use.substring(0, use.indexOf(' ')));
        }
        Assertions.assertEquals(readers, found);
    }

    @Test
    void nothingFollowsTheDefaultLocale() {
        for (String classes : List.of("target/classes", "target/test-classes")) {
            Assertions.assertEquals(List.of(), found(classes, MachineRules::followsTheLocale));
        }
    }

    @Test
    void testsNameNoFileOfTheMachine() throws IOException {
        List<String> found = new ArrayList<>();
        Path tests = module.resolve("src/test/java");
        if (Files.isDirectory(tests)) {
            try (Stream<Path> files = Files.walk(tests)) {
                for (Path source :
                        files.filter(file -> file.toString().endsWith(".java")).toList()) {
                    Matcher place = PLACE.matcher(Files.readString(source));
                    place.results().forEach(one -> found.add(source.getFileName() + ": " + one.group()));
                }
            }
        }
        Assertions.assertEquals(List.of(), found);
    }

    private List<String> found(String directory, Predicate<String> wanted) {
        Path classes = module.resolve(directory);
        return Files.isDirectory(classes) ? found(new ClassFileImporter().importPath(classes), wanted) : List.of();
    }

    /** Each call that is wanted, and each reference to such a method: the class, and what it calls. */
    static List<String> found(JavaClasses classes, Predicate<String> wanted) {
        Set<String> found = new TreeSet<>();
        for (JavaClass c : classes) {
            String name = outer(c.getName());
            if (!HELPERS.contains(name)) {
                for (JavaAccess<?> access : c.getAccessesFromSelf()) {
                    if (access.getTarget() instanceof CodeUnitAccessTarget target) {
                        String call = call(target);
                        if (wanted.test(call)) {
                            found.add(name.replaceFirst("^" + Pattern.quote(ROOT), "") + " calls " + call);
                        }
                    }
                }
            }
        }
        return List.copyOf(found);
    }

    static boolean namesAFileOfTheMachine(String source) {
        return PLACE.matcher(source).find();
    }

    static boolean readsTheMachine(String call) {
        return MACHINE.matcher(call).matches();
    }

    static boolean followsTheLocale(String call) {
        return LOCALE.matcher(call).matches();
    }

    private static String outer(String name) {
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    /** Such as {@code java.lang.String.format(String,Object[])}. */
    private static String call(CodeUnitAccessTarget target) {
        return target.getOwner().getName() + "." + target.getName()
                + target.getRawParameterTypes().stream()
                        .map(JavaClass::getSimpleName)
                        .collect(Collectors.joining(",", "(", ")"));
    }
}
