package dev.msgrelay.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Packages are layers, dependencies point one way, and no ball of classes grows. */
class ArchitectureTest {
    private static final String ROOT = "dev.msgrelay.server";

    /** From the lowest to the highest; those of one layer do not know each other. */
    private static final List<Set<String>> LAYERS = List.of(
            Set.of("host", "memory", "access"),
            Set.of("figures"),
            Set.of("net"),
            Set.of("tls"),
            Set.of("journal.disk"),
            Set.of("journal.format"),
            Set.of("journal.recover"),
            Set.of("stream"),
            Set.of("state"),
            Set.of("journal.read"),
            Set.of("journal"),
            Set.of("config"),
            Set.of("connection"),
            Set.of("producers", "subscribe"),
            Set.of("publish"),
            Set.of("assembly"),
            Set.of(""),
            Set.of("admin"),
            Set.of("cli"));

    private static final int LARGEST_CYCLE = 3;

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(ROOT);

    private static String packageOf(JavaClass c) {
        return c.getPackageName().equals(ROOT) ? "" : c.getPackageName().substring(ROOT.length() + 1);
    }

    private static int layer(String name) {
        for (int i = 0; i < LAYERS.size(); i++) {
            if (LAYERS.get(i).contains(name)) {
                return i;
            }
        }
        throw new AssertionError("the package '" + name + "' has no layer: give it one");
    }

    private static boolean ours(JavaClass c) {
        return c.getPackageName().equals(ROOT) || c.getPackageName().startsWith(ROOT + ".");
    }

    private static Map<String, Set<String>> dependencies() {
        Map<String, Set<String>> result = new TreeMap<>();
        for (JavaClass c : CLASSES) {
            String from = outer(c);
            Set<String> targets = result.computeIfAbsent(from, x -> new TreeSet<>());
            for (Dependency dependency : c.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass();
                if (ours(target) && !outer(target).equals(from)) {
                    targets.add(outer(target));
                }
            }
        }
        return result;
    }

    private static String outer(JavaClass c) {
        String name = c.getBaseComponentType().getName();
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    @Test
    void thereIsSomethingToLookAt() {
        assertThat(CLASSES.size()).isGreaterThan(100);
        assertThat(dependencies().get(ROOT + ".stream.LogReader")).contains(ROOT + ".stream.PacketLog");
        LAYERS.stream().flatMap(Set::stream).forEach(name -> assertThat(CLASSES)
                .as("package '%s'", name)
                .anyMatch(c -> packageOf(c).equals(name)));
    }

    /** With one order of layers, and nothing pointing up, packages have no cycles. */
    @Test
    void dependenciesPointDown() {
        List<String> wrong = new ArrayList<>();
        for (JavaClass c : CLASSES) {
            for (Dependency dependency : c.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass();
                String from = packageOf(c);
                if (ours(target)
                        && !from.equals(packageOf(target.getBaseComponentType()))
                        && layer(packageOf(target.getBaseComponentType())) >= layer(from)) {
                    wrong.add(dependency.getDescription());
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void classesHaveNoLargeCycles() {
        assertThat(cycles(dependencies())).allMatch(cycle -> cycle.size() <= LARGEST_CYCLE);
    }

    @Test
    void theSearchFindsCycles() {
        Map<String, Set<String>> graph = Map.of(
                "a", Set.of("b", "x"),
                "b", Set.of("c"),
                "c", Set.of("d"),
                "d", Set.of("a"),
                "x", Set.of("y"),
                "y", Set.of());
        assertThat(cycles(graph))
                .contains(Set.of("a", "b", "c", "d"), Set.of("x"), Set.of("y"))
                .hasSize(3);
    }

    private static Set<Set<String>> cycles(Map<String, Set<String>> graph) {
        Map<String, Set<String>> reached = new TreeMap<>();
        graph.keySet().forEach(c -> reach(c, graph, reached.computeIfAbsent(c, x -> new TreeSet<>())));
        Set<Set<String>> cycles = new HashSet<>();
        reached.forEach((c, targets) -> cycles.add(targets.stream()
                .filter(target -> reached.get(target).contains(c))
                .collect(Collectors.toSet())));
        return cycles;
    }

    private static void reach(String c, Map<String, Set<String>> graph, Set<String> reached) {
        if (reached.add(c)) {
            graph.get(c).forEach(target -> reach(target, graph, reached));
        }
    }
}
