package dev.msgrelay.client.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Stack;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/**
 * An option whose text may be any: what stands behind it is its text, even where that is {@code --} or the name of an
 * option. picocli refuses such texts, behind {@code =} as well.
 */
final class AnyText implements IParameterPreprocessor {
    @Override
    public boolean preprocess(Stack<String> args, CommandSpec of, ArgSpec option, Map<String, Object> info) {
        if (args.isEmpty()) {
            // picocli says that the text is missing.
            return false;
        }
        if (!option.isMultiValue()) {
            if (option.getValue() != null) {
                throw new ParameterException(
                        of.commandLine(),
                        "option '" + ((OptionSpec) option).longestName() + "' should be specified only once");
            }
            option.setValue(args.pop());
            return true;
        }
        List<String> before = option.getValue();
        List<String> texts = before == null ? new ArrayList<>() : before;
        texts.add(args.pop());
        option.setValue(texts);
        return true;
    }
}
