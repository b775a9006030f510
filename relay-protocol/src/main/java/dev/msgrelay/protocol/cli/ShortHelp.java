package dev.msgrelay.protocol.cli;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What {@code --help} of a command shows first; {@code --help=all} has every option. {@link CommandParser} reads it.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
public @interface ShortHelp {
    /** Command lines that a user may copy. */
    String[] examples();

    /**
     * The options that most users need, a group each: {@code "Messages: --types --from"}. A word without dashes is the
     * label of a parameter. None: the help shows all options.
     */
    String[] options() default {};
}
