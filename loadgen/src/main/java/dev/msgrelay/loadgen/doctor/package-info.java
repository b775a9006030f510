/**
 * What a machine is like, and what that means for a run. Each check turns what it was given (files, figures, what a
 * tool said) into one {@link dev.msgrelay.loadgen.doctor.Finding}; {@link dev.msgrelay.loadgen.doctor.Doctor} collects
 * the facts and puts the findings in order. What cannot be found out is told as unknown, never guessed.
 *
 * <pre>
 *  /proc, /sys, tools, interfaces -- Doctor --&gt; JvmChecks, KernelChecks, LinkChecks,      --&gt; Findings, worst first
 *                                               ProcessorChecks, ResourceChecks, TcpChecks
 * </pre>
 *
 * The command's thread.
 */
package dev.msgrelay.loadgen.doctor;
